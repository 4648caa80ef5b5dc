#include "core/optimal/root_search.hpp"

#include <algorithm>
#include <chrono>

#include "core/optimal/bit_rows.hpp"
#include "core/optimal/sorted_rows.hpp"
#include "core/optimal/tree_maker.hpp"

namespace silva::optimal {

template <class Rows>
RootSearch<Rows>::RootSearch(Problem problem, const Bounds& bounds, int64_t max_bytes, int threads)
    : Search(std::move(problem), bounds, threads), max_bytes_(max_bytes) {
    prepare(1);
}

// The tables of the rows, which differ where leaves have a least number of rows. Of the memory that
// they leave, fixed shares are for values, whatever the number of threads, so that this changes
// nothing; threads for which the rest is too small are left out.
template <class Rows>
void RootSearch<Rows>::prepare(int64_t min_rows) {
    solvers_.clear();
    table_ = std::make_unique<typename Rows::Table>(problem_, bounds_, min_rows);
    solvers_.push_back(std::make_unique<Solver<Rows>>(problem_, *table_, bounds_));
    solvers_[0]->rows().root(root_);
    // Children of some levels, and what the engine makes of them.
    constexpr int64_t kNodes = 6;
    const int64_t each = kNodes * Rows::bytes(root_) + 1;
    const int64_t rest = max_bytes_ - problem_.bytes() - table_->bytes() - Rows::bytes(root_);
    const auto most = static_cast<int>(std::clamp<int64_t>(rest / 4 / each, 1, threads_));
    while (static_cast<int>(solvers_.size()) < most)
        solvers_.push_back(std::make_unique<Solver<Rows>>(problem_, *table_, bounds_));
    fixed_bytes_ = max_bytes_ - rest + most * each;
    known_ = ValueTable(rest / 8 * 3);
    news_.assign(kRound, ValueTable(rest / 4 / kRound));
}

template <class Rows>
void RootSearch<Rows>::start(const Question& question) {
    const bool keeps = question.unit == question_.unit && question.penalty == question_.penalty &&
                       question.min_rows == question_.min_rows;
    if (!keeps) known_.clear();
    if ((question.min_rows > 1) != (question_.min_rows > 1)) prepare(question.min_rows);
    question_ = question;
    tree_ = {};
    lower_ = 0, upper_ = question.upper;
    branches_.clear();
    tasks_ = 0;
    is_open_ = false;
    solvers_[0]->begin(question_, {});
    limits_ = solvers_[0]->useful(root_.facts, {question.max_depth, question.max_splits});
    lower_ = solvers_[0]->floor_of(root_, limits_);
    FoundTree leaf;
    leaf.add_leaf();
    take(leaf, solvers_[0]->leaf_value(root_));
    if (limits_.splits <= 0) lower_ = solvers_[0]->leaf_value(root_);
}

template <class Rows>
void RootSearch<Rows>::advance(double seconds, int64_t work, const StopFlag& stop) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const std::function<bool()> is_late = [&] {
        return stop.is_set() ||
               std::chrono::duration<double>(Clock::now() - begin).count() >= seconds;
    };
    const int64_t first = work_;
    if (!is_open_ && !is_proved()) open_root(is_late);
    if (is_proved() || is_late()) return;
    Team team(static_cast<int>(solvers_.size()));
    while (!is_proved() && work_ - first < work && !is_late()) round(team, is_late);
}

// What one thread does before there are branches to share out.
template <class Rows>
void RootSearch<Rows>::open_root(const std::function<bool()>& is_late) {
    Solver<Rows>& solver = *solvers_[0];
    news_[0].clear();
    solver.begin(question_, {&known_, &news_[0], kInfinite, &is_late});
    if (limits_.depth <= 2)
        solve_root(solver);
    else
        branch_root(solver);
    is_open_ = !solver.was_stopped();
    work_ += solver.work();
    keep_news(0);
    measure();
}

template <class Rows>
void RootSearch<Rows>::keep_news(int slot) {
    for (const ValueTable::Entry& entry : news_[slot].entries())
        if (entry.effort != 0) known_.put(entry);
}

// At most two levels: the engine answers at once.
template <class Rows>
void RootSearch<Rows>::solve_root(Solver<Rows>& solver) {
    const RootTest two = solver.shallow(root_, limits_, upper_);
    if (solver.was_stopped()) return;
    if (two.column >= 0 && two.value < upper_) {
        solver.lift_limits();
        const FoundTree tree = TreeMaker<Rows>(solver).of_two_levels(root_, limits_, two, 0);
        take(tree, value_of(tree));
    }
    lower_ = upper_.load();
}

template <class Rows>
void RootSearch<Rows>::branch_root(Solver<Rows>& solver) {
    int64_t value = 0;
    const FoundTree tree = TreeMaker<Rows>(solver).dive(root_, limits_, 0, value);
    take(tree, value_of(tree));
    const RootTest two = solver.shallow(root_, limits_, upper_);
    if (solver.was_stopped()) return;
    if (two.value < upper_) {
        const FoundTree found =
            TreeMaker<Rows>(solver).of_two_levels(root_, {2, limits_.splits}, two, 0);
        take(found, value_of(found));
    }
    const int64_t three = bounds_.leaf_count ? 3 * question_.penalty : 0;
    if (bounds_.look_ahead && lower_ + three >= upper_)
        lower_ = upper_.load();
    else
        solver.branch_out(root_, limits_, lower_, branches_);
    raise_lower();
}

