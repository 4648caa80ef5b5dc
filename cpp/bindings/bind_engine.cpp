#include <algorithm>
#include <deque>
#include <memory>
#include <type_traits>

#include "bindings/bindings.hpp"
#include "core/base/mean_sum.hpp"
#include "core/predict/engine.hpp"
#include "core/tree/pack_tree.hpp"

using namespace silva;

namespace {

constexpr int64_t kLongWalks = 2'000'000;  // down deep trees up to a second's work
enum class Shape { rows, rows_classes, rows_trees, trees_rows };

// What the bytes of a tree do not say, as Python computes it: the predictions of "leaves" that are
// not plain, of "inner" nodes, or of "all" nodes with the arrays of a router.
using Predictions = nb::callable;

// An engine, and what it borrows: the bytes of the trees and arrays.
struct PyEngine {
    Engine engine;
    std::deque<nb::object> owners;
    std::deque<std::vector<double>> values;

    PyEngine(const std::vector<Kind>& kinds, std::vector<int32_t> used_columns, int64_t n_classes)
        : engine(kinds, std::move(used_columns), n_classes) {}
    PyEngine(const PyEngine&) = delete;
    PyEngine& operator=(const PyEngine&) = delete;

    const double* doubles(const UnpackedArrays& tree, const char* name) {
        if (const double* whole = tree.whole(name)) return whole;
        return values.emplace_back(tree.get<double>(name)).data();
    }

    // Shares, or the values of regression.
    NodePredictions predictions(const nb::dict& of) {
        NodePredictions out;
        if (engine.n_classes() == 0) {
            owners.push_back(of["values"]);
            out.values = nb::cast<Vector<double>>(of["values"]).data();
            return out;
        }
        out.shares.start = to_vector(nb::cast<Vector<int64_t>>(of["start"]));
        out.shares.code = to_vector(nb::cast<Vector<int32_t>>(of["code"]));
        out.shares.share = to_vector(nb::cast<Vector<double>>(of["share"]));
        out.shares.majority = to_vector(nb::cast<Vector<int32_t>>(of["majority"]));
        return out;
    }
};

bool is_compact(const std::vector<int8_t>& kinds) {
    return *std::max_element(kinds.begin(), kinds.end()) <= static_cast<int8_t>(SplitKind::subset);
}

// The columns that trees of thresholds and subsets ask about, ascending.
std::vector<int32_t> used_columns(const std::vector<UnpackedArrays>& trees, size_t n_columns) {
    std::vector<char> is_used(n_columns);
    for (const UnpackedArrays& tree : trees) {
        if (!is_compact(tree.get<int8_t>("split_kind"))) continue;
        for (const char* name : {"threshold_column", "subset_column"})
            for (const int32_t column : tree.get<int32_t>(name)) is_used[column] = 1;
    }
    std::vector<int32_t> used;
    for (size_t c = 0; c < n_columns; ++c)
        if (is_used[c] != 0) used.push_back(static_cast<int32_t>(c));
    return used;
}

TreeArrays compact_arrays(const UnpackedArrays& packed) {
    TreeArrays tree;
    const auto read = [&]<class T>(const char* name, std::vector<T>& out) {
        out = packed.get<T>(name);
        if constexpr (std::is_same_v<T, int64_t>) out = starts_of(out);
    };
    read("split_kind", tree.split_kind);
    each_threshold_array(tree, read);
    each_subset_array(tree, read);
    return tree;
}

bool can_stop(const TreeArrays& tree) {
    const auto& arrays = {tree.threshold_missing, tree.threshold_unseen, tree.subset_missing,
                          tree.subset_unseen};
    return std::any_of(arrays.begin(), arrays.end(), [](const std::vector<int8_t>& ways) {
        return std::find(ways.begin(), ways.end(), kStop) != ways.end();
    });
}

// The class shares of the leaves; the lowest of equally heavy classes is the majority.
NodeShares leaf_shares(const UnpackedArrays& tree) {
    NodeShares out;
    out.start = starts_of(tree.get<int64_t>("class_start"));
    out.code = tree.get<int32_t>("class_code");
    const std::vector<int64_t> weight = tree.get<int64_t>("class_weight");
    out.share.resize(weight.size());
    for (size_t leaf = 0; leaf + 1 < out.start.size(); ++leaf) {
        const int64_t begin = out.start[leaf], end = out.start[leaf + 1];
        double total = 0.0;
        int64_t best = begin;
        for (int64_t i = begin; i < end; ++i) {
            total += static_cast<double>(weight[i]);
            const bool is_tie = weight[i] == weight[best] && out.code[i] < out.code[best];
            if (weight[i] > weight[best] || is_tie) best = i;
        }
        out.majority.push_back(out.code[best]);
        for (int64_t i = begin; i < end; ++i) out.share[i] = static_cast<double>(weight[i]) / total;
    }
    return out;
}

NodePredictions leaf_predictions(PyEngine& self, const UnpackedArrays& tree) {
    NodePredictions out;
    if (self.engine.n_classes() == 0)
        out.values = self.doubles(tree, "moment_value");
    else
        out.shares = leaf_shares(tree);
    return out;
}

void add(PyEngine& self, const UnpackedArrays& packed, int64_t number, bool is_plain,
         const Predictions& predictions) {
    const auto ask = [&](const char* nodes) {
        return nb::cast<nb::dict>(predictions(number, nodes));
    };
    if (is_compact(packed.get<int8_t>("split_kind"))) {
        const TreeArrays tree = compact_arrays(packed);
        const auto leaves =
            is_plain ? leaf_predictions(self, packed) : self.predictions(ask("leaves"));
        NodePredictions inner;
        if (can_stop(tree)) inner = self.predictions(ask("inner"));
        const double* thresholds = self.doubles(packed, "threshold_value");
        if (self.engine.add(tree, thresholds, leaves, can_stop(tree) ? &inner : nullptr)) return;
    }
    const nb::dict all = ask("all");
    self.engine.add_routed(router_arrays(all), self.predictions(all));
}

PyEngine* compile_forest(const std::vector<int>& kind_numbers, int64_t n_classes,
                         const nb::tuple& data, const std::vector<std::string>& names,
                         const std::vector<bool>& is_plain, const Predictions& predictions) {
    const std::vector<Kind> kinds = kinds_of(kind_numbers);
    std::vector<UnpackedArrays> trees;
    trees.reserve(data.size());
    for (const nb::handle tree : data) {
        trees.emplace_back(view_of(nb::cast<nb::bytes>(tree)), names);
        if (trees.back().has("linear_start")) return nullptr;
    }
    auto made = std::make_unique<PyEngine>(kinds, used_columns(trees, kinds.size()), n_classes);
    made->owners.push_back(data);
    for (size_t i = 0; i < trees.size(); ++i)
        add(*made, trees[i], static_cast<int64_t>(i), is_plain[i], predictions);
    made->engine.close();
    return made.release();
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
    m.def("compile_forest", &compile_forest, nb::arg("kinds"), nb::arg("n_classes"),
          nb::arg("trees"), nb::arg("names"), nb::arg("is_plain"), nb::arg("predictions"),
          nb::rv_policy::take_ownership,
          "The engine of packed trees; None where leaves have models.");
    m.def("means", &py_means, nb::arg("sums"), nb::arg("lost"), nb::arg("counts"),
          "The means of sums, and of what rounding took from them.");
    nb::class_<PyEngine> engine(m, "Engine", "A forest compiled for prediction.");
    engine.def_prop_ro("nbytes", [](const PyEngine& self) { return self.engine.bytes(); });
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
