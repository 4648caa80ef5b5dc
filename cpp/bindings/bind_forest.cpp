#include "bindings/bindings.hpp"
#include "bindings/growing.hpp"
#include "core/columns/row_draws.hpp"
#include "core/grow/forest_grower.hpp"

using namespace silva;

namespace {

RowDraw row_draw_of(const std::string& name) {
    if (name == "bootstrap") return RowDraw::bootstrap;
    if (name == "subsample") return RowDraw::subsample;
    if (name == "all") return RowDraw::all;
    throw nb::value_error("bootstrap is 'bootstrap', 'subsample' or 'all'");
}

// A share of the rows of a tree where the choice is a float; the choice is then 1.
double taken_share(nb::kwargs& choices, const char* name) {
    if (!choices.contains(name) || !nb::isinstance<nb::float_>(choices[name])) return 0.0;
    const auto share = nb::cast<double>(choices[name]);
    choices[name] = 1;
    return share;
}

class PyForestGrower {
  public:
    PyForestGrower(TableColumns columns, const std::vector<int>& kinds,
                   const std::vector<int64_t>& n_levels, const nb::object& target,
                   std::optional<Vector<double>> weights, int64_t n_classes,
                   const std::string& bootstrap, int64_t n_samples, bool oob, int64_t n_columns,
                   nb::kwargs choices)
        : n_columns_(columns.size()),
          arrays_(std::move(columns), target, std::move(weights), n_classes),
          grower_(ForestData{arrays_.table(kinds, n_levels), arrays_.labels(), arrays_.values(),
                             arrays_.weights(), n_classes},
                  settings(bootstrap, n_samples, oob, n_columns, choices)) {}

    // Trees are given to `take` while others grow; without it they are returned.
    nb::list grow(const std::vector<uint64_t>& seeds, int threads, bool keep_finished,
                  std::optional<nb::callable> progress, std::optional<nb::callable> take,
                  const std::vector<std::string>& packed) {
        ArrayNumbers numbers;
        for (size_t i = 0; i < packed.size(); ++i) numbers[packed[i]] = static_cast<uint32_t>(i);
        grower_.pack_with(std::move(numbers));
        std::vector<GrownTree> trees;
        trees.reserve(seeds.size());  // so that trees stay where they are when others follow
        const int64_t before = grower_.finished();
        int64_t told = -1;
        size_t n_taken = 0;
        nb::object tree;  // the next one, if it was made; it is given again after an interrupt
        nb::list out;
        const auto take_up_to = [&](size_t finished) {
            for (; n_taken < finished; ++n_taken) {
                if (!tree.is_valid()) tree = to_python(std::move(trees[n_taken]));
                if (take)
                    (*take)(n_taken, tree);
                else
                    out.append(tree);
                tree.reset();
            }
        };
        const auto poll = [&] {
            if (PyErr_CheckSignals() != 0) return true;
            const int64_t finished = grower_.finished() - before;
            if (finished == told) return false;
            told = finished;
            try {
                take_up_to(static_cast<size_t>(finished));
                if (progress) (*progress)(told);
            } catch (nb::python_error& error) {
                error.restore();
                return true;
            }
            return false;
        };
        const auto keep_on_interrupt = [&](auto&& work) {
            try {
                work();
            } catch (nb::python_error& error) {
                if (!keep_finished || !error.matches(PyExc_KeyboardInterrupt)) throw;
                interrupted_ = true;
            }
        };
        keep_on_interrupt([&] {
            run_without_gil(
                true, [&](const StopFlag& stop) { grower_.grow(seeds, threads, stop, trees); },
                poll);
        });
        keep_on_interrupt([&] { take_up_to(trees.size()); });
        take_up_to(trees.size());
        return out;
    }
    bool interrupted() const { return interrupted_; }

