#include "bindings/bindings.hpp"
#include "core/base/mean_sum.hpp"
#include "core/predict/engine.hpp"

using namespace silva;

namespace {

constexpr int64_t kLongWalks = 2'000'000;  // down deep trees up to a second's work
enum class Shape { rows, rows_classes, rows_trees, trees_rows };

// An engine and the arrays that it borrows.
struct PyEngine {
    Engine engine;
    std::vector<nb::object> borrowed;

    PyEngine(const std::vector<int>& kinds, const Vector<int32_t>& used_columns, int64_t n_classes)
        : engine(kinds_of(kinds), to_vector(used_columns), n_classes) {}
    PyEngine(const PyEngine&) = delete;
    PyEngine& operator=(const PyEngine&) = delete;

    const double* borrow(const nb::handle& array) {
        borrowed.push_back(nb::borrow(array));
        return nb::cast<Vector<double>>(array).data();
    }

    // Shares, or the values of regression.
    NodePredictions predictions(const nb::dict& of) {
        NodePredictions out;
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

bool add(PyEngine& self, const nb::dict& arrays, const nb::dict& leaves,
         const std::optional<nb::dict>& inner) {
    TreeArrays tree;
    const auto read = array_reader(arrays);
    read("split_kind", tree.split_kind);
    each_threshold_array(tree, read);
    each_subset_array(tree, read);
    const double* thresholds = self.borrow(arrays["threshold_value"]);
    const NodePredictions leaf_predictions = self.predictions(leaves);
    if (!inner) return self.engine.add(tree, thresholds, leaf_predictions, nullptr);
    const NodePredictions inner_predictions = self.predictions(*inner);
    return self.engine.add(tree, thresholds, leaf_predictions, &inner_predictions);
}

Table table_of_matrix(const AnyMatrix& rows, const std::vector<Kind>& kinds, int64_t n_rows) {
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

std::vector<size_t> shape_of(const Engine& engine, int64_t n_rows, Shape shape) {
    const auto rows = static_cast<size_t>(n_rows);
    const auto trees = static_cast<size_t>(engine.n_trees());
    switch (shape) {
        case Shape::rows: return {rows};
        case Shape::rows_classes: return {rows, static_cast<size_t>(engine.n_classes())};
        case Shape::rows_trees: return {rows, trees};
        case Shape::trees_rows: return {trees, rows};
    }
    throw std::logic_error("no such shape");
}

// What `ask(engine, table, out, stop)` writes for a table.
template <class T, class Ask>
nb::object predictions(const PyEngine& self, const Table& table, Shape shape, const Ask& ask) {
    const Engine& engine = self.engine;
    std::vector<size_t> sizes = shape_of(engine, table.n_rows, shape);
    size_t total = 1;
    for (const size_t size : sizes) total *= size;
    std::vector<T> out(total);
    run_without_gil(table.n_rows * engine.n_trees() > kLongWalks,
                    [&](const StopFlag& stop) { ask(engine, table, out.data(), stop); });
    return to_numpy(std::move(out), std::move(sizes));
}

// A matrix, or a list of columns.
Table table_of_rows(const PyEngine& self, const nb::object& rows, int64_t n_rows) {
    const std::vector<Kind>& kinds = self.engine.kinds();
    AnyMatrix matrix;
    if (nb::try_cast(rows, matrix, false)) return table_of_matrix(matrix, kinds, n_rows);
    return table_of(TableColumns(rows), kinds, n_rows);
}

template <class T>
using Method = void (Engine::*)(const Table&, T*, int, const StopFlag&) const;

template <class T>
void bind_prediction(nb::class_<PyEngine>& engine, const char* name, Method<T> method, Shape shape,
                     const char* doc) {
    engine.def(
        name,
        [=](const PyEngine& self, const nb::object& rows, int64_t n_rows, int threads) {
            const auto ask = [&](const Engine& of, const Table& table, T* out,
                                 const StopFlag& stop) { (of.*method)(table, out, threads, stop); };
            return predictions<T>(self, table_of_rows(self, rows, n_rows), shape, ask);
        },
        nb::arg("rows"), nb::arg("n_rows"), nb::arg("threads"), doc);
}

nb::object weighted(const PyEngine& self, const nb::object& rows, int64_t n_rows,
                    const Vector<double>& weights, int threads) {
    if (static_cast<int64_t>(weights.size()) != self.engine.n_trees())
        throw nb::value_error("one weight for each tree");
    const auto ask = [&](const Engine& of, const Table& table, double* out, const StopFlag& stop) {
        of.weighted(table, weights.data(), out, threads, stop);
    };
    const Table table = table_of_rows(self, rows, n_rows);
    return predictions<double>(self, table, Shape::rows_classes, ask);
}

nb::object py_means(const Vector<double>& sums, const Vector<double>& lost,
                    const Vector<double>& counts) {
    const size_t n = sums.size();
    if (lost.size() != n || counts.size() != n)
        throw nb::value_error("sums, lost and counts must be of one length");
    std::vector<double> out(n);
    for (size_t i = 0; i < n; ++i)
        out[i] = mean_of_sum(sums.data()[i], lost.data()[i], counts.data()[i]);
    return to_numpy(std::move(out));
}

}  // namespace

void bind_engine(nb::module_& m) {
    m.def("means", &py_means, nb::arg("sums"), nb::arg("lost"), nb::arg("counts"),
          "The means of sums, and of what rounding took from them.");
    nb::class_<PyEngine> engine(m, "Engine", "A forest compiled for prediction.");
    engine
        .def(nb::init<const std::vector<int>&, const Vector<int32_t>&, int64_t>(), nb::arg("kinds"),
             nb::arg("used_columns"), nb::arg("n_classes"))
        .def("add", &add, nb::arg("arrays"), nb::arg("leaves"), nb::arg("inner").none(),
             "Append a tree of thresholds and subsets; False if it does not fit.")
        .def(
            "add_routed",
            [](PyEngine& self, const nb::dict& arrays, const nb::dict& nodes) {
                self.engine.add_routed(router_arrays(arrays), self.predictions(nodes));
            },
            nb::arg("arrays"), nb::arg("nodes"), "Append a tree of any kind.")
        .def(
            "close", [](PyEngine& self) { self.engine.close(); }, "No more trees will come.")
        .def_prop_ro("nbytes", [](const PyEngine& self) { return self.engine.bytes(); });
    bind_prediction<double>(engine, "soft", &Engine::soft, Shape::rows_classes,
                            "The mean over the trees of the class shares.");
    bind_prediction<int64_t>(engine, "hard", &Engine::hard, Shape::rows_classes,
                             "How many trees vote for each class.");
    engine.def("weighted", &weighted, nb::arg("rows"), nb::arg("n_rows"), nb::arg("weights"),
               nb::arg("threads"),
               "The sums of the weights of the trees that vote for each class.");
    bind_prediction<int32_t>(engine, "choices", &Engine::choices, Shape::trees_rows,
                             "The class that each tree votes for, for each row.");
    bind_prediction<double>(engine, "mean", &Engine::mean, Shape::rows,
                            "The mean over the trees of the values of the nodes.");
    bind_prediction<int32_t>(engine, "leaves", &Engine::leaves, Shape::rows_trees,
                             "The node in which each row ends, in each tree.");
}
