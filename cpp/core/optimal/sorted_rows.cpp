#include "core/optimal/sorted_rows.hpp"

#include <algorithm>
#include <numeric>

namespace silva::optimal {
namespace {

bool holds(const RowSet& set, uint32_t row) { return set[row / 64] >> (row % 64) & 1; }

// Copies the rows of `kept` in their order; a boundary between two of them stays one. Returns
// whether there is any.
bool filter(const uint32_t* order, const uint8_t* ends, int64_t rows, const RowSet& kept,
            uint32_t* to, uint8_t* to_ends, int64_t n_kept) {
    std::fill(to_ends, to_ends + n_kept, uint8_t{0});
    int64_t n = 0;
    for (int64_t i = 0; i < rows && n < n_kept; ++i) {
        to[n] = order[i];
        n += holds(kept, order[i]);
        if (n > 0) to_ends[n - 1] |= ends[i];
    }
    to_ends[n_kept - 1] = 0;
    return std::find(to_ends, to_ends + n_kept, uint8_t{1}) != to_ends + n_kept;
}

RowFacts row_facts(const Problem& problem) {
    return {problem.label.data(), problem.weight.data(), problem.count.data(), problem.classes,
            problem.costs.data()};
}

}  // namespace

SortedRows::SortedRows(const Problem& problem, const SortedTable& table, const Bounds& bounds)
    : problem_(&problem),
      table_(&table),
      engine_(row_facts(problem), problem.rows(), bounds.interval) {}

void SortedRows::root(Node& node) {
    const int64_t n = problem_->rows();
    node.columns = problem_->columns;
    node.order.resize(node.columns * n), node.ends.assign(node.columns * n, 0);
    for (int32_t c = 0; c < node.columns; ++c) sort(node, c);
    node.name.resize(node.columns);
    std::iota(node.name.begin(), node.name.end(), 0);
    set_all_rows(*problem_, node.facts.set);
    measure_set(*problem_, node.facts);
    fill(node);
}

// Counts the rows of each rank, then puts every row in its place.
void SortedRows::sort(Node& node, int32_t column) const {
    const int64_t n = problem_->rows();
    const int32_t* ranks = problem_->ranks.data() + column * n;
    uint32_t* order = node.order.data() + column * n;
    uint8_t* ends = node.ends.data() + column * n;
    std::vector<uint32_t> next(problem_->levels[column] + 1, 0);
    for (int64_t row = 0; row < n; ++row) ++next[ranks[row] + 1];
    for (int32_t rank = 0; rank < problem_->levels[column]; ++rank) {
        next[rank + 1] += next[rank];
        if (next[rank + 1] > 0 && next[rank + 1] < n) ends[next[rank + 1] - 1] = 1;
    }
    for (int64_t row = 0; row < n; ++row) order[next[ranks[row]]++] = static_cast<uint32_t>(row);
}

int64_t SortedRows::bytes(const Node& node) {
    const size_t sums = node.reached.size() + node.counted.size();
    return static_cast<int64_t>(node.order.size() * 5 + sums * 8 + node.facts.set.size() * 8);
}

void SortedRows::start_child(const Node& node, int32_t column, int64_t place, bool right,
                             Node& out) {
    const uint32_t* order = node.order.data() + column * node.facts.rows;
    out.facts.set.assign(node.facts.set.size(), 0);
    const int64_t first = right ? place : 0, last = right ? node.facts.rows : place;
    for (int64_t i = first; i < last; ++i)
        out.facts.set[order[i] / 64] |= uint64_t{1} << (order[i] % 64);
    measure_set(*problem_, out.facts);
    work_ += last - first;
}

void SortedRows::finish_child(const Node& node, int32_t, int64_t, bool, Node& out) {
    const int64_t rows = node.facts.rows, kept = out.facts.rows;
    out.order.resize(node.columns * kept), out.ends.resize(node.columns * kept);
    out.name.clear();
    for (int32_t c = 0; c < node.columns; ++c) {
        const auto place = static_cast<int64_t>(out.name.size()) * kept;
        if (filter(node.order.data() + c * rows, node.ends.data() + c * rows, rows, out.facts.set,
                   out.order.data() + place, out.ends.data() + place, kept))
            out.name.push_back(node.name[c]);
    }
    out.columns = static_cast<int32_t>(out.name.size());
    work_ += node.columns * rows;
    fill(out);
}

// Everything that follows from the set of rows and their order.
void SortedRows::fill(Node& node) {
    NodeFacts& facts = node.facts;
    facts.by_class.assign(problem_->classes, 0);
    facts.floor = 0;
    for (size_t w = 0; w < facts.set.size(); ++w)
        for (uint64_t bits = facts.set[w]; bits != 0; bits &= bits - 1) {
            const size_t row = w * 64 + std::countr_zero(bits);
            facts.by_class[problem_->label[row]] += problem_->weight[row];
            facts.floor += problem_->floor[row];
        }
    facts.leaf = problem_->leaf_cost(facts.by_class.data());
    if (!problem_->is_unit) sum_along(node, problem_->reach, node.reached);
    if (table_->counts_rows) sum_along(node, problem_->count, node.counted);
}

void SortedRows::sum_along(const Node& node, const std::vector<int64_t>& of_row,
                           std::vector<int64_t>& sums) const {
    const int64_t rows = node.facts.rows;
    sums.resize(node.columns * (rows + 1));
    for (int32_t c = 0; c < node.columns; ++c) {
        int64_t* to = sums.data() + c * (rows + 1);
        to[0] = 0;
        for (int64_t i = 0; i < rows; ++i) to[i + 1] = to[i] + of_row[node.order[c * rows + i]];
    }
}

int64_t SortedRows::distance(const Node& node, int32_t column, int64_t low, int64_t high) const {
    if (problem_->is_unit) return high - low;
    const int64_t* sums = node.reached.data() + column * (node.facts.rows + 1);
    return sums[high] - sums[low];
}

int64_t SortedRows::counted_before(const Node& node, int32_t column, int64_t place) const {
    if (!table_->counts_rows) return place;
    return node.counted[column * (node.facts.rows + 1) + place];
}

int64_t SortedRows::split_place(const Node& node, int32_t column, int64_t low, int64_t high,
                                int64_t from_low, int64_t from_high, int64_t min_rows) const {
    const int64_t rows = node.facts.rows, all = counted_before(node, column, rows);
    // The first place of [low + 1, high) where a condition that stays true becomes true.
    const auto first_place = [&](const auto& is_true) {
        int64_t a = low + 1, b = high;
        while (a < b) {
            const int64_t middle = a + (b - a) / 2;
            is_true(middle) ? b = middle : a = middle + 1;
        }
        return a;
    };
    const int64_t first = first_place([&](int64_t place) {
        return distance(node, column, low, place) > from_low &&
               counted_before(node, column, place) >= min_rows;
    });
    const int64_t last = first_place([&](int64_t place) {
        return distance(node, column, place, high) <= from_high ||
               all - counted_before(node, column, place) < min_rows;
    });
    const uint8_t* ends = node.ends.data() + column * rows;
    const int64_t middle = first + (last - first) / 2;
    for (int64_t step = 0; first < last && step <= last - first; ++step) {
        if (middle + step < last && ends[middle + step - 1]) return middle + step;
        if (middle - step >= first && ends[middle - step - 1]) return middle - step;
    }
    return -1;
}

RootTest SortedRows::shallow(Node& node, const ShallowQuestion& question) {
    const int64_t leaf = question.unit * node.facts.leaf;
    if (question.max_depth < 1 || question.max_splits < 1 || node.columns == 0)
        return {leaf, -1, 0};
    const SortedView view{node.facts.rows, node.columns, node.order.data(), node.ends.data(),
                          node.facts.rows};
    const TwoLevels found = engine_.solve(
        view, {question.unit, question.penalty, question.max_splits, question.min_rows,
               question.upper, static_cast<int>(question.max_depth)});
    if (found.column < 0 || found.value >= leaf) return {leaf, -1, 0};
    return {found.value, found.column, found.place};
}

std::pair<int32_t, int32_t> SortedRows::test(const Node& node, int32_t column,
                                             int64_t place) const {
    const uint32_t row = node.order[column * node.facts.rows + place];
    return {node.name[column], problem_->rank(node.name[column], row)};
}

}  // namespace silva::optimal
