#include "core/optimal/search.hpp"

#include <algorithm>

#include "core/optimal/bit_rows.hpp"
#include "core/optimal/root_search.hpp"
#include "core/optimal/sorted_rows.hpp"

namespace silva::optimal {
namespace {

// Depth and number of splits; -1 where arrays are no tree.
int64_t depth_of(const FoundTree& tree, int32_t node, int64_t& splits) {
    std::vector<std::pair<int32_t, int64_t>> open{{node, 0}};
    int64_t depth = 0;
    const auto size = static_cast<int32_t>(tree.column.size());
    for (splits = 0; !open.empty();) {
        const auto [at, level] = open.back();
        open.pop_back();
        if (at < 0 || at >= size || splits > size) return -1;
        depth = std::max(depth, level);
        if (tree.column[at] < 0) continue;
        ++splits;
        open.emplace_back(tree.left[at], level + 1);
        open.emplace_back(tree.right[at], level + 1);
    }
    return depth;
}

// Rows on the smaller side of a column of two ranks.
int64_t smaller_side(const Problem& problem, int32_t column) {
    const int32_t* ranks = problem.ranks.data() + column * problem.rows();
    const int64_t ones = std::count(ranks, ranks + problem.rows(), 1);
    return std::min(ones, problem.rows() - ones);
}

// What the sorted engine does for a node, measured in words of pairs of tests: a few passes for
// each column, but one for many of two ranks, of which a pass visits the smaller side.
double sorted_work(const Problem& problem) {
    constexpr double kPasses = 4.0, kFlagsOfPass = 16.0, kPrepareFlag = 8.0;
    const auto rows = static_cast<double>(problem.rows());
    double flags = 0, others = 0, visits = 0;
    for (int32_t column = 0; column < problem.columns; ++column) {
        const bool is_flag = problem.levels[column] == 2;
        (is_flag ? flags : others) += 1;
        visits += is_flag ? static_cast<double>(smaller_side(problem, column)) : rows;
    }
    return kPasses * (others + flags / kFlagsOfPass) * visits + kPrepareFlag * flags * rows;
}

}  // namespace

int64_t Search::value_of(const FoundTree& tree) const {
    int64_t splits = 0;
    const int64_t depth = tree.empty() ? -1 : depth_of(tree, 0, splits);
    if (depth < 0 || depth > question_.max_depth || splits > question_.max_splits) return -1;
    const auto classes = static_cast<size_t>(problem_.classes);
    std::vector<int64_t> weights(tree.column.size() * classes), counts(tree.column.size());
    for (int64_t row = 0; row < problem_.rows(); ++row) {
        int32_t at = 0;
        while (tree.column[at] >= 0)
            at = problem_.rank(tree.column[at], row) < tree.position[at] ? tree.left[at]
                                                                         : tree.right[at];
        weights[at * classes + problem_.label[row]] += problem_.weight[row];
        counts[at] += problem_.count[row];
    }
    int64_t cost = 0;
    for (size_t at = 0; at < tree.column.size(); ++at) {
        if (tree.column[at] >= 0) continue;
        if (splits > 0 && counts[at] < question_.min_rows) return -1;
        cost += problem_.leaf_cost(weights.data() + at * classes);
    }
    return question_.unit * cost + question_.penalty * splits;
}

void Search::take(const FoundTree& tree, int64_t value) {
    if (value < 0 || value >= upper_) return;
    tree_ = tree;
    upper_ = value;
}

int64_t Search::offer(const FoundTree& tree) {
    const int64_t value = value_of(tree);
    take(tree, value);
    return value;
}

Layout best_layout(const Problem& problem) {
    double tests = 0;
    for (const int32_t levels : problem.levels) tests += levels - 1;
    if (tests == problem.columns) return Layout::kBits;  // all have two ranks
    const double words = static_cast<double>(problem.rows() / 64 + problem.classes);
    return tests * tests * words <= sorted_work(problem) ? Layout::kBits : Layout::kSorted;
}

std::unique_ptr<Search> Search::make(Problem problem, Layout layout, const Bounds& bounds,
                                     int64_t max_bytes, int threads) {
    if (layout == Layout::kSorted)
        return std::make_unique<RootSearch<SortedRows>>(std::move(problem), bounds, max_bytes,
                                                        threads);
    if (std::max(problem.total_weight, problem.total_reach) < simd::kForbidden<int32_t>)
        return std::make_unique<RootSearch<BitRows<int32_t>>>(std::move(problem), bounds, max_bytes,
                                                              threads);
    return std::make_unique<RootSearch<BitRows<int64_t>>>(std::move(problem), bounds, max_bytes,
                                                          threads);
}

}  // namespace silva::optimal
