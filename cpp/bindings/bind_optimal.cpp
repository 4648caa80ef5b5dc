#include <memory>

#include "bindings/bindings.hpp"
#include "core/optimal/search.hpp"

using namespace silva;
using namespace silva::optimal;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct NamedBound {
    const char* name;
    bool Bounds::* is_on;
};
constexpr NamedBound kBounds[] = {
    {"equivalent_rows", &Bounds::equivalent_rows},
    {"class_count", &Bounds::class_count},
    {"leaf_count", &Bounds::leaf_count},
    {"look_ahead", &Bounds::look_ahead},
    {"interval", &Bounds::interval},
    {"similarity", &Bounds::similarity},
    {"slack", &Bounds::slack},
    {"table", &Bounds::table},
    {"duplicates", &Bounds::duplicates},
};

nb::tuple bound_names() {
    nb::list names;
    for (const NamedBound& bound : kBounds) names.append(bound.name);
    return nb::tuple(names);
}

Bounds bounds_without(const std::vector<std::string>& names) {
    Bounds bounds;
    for (const std::string& name : names) {
        bool is_known = false;
        for (const NamedBound& bound : kBounds)
            if (name == bound.name) bounds.*bound.is_on = false, is_known = true;
        if (!is_known) throw nb::value_error(("no bound is called " + name).c_str());
    }
    return bounds;
}

Problem problem_of(const Matrix<int32_t>& ranks, const Vector<int32_t>& levels,
                   const Vector<int32_t>& classes, int32_t n_classes,
                   const Vector<int64_t>& weights, const Matrix<int64_t>& costs) {
    const size_t rows = ranks.shape(1), columns = ranks.shape(0);
    if (rows == 0 || levels.shape(0) != columns || classes.shape(0) != rows ||
        weights.shape(0) != rows || n_classes < 1 || n_classes > 65535 ||
        costs.shape(0) != static_cast<size_t>(n_classes) || costs.shape(1) != costs.shape(0))
        throw nb::value_error("arrays of the problem differ in length");
    return Problem({ranks.data(), levels.data(), classes.data(), weights.data(), costs.data(),
                    static_cast<int64_t>(rows), static_cast<int32_t>(columns), n_classes});
}

Layout layout_of(const std::string& engine, const Problem& problem) {
    if (engine == "auto") return best_layout(problem);
    if (engine != "bits" && engine != "sorted") throw nb::value_error("no such engine");
    return engine == "bits" ? Layout::kBits : Layout::kSorted;
}

class PySearch {
  public:
    PySearch(const Matrix<int32_t>& ranks, const Vector<int32_t>& levels,
             const Vector<int32_t>& classes, int32_t n_classes, const Vector<int64_t>& weights,
             const Matrix<int64_t>& costs, const std::string& engine,
             const std::vector<std::string>& without, int64_t memory, int n_threads) {
        if (n_threads < 1 || memory < 0) throw nb::value_error("n_threads and memory are positive");
        Problem problem = problem_of(ranks, levels, classes, n_classes, weights, costs);
        const Layout layout = layout_of(engine, problem);
        engine_ = layout == Layout::kBits ? "bits" : "sorted";
        search_ =
            Search::make(std::move(problem), layout, bounds_without(without), memory, n_threads);
    }

    void start(std::optional<int64_t> max_depth, std::optional<int64_t> max_splits, int64_t unit,
               int64_t penalty, int64_t min_rows, std::optional<int64_t> upper) {
        if (unit < 1 || penalty < 0 || min_rows < 1 || max_depth.value_or(0) < 0 ||
            max_splits.value_or(0) < 0)
            throw nb::value_error("a limit of the question is negative");
        search_->start({max_depth.value_or(kInfinite), max_splits.value_or(kInfinite), min_rows,
                        unit, penalty, std::min(upper.value_or(kInfinite), kInfinite)});
    }

    // `on_poll` is asked now and then whether to stop.
    bool advance(double seconds, int64_t work, const nb::object& on_poll) {
        StopFlag stop;
        bool is_asked = false;
        std::exception_ptr failure;
        const auto poll = [&] {
            nb::gil_scoped_acquire acquire;
            try {
                if (is_interrupted()) return true;
                return is_asked = !on_poll.is_none() && nb::cast<bool>(on_poll());
            } catch (...) {
                failure = std::current_exception();
                return true;
            }
        };
        {
            nb::gil_scoped_release release;
            run_polled([&] { search_->advance(seconds, work, stop); }, poll, stop);
        }
        if (failure) std::rethrow_exception(failure);
        if (stop.is_set() && !is_asked) throw nb::python_error();
        return search_->is_proved();
    }

    int64_t offer(const Vector<int32_t>& column, const Vector<int32_t>& position,
                  const Vector<int32_t>& left, const Vector<int32_t>& right) {
        return search_->offer(
            {to_vector(column), to_vector(position), to_vector(left), to_vector(right)});
    }

    nb::object tree() const {
        FoundTree tree = search_->tree();
        if (tree.empty()) return nb::none();
        return nb::make_tuple(to_numpy(std::move(tree.column)), to_numpy(std::move(tree.position)),
                              to_numpy(std::move(tree.left)), to_numpy(std::move(tree.right)));
    }

    int64_t lower() const { return search_->lower(); }
    int64_t upper() const { return search_->upper(); }
    bool proved() const { return search_->is_proved(); }
    int64_t work() const { return search_->work(); }
    int64_t memory() const { return search_->bytes(); }
    const std::string& engine() const { return engine_; }

  private:
    std::unique_ptr<Search> search_;
    std::string engine_;
};

}  // namespace

void bind_optimal(nb::module_& m) {
    nb::class_<PySearch> search(m, "OptimalSearch", "The best of all trees, with a proof.");
    search
        .def(nb::init<const Matrix<int32_t>&, const Vector<int32_t>&, const Vector<int32_t>&,
                      int32_t, const Vector<int64_t>&, const Matrix<int64_t>&, const std::string&,
                      const std::vector<std::string>&, int64_t, int>(),
             nb::arg("ranks"), nb::arg("levels"), nb::arg("classes"), nb::arg("n_classes"),
             nb::arg("weights"), nb::arg("costs"), nb::arg("engine") = "auto",
             nb::arg("without") = std::vector<std::string>{}, nb::arg("memory") = int64_t{1} << 30,
             nb::arg("n_threads") = 1)
        .def("start", &PySearch::start, nb::arg("max_depth").none(), nb::arg("max_splits").none(),
             nb::arg("unit"), nb::arg("penalty"), nb::arg("min_rows"), nb::arg("upper").none())
        .def("offer", &PySearch::offer, nb::arg("columns"), nb::arg("positions"), nb::arg("left"),
             nb::arg("right"))
        .def("advance", &PySearch::advance, nb::arg("seconds"), nb::arg("work"),
             nb::arg("on_poll").none() = nb::none())
        .def("tree", &PySearch::tree)
        .def_prop_ro("lower", &PySearch::lower)
        .def_prop_ro("upper", &PySearch::upper)
        .def_prop_ro("proved", &PySearch::proved)
        .def_prop_ro("work", &PySearch::work)
        .def_prop_ro("memory", &PySearch::memory)
        .def_prop_ro("engine", &PySearch::engine);
    search.attr("BOUNDS") = bound_names();
}