    nb::dict oob_sums() const {
        const OobSums& sums = checked_sums();
        const auto n_rows = sums.votes.size();
        const auto n_classes = static_cast<size_t>(grower_.data().n_classes);
        nb::dict out;
        out["votes"] = to_numpy(std::vector<int64_t>(sums.votes));
        if (n_classes == 0) {
            out["values"] = to_numpy(std::vector<double>(sums.values));
            out["values_lost"] = to_numpy(std::vector<double>(sums.values_lost));
            return out;
        }
        out["shares"] = to_numpy(std::vector<double>(sums.shares), {n_rows, n_classes});
        out["shares_lost"] = to_numpy(std::vector<double>(sums.shares_lost), {n_rows, n_classes});
        out["hard"] = to_numpy(std::vector<int64_t>(sums.hard), {n_rows, n_classes});
        return out;
    }

    void start_oob(const nb::dict& given) {
        OobSums sums = checked_sums();
        take(given, "votes", sums.votes);
        take(given, "shares", sums.shares);
        take(given, "shares_lost", sums.shares_lost);
        take(given, "hard", sums.hard);
        take(given, "values", sums.values);
        take(given, "values_lost", sums.values_lost);
        grower_.start_out_of_bag(std::move(sums));
    }

  private:
    nb::object to_python(GrownTree&& tree) const {
        if (tree.packed.empty()) return to_dict(std::move(tree), grower_.data().n_classes);
        return nb::bytes(tree.packed.data(), tree.packed.size());
    }
    const OobSums& checked_sums() const {
        const OobSums& sums = grower_.out_of_bag().sums();
        if (sums.votes.empty()) throw nb::value_error("the grower was made with oob=False");
        return sums;
    }

    template <class T>
    static void take(const nb::dict& given, const char* name, std::vector<T>& out) {
        if (!given.contains(name)) return;
        const auto sums =
            nb::cast<nb::ndarray<const T, nb::c_contig, nb::device::cpu>>(given[name]);
        if (sums.size() != out.size()) throw nb::value_error("sums of another number of rows");
        std::copy_n(sums.data(), out.size(), out.begin());
    }

    ForestSettings settings(const std::string& bootstrap, int64_t n_samples, bool oob,
                            int64_t n_columns, nb::kwargs& choices) const {
        if (n_samples < 1) throw nb::value_error("n_samples must be at least 1");
        if (n_columns < 0 || n_columns > static_cast<int64_t>(n_columns_))
            throw nb::value_error("n_columns must be 0 or a number of columns");
        ForestSettings forest;
        forest.split_share = taken_share(choices, "min_samples_split");
        forest.leaf_share = taken_share(choices, "min_samples_leaf");
        forest.tree = tree_settings(choices, n_columns_);
        forest.draw = row_draw_of(bootstrap);
        forest.n_samples = n_samples;
        forest.oob = oob;
        forest.n_columns = n_columns == static_cast<int64_t>(n_columns_) ? 0 : n_columns;
        return forest;
    }

