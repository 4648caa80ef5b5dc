#include <cstring>
#include <limits>

#include "bindings/growing.hpp"
#include "core/columns/column_facts.hpp"
#include "core/leaf/leaf_statistics.hpp"
#include "core/leaf/squared_costs.hpp"
#include "core/leaf/weakest_links.hpp"

using namespace silva;

namespace {

constexpr int64_t kLong = 50'000;  // rows from which Ctrl-C is looked for
constexpr int64_t kLongCells = 20'000'000;

nb::dict py_leaf_statistics(const Vector<int64_t>& leaf, int64_t n_leaves, nb::object target_array,
                            std::optional<Vector<double>> weights, int64_t n_classes, bool centred,
                            int threads) {
    const TrainingArrays arrays(TableColumns(), target_array, weights, n_classes);
    const int64_t n_rows = arrays.n_rows();
    if (static_cast<int64_t>(leaf.shape(0)) != n_rows)
        throw nb::value_error("leaves, target and weights differ in length");
    for (int64_t row = 0; row < n_rows; ++row)
        if (leaf.data()[row] >= n_leaves) throw nb::value_error("no such leaf");
    Target target;
    TreeArrays found;
    run_without_gil(n_rows > kLong, [&](const StopFlag& stop) {
        Team team(threads);
        target = arrays.target(centred, team);
        found = leaf_statistics(target, leaf.data(), n_leaves, team, stop);
    });
    nb::dict out;
    put_leaf_statistics(
        out, {std::move(found), target.weight_unit, target.center, target.target_unit}, n_classes);
    return out;
}

nb::object py_split_gains(const Vector<int64_t>& child_start, const nb::dict& arrays,
                          const std::string& criterion, int64_t n_classes) {
    TreeArrays tree;
    tree.child_start = to_vector(child_start);
    const auto read = array_reader(arrays);
    read("leaf_rows", tree.leaf_rows);
    double target_unit = 1.0;
    if (n_classes > 0) {
        read("class_start", tree.class_start);
        read("class_code", tree.class_code);
        read("class_weight", tree.class_weight);
    } else {
        read("moment_weight", tree.moment_weight);
        const auto sums =
            nb::cast<nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(
                arrays["moment_sum"]);
        tree.moment_sum.assign(sums.data(), sums.data() + sums.size());
        target_unit = nb::cast<double>(arrays["target_unit"]);
    }
    return to_numpy(split_gains(tree, criterion_of(criterion), n_classes, target_unit));
}

std::span<const int64_t> span_of(const Vector<int64_t>& array) {
    return {array.data(), array.shape(0)};
}

void check_tree_and_rows(const PredictingTree& tree, const EndedRows& rows) {
    const auto n = static_cast<int64_t>(tree.prediction.size());
    if (tree.subtree_end.size() != tree.prediction.size())
        throw nb::value_error("one prediction a node is needed");
    for (int64_t node = 0; node < n; ++node)
        if (tree.subtree_end[node] <= node || tree.subtree_end[node] > n)
            throw nb::value_error("a subtree ends behind its node, at the last node or before");
    if (rows.value.size() != rows.end.size() ||
        (!rows.weight.empty() && rows.weight.size() != rows.end.size()))
        throw nb::value_error("nodes, values and weights differ in length");
    for (const int64_t end : rows.end)
        if (end < 0 || end >= n) throw nb::value_error("no such node");
}

nb::dict py_squared_costs(const Vector<int64_t>& subtree_end, const Vector<int64_t>& answers,
                          const Vector<int64_t>& ends, const Vector<int64_t>& values,
                          std::optional<Vector<int64_t>> weights) {
    const PredictingTree tree{span_of(subtree_end), span_of(answers)};
    const EndedRows rows{span_of(ends), span_of(values),
                         weights ? span_of(*weights) : std::span<const int64_t>()};
    check_tree_and_rows(tree, rows);
    SquaredCosts found;
    run_without_gil(false, [&](const StopFlag&) { found = squared_costs(tree, rows); });
    const size_t n = found.weight.size();
    nb::dict out;
    out["weight"] = to_numpy(std::move(found.weight));
    out["leaf"] = to_numpy(std::move(found.leaf), {n, 2});
    out["ending"] = to_numpy(std::move(found.ending), {n, 2});
    out["subtree"] = to_numpy(std::move(found.subtree), {n, 2});
    return out;
}

void check_saving_tree(const SavingTree& tree) {
    const auto n = static_cast<int64_t>(tree.saving.size());
    const auto n_children = static_cast<int64_t>(tree.child.size());
    if (static_cast<int64_t>(tree.child_start.size()) != n + 1 || tree.child_start[0] != 0 ||
        tree.child_start[n] != n_children)
        throw nb::value_error("child_start, child and savings do not fit together");
    for (int64_t node = 0; node < n; ++node) {
        const int64_t begin = tree.child_start[node], end = tree.child_start[node + 1];
        if (end < begin || end == begin + 1 || end > n_children)
            throw nb::value_error("a node has no children, or at least two");
        for (int64_t i = begin; i < end; ++i)
            if (tree.child[i] <= node || tree.child[i] >= n)
                throw nb::value_error("a child comes after its parent, in pre-order");
    }
}

nb::dict py_weakest_links(const Vector<int64_t>& child_start, const Vector<int64_t>& child,
                          const Vector<double>& savings) {
    const SavingTree tree{span_of(child_start), span_of(child), {savings.data(), savings.shape(0)}};
    check_saving_tree(tree);
    std::vector<PathCut> cuts;
    run_without_gil(false, [&](const StopFlag&) { cuts = weakest_links(tree); });
    std::vector<double> alpha, rise;
    std::vector<int64_t> node, leaves;
    for (const PathCut& cut : cuts) {
        alpha.push_back(cut.alpha);
        node.push_back(cut.node);
        rise.push_back(cut.rise);
        leaves.push_back(cut.leaves);
    }
    nb::dict out;
    out["alpha"] = to_numpy(std::move(alpha));
    out["node"] = to_numpy(std::move(node));
    out["rise"] = to_numpy(std::move(rise));
    out["leaves"] = to_numpy(std::move(leaves));
    return out;
}

// One string of bytes and not five arrays: those take longer than the facts of a small table.
nb::bytes py_column_facts(const TableColumns& columns, const std::vector<int>& kinds,
                          int64_t n_rows, int threads) {
    const Table table = table_of(columns, kinds_of(kinds), n_rows);
    const size_t width = columns.size();
    std::vector<ColumnFacts> found;
    run_without_gil(n_rows * static_cast<int64_t>(width) > kLongCells,
                    [&](const StopFlag& stop) { found = column_facts(table, threads, stop); });
    std::vector<double> packed(5 * width);
    for (size_t c = 0; c < width; ++c) {
        packed[c] = found[c].low;
        packed[width + c] = found[c].high;
        packed[2 * width + c] = found[c].mean;
        packed[3 * width + c] = found[c].deviation;
        std::memcpy(&packed[4 * width + c], &found[c].missing, sizeof(int64_t));
    }
    return nb::bytes(packed.data(), packed.size() * sizeof(double));
}

}  // namespace

void bind_statistics(nb::module_& m) {
    m.def("column_facts", &py_column_facts, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_rows"),
          nb::arg("threads"), "Range, mean, deviation and missing values of each column.");
    m.def("leaf_statistics", &py_leaf_statistics, nb::arg("leaf"), nb::arg("n_leaves"),
          nb::arg("target"), nb::arg("weights").none(), nb::arg("n_classes"), nb::arg("centred"),
          nb::arg("threads"), "The statistics of leaves, as growth computes them from its rows.");
    m.def("split_gains", &py_split_gains, nb::arg("child_start"), nb::arg("arrays"),
          nb::arg("criterion"), nb::arg("n_classes"),
          "The gain of each node's split, from the statistics of the leaves.");
    m.def("squared_costs", &py_squared_costs, nb::arg("subtree_end"), nb::arg("answers"),
          nb::arg("ends"), nb::arg("values"), nb::arg("weights").none(),
          "The squared errors of every node's prediction to rows that were routed, exact.");
    m.def("weakest_links", &py_weakest_links, nb::arg("child_start"), nb::arg("child"),
          nb::arg("savings"), "The order of the cuts of minimal cost-complexity pruning.");
}
