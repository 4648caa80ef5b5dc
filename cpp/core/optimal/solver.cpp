#include "core/optimal/solver.hpp"

#include <functional>

#include "core/optimal/bit_rows.hpp"
#include "core/optimal/sorted_rows.hpp"

namespace silva::optimal {
namespace {

uint64_t packed(Limits limits) {
    return static_cast<uint64_t>(limits.depth) << 32 ^ static_cast<uint64_t>(limits.splits);
}

}  // namespace

template <class Rows>
void Solver<Rows>::begin(const Question& question, const Task& task) {
    question_ = question;
    task_ = task;
    start_ = rows_.work();
    next_check_ = 0;
    was_stopped_ = false;
    rows_.set_late(task.is_late);
    archive_.clear();
    next_remembered_ = 0;
}

// A tree whose leaves all have rows needs no more than these.
template <class Rows>
Limits Solver<Rows>::useful(const NodeFacts& facts, Limits limits) const {
    const int64_t splits = std::min({limits.splits, facts.rows - 1, most_splits(limits.depth)});
    return {std::min(limits.depth, splits), splits};
}

template <class Rows>
int64_t Solver<Rows>::floor_of(const Node& node, Limits limits) const {
    int64_t floor = bounds_.equivalent_rows ? node.facts.floor : 0;
    const int64_t leaves = limits.splits + 1;
    if (bounds_.class_count && leaves < problem_->classes) {
        std::vector<int64_t> missed(node.facts.by_class);
        for (int32_t k = 0; k < problem_->classes; ++k) missed[k] *= problem_->least_error[k];
        std::sort(missed.begin(), missed.end());
        int64_t sum = 0;
        for (int64_t k = 0; k < problem_->classes - leaves; ++k) sum += missed[k];
        floor = std::max(floor, sum);
    }
    return question_.unit * floor;
}

template <class Rows>
RootTest Solver<Rows>::shallow(Node& node, Limits limits, int64_t upper) {
    const RootTest found = rows_.shallow(
        node, {question_.unit, question_.penalty, question_.min_rows,
               std::min<int64_t>(limits.depth, 2), std::min<int64_t>(limits.splits, 3), upper});
    was_stopped_ |= rows_.was_late();
    return found;
}

template <class Rows>
Known Solver<Rows>::solve(Node& node, Limits limits, int64_t upper, int level) {
    limits = useful(node.facts, limits);
    const int64_t leaf = leaf_value(node);
    if (limits.splits <= 0) return {leaf, true};
    int64_t lower = floor_of(node, limits);
    const int64_t split = lower + (bounds_.leaf_count ? question_.penalty : 0);
    if (leaf <= split) return {leaf, true};
    if (split >= upper) return {split, false};
    if (const auto* entry = look_up(node.facts.key.with(packed(limits)))) {
        if (entry->is_exact || entry->lower >= upper) return {entry->lower, entry->is_exact};
        lower = std::max(lower, entry->lower);
    }
    lower = std::max(lower, similar_bound(node, limits));
    if (leaf <= lower) return {leaf, true};
    was_stopped_ |= level >= kMostLevels;
    if (lower >= upper || must_stop()) return {lower, false};
    const int64_t before = rows_.work();
    const Known known = search(node, limits, lower, upper, level);
    remember(node, limits, known, rows_.work() - before);
    return known;
}

// `lower` is a lower bound of what is looked for. Trees of `lower` end the search.
template <class Rows>
Known Solver<Rows>::search(Node& node, Limits limits, int64_t lower, int64_t upper, int level,
                           Choice* choice) {
    int64_t best = leaf_value(node);
    const auto cap = [&] { return std::min(best, upper); };
    const auto result = [&]() -> Known {
        return best < upper ? Known{best, true} : Known{std::max(lower, upper), false};
    };
    if (limits.depth <= 2 || bounds_.look_ahead) {
        const RootTest two = shallow(node, limits, cap());
        if (was_stopped_) return {lower, false};
        best = std::min(best, two.value);
        const int64_t three = bounds_.leaf_count ? 3 * question_.penalty : 0;
        const bool closes = limits.depth <= 2 || floor_of(node, limits) + three >= cap();
        if (closes || best <= lower) return result();
    }
    while (static_cast<int>(branches_.size()) <= level) branches_.emplace_back();
    Branches& branches = branches_[level];
    branches.clear();
    branch_out(node, limits, lower, branches);
    while (!branches.empty() && branches.top().lower < cap() && best > lower) {
        const Branch branch = branches.pop();
        const Evaluation found = evaluate(node, branch, limits, cap(), level);
        if (was_stopped_) {
            const int64_t open = branches.empty() ? kInfinite : branches.top().lower;
            return {std::max(lower, std::min({cap(), open, branch.lower})), false};
        }
        if (found.place < 0) continue;
        const int64_t value = question_.penalty + found.left.lower + found.right.lower;
        if (found.is_exact() && value < best) {
            best = value;
            if (choice != nullptr)
                *choice = {branch.column,       found.place,      branch.left_splits,
                           branch.right_splits, found.left.lower, found.right.lower};
        }
        push_halves(node, branch, found, branches);
    }
    return result();
}

// One branch for each column and each way to share the splits among the children.
template <class Rows>
void Solver<Rows>::branch_out(const Node& node, Limits limits, int64_t lower,
                              Branches& branches) const {
    const int64_t most = most_splits(limits.depth - 1), rest = limits.splits - 1;
    const bool shares_none = limits.is_free(node.facts.rows);
    for (int32_t column = 0; column < rows_.columns(node); ++column) {
        Branch branch;
        branch.column = column;
        branch.high = rows_.places(node, column);
        if (shares_none) {
            branch.left_splits = branch.right_splits = limits.splits;
            branches.push(bounded(node, branch, lower));
            continue;
        }
        for (int64_t left = std::max<int64_t>(0, rest - most); left <= std::min(rest, most);
             ++left) {
            branch.left_splits = left, branch.right_splits = rest - left;
            branches.push(bounded(node, branch, lower));
        }
    }
}

// With what is known of the children before any of them is solved.
template <class Rows>
Branch Solver<Rows>::bounded(const Node& node, Branch branch, int64_t lower) const {
    const int64_t penalty = question_.penalty, unit = question_.unit;
    if constexpr (Rows::kHasChildCosts) {
        const ChildCosts costs = rows_.child_costs(node, branch.column);
        const auto at_least = [&](int64_t leaf, int64_t stump, int64_t floor, int64_t splits) {
            int64_t least = bounds_.equivalent_rows ? unit * floor : 0;
            if (splits == 0) return unit * leaf;
            if (!bounds_.look_ahead) return least;
            const int64_t shallow = std::min(unit * leaf, unit * stump + penalty);
            if (splits == 1) return shallow;
            const int64_t two = bounds_.leaf_count ? 2 * penalty : 0;
            return std::max(least, std::min(shallow, least + two));
        };
        branch.left_low =
            at_least(costs.left_leaf, costs.left_stump, costs.left_floor, branch.left_splits);
        branch.right_high =
            at_least(costs.right_leaf, costs.right_stump, costs.right_floor, branch.right_splits);
        if (bounds_.look_ahead)
            branch.guess = std::min(costs.left_leaf, costs.left_stump) +
                           std::min(costs.right_leaf, costs.right_stump);
    } else if (bounds_.interval) {
        const auto whole = [&](int64_t splits) { return splits == 0 ? leaf_value(node) : lower; };
        branch.left_high = whole(branch.left_splits);
        branch.right_low = whole(branch.right_splits);
        branch.guess = branch.low - branch.high;
    }
    const int64_t distance = scaled_distance(node, branch.column, branch.low, branch.high);
    branch.lower = std::max(lower, penalty + interval_bound(branch, distance));
    return branch;
}

template <class Rows>
int64_t Solver<Rows>::scaled_distance(const Node& node, int32_t column, int64_t low,
                                      int64_t high) const {
    if constexpr (Rows::kHasChildCosts) return kInfinite;
    return bounds_.interval ? question_.unit * rows_.distance(node, column, low, high) : kInfinite;
}

// Solves both children at the place of the branch that tells most.
template <class Rows>
Evaluation Solver<Rows>::evaluate(const Node& node, const Branch& branch, Limits limits,
                                  int64_t cap, int level) {
    const int64_t room = cap - question_.penalty;
    const auto beyond = [&](int64_t ends) {
        return bounds_.interval && ends >= room ? (ends - room) / question_.unit : -1;
    };
    Evaluation found;
    found.place = rows_.split_place(
        node, branch.column, branch.low, branch.high, beyond(branch.left_low + branch.right_low),
        beyond(branch.left_high + branch.right_high), question_.min_rows);
    if (found.place < 0) return found;
    const int32_t c = branch.column;
    found.left.lower = branch.left_at(scaled_distance(node, c, found.place, branch.high));
    found.right.lower = branch.right_at(scaled_distance(node, c, branch.low, found.place));
    int64_t slack = 0;
    if (!Rows::kHasChildCosts && bounds_.slack && bounds_.interval)
        slack = scaled_distance(node, c, branch.low, branch.high) / 2;
    const bool right_first = rows_.is_right_larger(node, c, found.place);
    if (peeks(limits)) {
        for (const bool right : {right_first, !right_first})
            peek(node, branch, right, limits, level, found);
        if (was_stopped_ || found.left.lower + found.right.lower >= room) return found;
    }
    for (const bool right : {right_first, !right_first}) {
        Known& side = right ? found.right : found.left;
        const int64_t other = right ? found.left.lower : found.right.lower;
        const int64_t upper = room - other + slack;
        if (side.is_exact || side.lower >= upper) continue;
        const Known known = child_value(node, branch, found.place, right,
                                        child_limits(branch, limits, right), upper, level);
        side = {std::max(side.lower, known.lower), known.is_exact};
        if (was_stopped_) return found;
    }
    return found;
}

// Whether trees of two levels tell enough about children that may be deeper.
template <class Rows>
bool Solver<Rows>::peeks(Limits limits) const {
    return question_.penalty > 0 && bounds_.look_ahead && bounds_.leaf_count && limits.depth > 3;
}

template <class Rows>
Limits Solver<Rows>::child_limits(const Branch& branch, Limits limits, bool right) const {
    return {limits.depth - 1, right ? branch.right_splits : branch.left_splits};
}

// Raises the lower bound of one side: its trees have two levels, or three splits at least.
template <class Rows>
void Solver<Rows>::peek(const Node& node, const Branch& branch, bool right, Limits limits,
                        int level, Evaluation& found) {
    Known& side = right ? found.right : found.left;
    Node& out = node_at(level, right);
    rows_.start_child(node, branch.column, found.place, right, out);
    const Limits needed = useful(out.facts, child_limits(branch, limits, right));
    if (const auto* entry = look_up(out.facts.key.with(packed(needed)))) {
        side = {std::max(side.lower, entry->lower), entry->is_exact};
        return;
    }
    const int64_t before = rows_.work();
    rows_.finish_child(node, branch.column, found.place, right, out);
    const int64_t leaf = leaf_value(out), floor = floor_of(out, needed);
    const int64_t three = needed.depth <= 2 ? kInfinite : floor + 3 * question_.penalty;
    const int64_t value = std::min(leaf, shallow(out, needed, std::min(leaf, three)).value);
    if (was_stopped_) return;
    const bool is_exact = value <= three;
    const int64_t lower = std::min(value, three);
    side = {std::max(side.lower, lower), is_exact};
    remember(out, needed, {lower, is_exact}, rows_.work() - before);
}

template <class Rows>
void Solver<Rows>::push_halves(const Node& node, const Branch& branch, const Evaluation& found,
                               Branches& branches) const {
    if constexpr (!Rows::kHasChildCosts) {
        // A smaller set of rows may cost more where its leaves would be too small.
        const bool is_monotone = question_.min_rows <= 1;
        const int64_t left = found.left.lower, right = found.right.lower;
        const auto push = [&](Branch half) {
            if (half.high - half.low < 2) return;
            if (!bounds_.interval)
                half.left_low = half.left_high = half.right_low = half.right_high = 0;
            const int64_t distance = scaled_distance(node, half.column, half.low, half.high);
            half.lower = std::max(branch.lower, question_.penalty + interval_bound(half, distance));
            half.guess = half.low - half.high;
            branches.push(half);
        };
        Branch before = branch, after = branch;
        before.high = after.low = found.place;
        before.left_high = left, before.right_high = is_monotone ? right : 0;
        after.left_low = is_monotone ? left : 0, after.right_low = right;
        push(before);
        push(after);
    }
}

template <class Rows>
Known Solver<Rows>::child_value(const Node& node, const Branch& branch, int64_t place, bool right,
                                Limits limits, int64_t upper, int level) {
    Node& out = node_at(level, right);
    rows_.start_child(node, branch.column, place, right, out);
    const Limits needed = useful(out.facts, limits);
    if (needed.splits > 0)
        if (const auto* entry = look_up(out.facts.key.with(packed(needed))))
            if (entry->is_exact || entry->lower >= upper) return {entry->lower, entry->is_exact};
    rows_.finish_child(node, branch.column, place, right, out);
    return solve(out, limits, upper, level + 1);
}

template <class Rows>
typename Rows::Node& Solver<Rows>::node_at(int level, bool right) {
    while (static_cast<int>(nodes_.size()) <= 2 * level + 1) nodes_.emplace_back();
    return nodes_[2 * level + right];
}

template <class Rows>
const ValueTable::Entry* Solver<Rows>::look_up(const Key& key) const {
    if (!bounds_.table) return nullptr;
    const auto* own = task_.own != nullptr ? task_.own->find(key) : nullptr;
    const auto* shared = task_.shared != nullptr ? task_.shared->find(key) : nullptr;
    if (own == nullptr || shared == nullptr) return own != nullptr ? own : shared;
    if (own->is_exact || shared->is_exact) return own->is_exact ? own : shared;
    return own->lower >= shared->lower ? own : shared;
}

template <class Rows>
void Solver<Rows>::remember(const Node& node, Limits limits, const Known& known, int64_t effort) {
    if (bounds_.table && task_.own != nullptr)
        task_.own->put({node.facts.key.with(packed(limits)), known.lower,
                        static_cast<uint32_t>(std::min<int64_t>(effort, UINT32_MAX)),
                        known.is_exact});
    if (!bounds_.similarity || limits.depth < 2 || question_.min_rows > 1) return;
    if (archive_.size() < kRemembered) archive_.emplace_back();
    archive_[next_remembered_] = {limits, known.lower, node.facts.set};
    next_remembered_ = (next_remembered_ + 1) % kRemembered;
}

// The best tree of these rows costs no less on others than their least value, so on these no less
// than that without the rows that these lack.
template <class Rows>
int64_t Solver<Rows>::similar_bound(const Node& node, Limits limits) const {
    int64_t bound = 0;
    for (const Remembered& other : archive_) {
        if (other.limits.depth < limits.depth || other.limits.splits < limits.splits) continue;
        if (other.lower <= bound) continue;
        const int64_t beyond = reach_beyond(*problem_, other.set, node.facts.set);
        bound = std::max(bound, other.lower - question_.unit * beyond);
    }
    return bound;
}

template <class Rows>
bool Solver<Rows>::must_stop() {
    constexpr int64_t kBetweenChecks = 1 << 20;
    if (was_stopped_ || work() >= task_.budget) return was_stopped_ = true;
    if (work() < next_check_) return false;
    next_check_ = work() + kBetweenChecks;
    return was_stopped_ = task_.is_late != nullptr && (*task_.is_late)();
}

template <class Rows>
void Solver<Rows>::lift_limits() {
    task_.budget = kInfinite, task_.is_late = nullptr;
    rows_.set_late(nullptr);
}

template <class Rows>
typename Rows::Node& Solver<Rows>::child(const Node& node, int32_t column, int64_t place,
                                         bool right, int level) {
    Node& out = node_at(level, right);
    rows_.start_child(node, column, place, right, out);
    rows_.finish_child(node, column, place, right, out);
    return out;
}

template class Solver<BitRows<int32_t>>;
template class Solver<BitRows<int64_t>>;
template class Solver<SortedRows>;

}  // namespace silva::optimal