template <class Rows>
void RootSearch<Rows>::round(Team& team, const std::function<bool()>& is_late) {
    // Few tasks at first: what they find makes the next ones shorter. Tests come in a good order,
    // thresholds do not.
    constexpr int64_t kSlow = Rows::kHasChildCosts ? 2 : 8;
    const auto size = static_cast<size_t>(std::clamp<int64_t>(tasks_ / kSlow, 1, kRound));
    std::vector<Outcome> outcomes;
    while (outcomes.size() < size && !branches_.empty() && branches_.top().lower < upper_)
        outcomes.push_back({branches_.pop(), {}, {}, 0, 0});
    team.for_each(static_cast<int64_t>(outcomes.size()), [&](int64_t slot, int worker) {
        run(outcomes[slot], static_cast<int>(slot), worker, is_late);
    });
    tasks_ += static_cast<int64_t>(outcomes.size());
    const bool was_late = is_late();
    for (size_t slot = 0; slot < outcomes.size(); ++slot)
        merge(outcomes[slot], static_cast<int>(slot), was_late);
    raise_lower();
    measure();
}

template <class Rows>
void RootSearch<Rows>::run(Outcome& outcome, int slot, int worker,
                           const std::function<bool()>& is_late) {
    Solver<Rows>& solver = *solvers_[worker];
    Branch& branch = outcome.branch;
    branch.budget = std::max(branch.budget, kFirstBudget);
    outcome.cap = std::min<int64_t>(upper_, branch.target);
    news_[slot].clear();
    solver.begin(question_, {&known_, &news_[slot], branch.budget, &is_late});
    outcome.found = solver.evaluate(root_, branch, limits_, outcome.cap, 0);
    outcome.found.was_stopped = solver.was_stopped();
    const int64_t value = question_.penalty + outcome.found.left.lower + outcome.found.right.lower;
    if (outcome.found.place >= 0 && outcome.found.is_exact() && value < upper_)
        outcome.tree = TreeMaker<Rows>(solver).of_split(root_, branch, outcome.found, limits_);
    outcome.work = solver.work();
}

template <class Rows>
void RootSearch<Rows>::merge(Outcome& outcome, int slot, bool is_late) {
    work_ += outcome.work;
    keep_news(slot);
    if (outcome.found.was_stopped) return postpone(outcome.branch, outcome, is_late);
    if (outcome.found.place < 0) {
        // Nothing below the cap: below the upper bound there may be something.
        if (outcome.cap < upper_) postpone(outcome.branch, outcome, is_late);
        return;
    }
    if (!outcome.tree.empty()) take(outcome.tree, value_of(outcome.tree));
    if (!outcome.found.is_exact() && outcome.cap < upper_) keep_place(outcome);
    solvers_[0]->push_halves(root_, outcome.branch, outcome.found, branches_);
}

// A task that took too long comes again with more work to do and a lower aim: what it finds then
// raises the lower bound.
template <class Rows>
void RootSearch<Rows>::postpone(Branch branch, const Outcome& outcome, bool is_late) {
    if (outcome.found.was_stopped && !is_late) {
        branch.budget *= 2;
        branch.target = branch.lower + std::max<int64_t>(1, (outcome.cap - branch.lower) / 2);
    } else if (!outcome.found.was_stopped) {
        branch.lower = outcome.cap;
        branch.target = kInfinite;
    }
    branches_.push(branch);
}

// The children at this place are known to cost no less than the aim of the task: it stays open
// as a branch of its own.
template <class Rows>
void RootSearch<Rows>::keep_place(const Outcome& outcome) {
    Branch branch = outcome.branch;
    const Evaluation& found = outcome.found;
    const int64_t value = question_.penalty + found.left.lower + found.right.lower;
    branch.low = found.place - 1, branch.high = found.place + 1;
    branch.left_low = found.left.lower, branch.right_high = found.right.lower;
    branch.left_high = branch.right_low = 0;
    branch.lower = std::max(branch.lower, value);
    branch.target = kInfinite;
    if (branch.lower < upper_) branches_.push(branch);
}

template <class Rows>
void RootSearch<Rows>::raise_lower() {
    const int64_t open = branches_.empty() ? upper_.load() : branches_.top().lower;
    lower_ = std::max<int64_t>(lower_, std::min<int64_t>(open, upper_));
}

template <class Rows>
void RootSearch<Rows>::measure() {
    int64_t sum = fixed_bytes_ + known_.bytes();
    for (const ValueTable& news : news_) sum += news.bytes();
    bytes_ = sum + static_cast<int64_t>(branches_.size() * sizeof(Branch));
}

template class RootSearch<BitRows<int32_t>>;
template class RootSearch<BitRows<int64_t>>;
template class RootSearch<SortedRows>;

}  // namespace silva::optimal
