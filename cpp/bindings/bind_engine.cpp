#include "bindings/bindings.hpp"
#include "core/engine.hpp"

using namespace silva;

namespace {

constexpr int64_t kLongWalks = 20'000'000;
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

// An engine and the arrays that it borrows.
struct PyEngine {
    Engine engine;
    std::vector<nb::object> borrowed;

    PyEngine(const std::vector<int>& kinds, int64_t n_classes)
        : engine(kinds_of(kinds), n_classes) {}
    PyEngine(const PyEngine&) = delete;
    PyEngine& operator=(const PyEngine&) = delete;

    const double* borrow(const nb::handle& array) {
        borrowed.push_back(nb::borrow(array));
        return nb::cast<Vector<double>>(array).data();
    }

    // Shares, or the values of regression.
    NodeAnswers answers(const nb::dict& of) {
        NodeAnswers out;
        if (engine.n_classes() == 0) {
            out.values = borrow(of["values"]);
            return out;
        }
        out.shares.start = to_vector(nb::cast<Vector<int64_t>>(of["start"]));
        out.shares.code = to_vector(nb::cast<Vector<int32_t>>(of["code"]));
        out.shares.share = to_vector(nb::cast<Vector<double>>(of["share"]));
        out.shares.majority = to_vector(nb::cast<Vector<int32_t>>(of["majority"]));
        return out;
    }
};

template <class T>
void fill(std::vector<T>& out, const nb::dict& arrays, const char* name) {
    out = to_vector(nb::cast<Vector<T>>(arrays[name]));
}

bool add(PyEngine& self, const nb::dict& arrays, const nb::dict& leaves,
         const std::optional<nb::dict>& inner) {
    TreeArrays tree;
    fill(tree.split_kind, arrays, "split_kind");
    fill(tree.threshold_column, arrays, "threshold_column");
    fill(tree.threshold_value, arrays, "threshold_value");
    fill(tree.threshold_missing, arrays, "threshold_missing");
    fill(tree.threshold_unseen, arrays, "threshold_unseen");
    fill(tree.subset_column, arrays, "subset_column");
    fill(tree.subset_start, arrays, "subset_start");
    fill(tree.subset_codes, arrays, "subset_codes");
    fill(tree.subset_rest_start, arrays, "subset_rest_start");
    fill(tree.subset_rest, arrays, "subset_rest");
    fill(tree.subset_missing, arrays, "subset_missing");
    fill(tree.subset_unseen, arrays, "subset_unseen");
    const double* thresholds = self.borrow(arrays["threshold_value"]);
    const NodeAnswers leaf_answers = self.answers(leaves);
    if (!inner) return self.engine.add(tree, thresholds, leaf_answers, nullptr);
    const NodeAnswers inner_answers = self.answers(*inner);
    return self.engine.add(tree, thresholds, leaf_answers, &inner_answers);
}

Table table_of_matrix(const Matrix& rows, const std::vector<Kind>& kinds, int64_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    const bool single = rows.dtype() == nb::dtype<float>();
    if (!single && rows.dtype() != nb::dtype<double>())
        throw nb::type_error("a matrix must hold float32 or float64");
    if (static_cast<int64_t>(rows.shape(0)) != n_rows || rows.shape(1) != kinds.size())
        throw nb::value_error("wrong number of rows or columns");
    const auto size = static_cast<int64_t>(rows.itemsize());
    table.columns.reserve(kinds.size());
    for (size_t c = 0; c < kinds.size(); ++c)
        table.columns.push_back({static_cast<const char*>(rows.data()) +
                                     static_cast<int64_t>(c) * rows.stride(1) * size,
                                 rows.stride(0) * size, single ? Type::f32 : Type::f64, kinds[c],
                                 0});
    return table;
}

template <class T>
using Method = void (Engine::*)(const Table&, T*, int, const StopFlag&) const;

// The answers for a table; with a width, as a matrix.
template <class T>
nb::object answer(const PyEngine& self, const Table& table, Method<T> method, int64_t width,
                  int threads) {
    const Engine& engine = self.engine;
    std::vector<T> out(static_cast<size_t>(table.n_rows * std::max<int64_t>(width, 1)));
    run_without_gil(table.n_rows * engine.n_trees() > kLongWalks, [&](const StopFlag& stop) {
        (engine.*method)(table, out.data(), threads, stop);
    });
    std::vector<size_t> shape = {static_cast<size_t>(table.n_rows)};
    if (width > 0) shape.push_back(static_cast<size_t>(width));
    return to_numpy(std::move(out), std::move(shape));
}

enum class Width { none, classes, trees };

template <class T>
void bind_answer(nb::class_<PyEngine>& engine, const char* name, Method<T> method, Width width,
                 const char* doc) {
    const auto columns_of = [width](const PyEngine& self) {
        return width == Width::none      ? 0
               : width == Width::classes ? self.engine.n_classes()
                                         : self.engine.n_trees();
    };
    engine.def(
        name,
        [=](const PyEngine& self, const Matrix& rows, int64_t n_rows, int threads) {
            const Table table = table_of_matrix(rows, self.engine.kinds(), n_rows);
            return answer(self, table, method, columns_of(self), threads);
        },
        nb::arg("rows"), nb::arg("n_rows"), nb::arg("threads"), doc);
    engine.def(
        name,
        [=](const PyEngine& self, const std::vector<AnyColumn>& columns, int64_t n_rows,
            int threads) {
            const Table table = table_of(columns, self.engine.kinds(), n_rows);
            return answer(self, table, method, columns_of(self), threads);
        },
        nb::arg("rows"), nb::arg("n_rows"), nb::arg("threads"), doc);
}

}  // namespace

void bind_engine(nb::module_& m) {
    nb::class_<PyEngine> engine(m, "Engine", "A forest compiled for prediction.");
    engine.def(nb::init<const std::vector<int>&, int64_t>(), nb::arg("kinds"), nb::arg("n_classes"))
        .def("add", &add, nb::arg("arrays"), nb::arg("leaves"), nb::arg("inner").none(),
             "Append a tree of thresholds and subsets; False if it does not fit.")
        .def(
            "add_routed",
            [](PyEngine& self, const nb::dict& arrays, const nb::dict& nodes) {
                self.engine.add_routed(router_arrays(arrays), self.answers(nodes));
            },
            nb::arg("arrays"), nb::arg("nodes"), "Append a tree of any kind.")
        .def(
            "close", [](PyEngine& self) { self.engine.close(); }, "No more trees will come.")
        .def_prop_ro("nbytes", [](const PyEngine& self) { return self.engine.bytes(); });
    bind_answer<double>(engine, "soft", &Engine::soft, Width::classes,
                        "The mean over the trees of the class shares.");
    bind_answer<int64_t>(engine, "hard", &Engine::hard, Width::classes,
                         "How many trees vote for each class.");
    bind_answer<double>(engine, "mean", &Engine::mean, Width::none,
                        "The mean over the trees of the values of the nodes.");
    bind_answer<int32_t>(engine, "leaves", &Engine::leaves, Width::trees,
                         "The node in which each row ends, in each tree.");
}