    size_t n_columns_;
    TrainingArrays arrays_;
    ForestGrower grower_;
    bool interrupted_ = false;
};

nb::object py_draw_counts(uint64_t seed, int64_t n_rows, int64_t n_samples, bool replace) {
    if (n_rows < 1 || n_samples < 0) throw nb::value_error("there is nothing to draw");
    Array<uint32_t> counts;
    draw_counts(seed, n_rows, n_samples, replace, counts);
    return to_numpy(std::vector<uint32_t>(counts.data(), counts.data() + counts.size()));
}

nb::bytes py_pack_arrays(
    const std::vector<uint32_t>& numbers,
    const std::vector<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>& arrays) {
    PackedArrays packed;
    for (size_t i = 0; i < arrays.size(); ++i) {
        const auto put = [&]<class T>(const T* values) {
            packed.put(numbers.at(i), std::span(values, arrays[i].size()));
        };
        const void* data = arrays[i].data();
        const Type type = type_of(arrays[i].dtype());
        if (type == Type::i8)
            put(static_cast<const int8_t*>(data));
        else if (type == Type::i32)
            put(static_cast<const int32_t*>(data));
        else if (type == Type::i64)
            put(static_cast<const int64_t*>(data));
        else if (type == Type::f64)
            put(static_cast<const double*>(data));
        else
            throw nb::type_error("an array of a tree holds int8, int32, int64 or float64");
    }
    const std::string bytes = packed.bytes();
    return nb::bytes(bytes.data(), bytes.size());
}

// The arrays of these names, as their types in `types` say.
nb::dict py_unpack_arrays(const nb::bytes& data, const nb::dict& types,
                          const std::vector<std::string>& wanted) {
    const UnpackedArrays arrays(view_of(data), nb::cast<std::vector<std::string>>(types.keys()));
    nb::dict out;
    for (const std::string& name : wanted) {
        const auto type = nb::cast<std::string>(types[name.c_str()]);
        const auto take = [&]<class T>(const T*) {
            out[name.c_str()] = to_numpy(arrays.get<T>(name));
        };
        if (type == "int8")
            take(static_cast<const int8_t*>(nullptr));
        else if (type == "int32")
            take(static_cast<const int32_t*>(nullptr));
        else if (type == "int64")
            take(static_cast<const int64_t*>(nullptr));
        else
            take(static_cast<const double*>(nullptr));
    }
    return out;
}

std::vector<std::string> py_packed_names(const nb::bytes& data, const nb::dict& types) {
    const auto names = nb::cast<std::vector<std::string>>(types.keys());
    const UnpackedArrays arrays(view_of(data), names);
    std::vector<std::string> out;
    std::copy_if(names.begin(), names.end(), std::back_inserter(out),
                 [&](const std::string& name) { return arrays.has(name); });
    return out;
}

}  // namespace

void bind_forest(nb::module_& m) {
    m.def("pack_arrays", &py_pack_arrays, nb::arg("numbers"), nb::arg("arrays"),
          "The arrays of a tree in few bytes; `numbers` are their places in packing.NAMES.");
    m.def("unpack_arrays", &py_unpack_arrays, nb::arg("data"), nb::arg("types"), nb::arg("wanted"),
          "The arrays of these names in bytes of `pack_arrays`; those left out are empty.");
    m.def("packed_names", &py_packed_names, nb::arg("data"), nb::arg("types"),
          "The names of the arrays in bytes of `pack_arrays`.");
    m.def("draw_counts", &py_draw_counts, nb::arg("seed"), nb::arg("n_rows"), nb::arg("n_samples"),
          nb::arg("replace"), "How often each row is drawn for the tree of a seed.");
    nb::class_<PyForestGrower>(m, "ForestGrower", "Grows the trees of a forest.")
        .def(nb::init<TableColumns, const std::vector<int>&, const std::vector<int64_t>&,
                      const nb::object&, std::optional<Vector<double>>, int64_t, const std::string&,
                      int64_t, bool, int64_t, nb::kwargs>(),
             nb::arg("columns"), nb::arg("kinds"), nb::arg("n_levels"), nb::arg("target"),
             nb::arg("weights").none(), nb::arg("n_classes"), nb::kw_only(), nb::arg("bootstrap"),
             nb::arg("n_samples"), nb::arg("oob"), nb::arg("n_columns") = 0, nb::arg("choices"))
        .def("grow", &PyForestGrower::grow, nb::arg("seeds"), nb::arg("threads"),
             nb::arg("keep_finished") = false, nb::arg("progress").none() = nb::none(),
             nb::arg("take").none() = nb::none(), nb::arg("packed") = std::vector<std::string>(),
             "Grow one tree a seed; gives number and arrays of each to `take` while others grow,"
             " or returns the arrays. Trees of classes are bytes where `packed` names all arrays.")
        .def("start_oob", &PyForestGrower::start_oob, nb::arg("sums"),
             "Go on from the sums of trees that were grown elsewhere.")
        .def_prop_ro("interrupted", &PyForestGrower::interrupted,
                     "Whether a KeyboardInterrupt was kept from being raised.")
        .def("oob_sums", &PyForestGrower::oob_sums,
             "Sums over all trees grown so far of their answers for rows that they did not see.");
}
