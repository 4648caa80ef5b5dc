// One worker's search for the best candidate of one node, by whatever finder fits each column.
// Here: sorted columns, with thresholds between neighbouring values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/search/finders/group_search.hpp"
#include "core/search/finders/own_branch.hpp"
#include "core/search/finders/row_counts.hpp"
#include "core/search/sweep.hpp"
#include "core/search/sweeps/rounded_sums.hpp"

namespace silva {

// The targets of a store's rows as a sweep reads them.
template <class Rows, class Id>
Rows rows_of(const Store<Id>& store) {
    const int64_t* weight = store.weight.empty() ? nullptr : store.weight.data();
    if constexpr (std::is_same_v<Rows, ValueRows>)
        return {store.q.data(), weight, store.mean_q};
    else
        return {store.label.data(), weight, store.n_classes == 2 ? store.ones.data() : nullptr};
}

// The entries of a sparse column in a node.
struct SparseRun {
    Entries all, negative, positive, missing;
    int64_t zeros;

    SparseRun(Entries run, int64_t rows) : all(run), zeros(rows - std::ssize(run)) {
        const auto end_of = [&](EntryClass last) {
            const auto within = [&](const SparseEntry& entry) { return entry.of_value() <= last; };
            return static_cast<size_t>(std::partition_point(run.begin(), run.end(), within) -
                                       run.begin());
        };
        const size_t middle = end_of(EntryClass::negative), end = end_of(EntryClass::positive);
        negative = run.first(middle);
        positive = run.subspan(middle, end - middle);
        missing = run.subspan(end);
    }
    // Null where it is a zero. There must be a known value.
    const SparseEntry* lowest() const {
        return !negative.empty() ? &negative.front() : zeros > 0 ? nullptr : &positive.front();
    }
    const SparseEntry* highest() const {
        return !positive.empty() ? &positive.back() : zeros > 0 ? nullptr : &negative.back();
    }
    int64_t known() const { return zeros + std::ssize(negative) + std::ssize(positive); }
    // Whether the stored values are all one.
    bool is_constant() const {
        return std::all_of(all.begin() + 1, all.end(), [&](const SparseEntry& entry) {
            return entry.key == all[0].key && !entry.is_new();
        });
    }
};

// The rows of a sorted column, as sweep_own_branch takes them.
template <class Id, class Counter>
struct ListedOrder {
    const Id *known, *missing;
    int64_t n_known, n_missing;
    Counter counter;

    bool is_new(int64_t i) const { return (known[i] & Store<Id>::kNew) != 0; }
    int64_t position(int64_t i) const { return i; }
    void count(int64_t i, int64_t* group) const {
        counter.count(id_of(i < n_known ? known[i] : missing[i - n_known]), group);
    }
    template <class Sweep>
    void add(int64_t i, Sweep& sweep) const {
        sweep.add(id_of(known[i]));
    }
};

template <class Id, class Sweep>
class NodeSearch final : public GroupSearch<typename Sweep::Groups> {
    using Base = GroupSearch<typename Sweep::Groups>;
    using Counts = RowCounts<Id, typename Sweep::Counter>;
    using Base::child_groups, Base::consider, Base::consider_own_branch, Base::draw,
        Base::group_width, Base::merge;
    using Base::context_, Base::kStopInterval, Base::node_, Base::scratch_;

  public:
    NodeSearch(const NodeTask& task, const Store<Id>& store, int worker)
        : Base(task.context, task.node, task.scratch[static_cast<size_t>(worker)], sweep_,
               !store.weight.empty(), task.by_column),
          store_(store),
          sweep_(rows_of<typename Sweep::Rows>(store), task.node.stats, scratch_.sweep) {
        sweep_.set_best(-1.0);
        const Id* rows = store.rows.data() + node_.begin;
        if constexpr (requires { sweep_.bound_by(rows, 1); })
            if (node_.rows() <= Sweep::kBoundedRows && context_.settings.min_rows_leaf == 1 &&
                context_.min_leaf_weight <= 1.0)
                sweep_.bound_by(rows, node_.rows());
        if constexpr (KnowsPerfect<Sweep>) {
            this->perfect_gain_ = sweep_.perfect_gain();
            this->perfect_lighter_ = sweep_.perfect_lighter();
        }
    }

    bool column(int32_t column) override {
        const bool splits = search_column(column);
        this->end_column(column);
        return splits;
    }
    void runs(Entries entries) override;
    uint64_t bits(int block, uint64_t wanted, const std::vector<int32_t>& column_of_bit) override {
        counts().count_bits(store_.words[block].data(), wanted);
        return this->sweep_bits(wanted, column_of_bit);
    }

  private:
    static constexpr size_t kFewClasses = 16;     // exact entropies are cheap up to here
    static constexpr int64_t kFewestRounded = 7;  // rows
    static constexpr Id kNew = Store<Id>::kNew;

    // A pass over the known rows of a sorted column, which the missing ones precede or not.
    struct Pass {
        int32_t column;
        const Id* known;
        int64_t already_left;
        bool missing_left, missing_chosen;

        bool allows(int64_t i) const { return (known[i] & kNew) != 0 || i == 0; }
    };

    // Asks for the values that the threshold of the best split lies between: they are far apart,
    // and come while later columns are searched. Inlined, because GCC drops calls that only
    // prefetch.
    [[gnu::always_inline]] void prefetch_threshold(int32_t column) const {
        const int64_t position = this->best_.position;
        if (this->best_.column != column || position < 1) return;
        const Id* first_right = store_.lists[column].data() + node_.begin + position;
        for (const Id* entry : {first_right - 1, first_right}) {
            const int64_t row = context_.target.row_of(store_.origin_of(id_of(*entry)));
            __builtin_prefetch(context_.table.columns[column].at(row));
        }
    }

    Counts counts() { return {context_, store_, node_, scratch_, sweep_.counter()}; }

    bool search_column(int32_t column) {
        switch (context_.forms[column].form) {
            case Form::constant: return false;
            case Form::sorted: {
                const bool splits = sorted(column);
                prefetch_threshold(column);
                return splits;
            }
            case Form::coded: return coded(column);
            case Form::category: return categories(column);
            case Form::sparse: return sparse(column);
            case Form::bit: break;  // see bits()
        }
        __builtin_unreachable();
    }
    bool coded(int32_t column) {
        const uint8_t* codes = store_.codes[column].data();
        counts().count_codes(codes, context_.forms[column].missing_code());
        if (context_.settings.breakpoints) counts().mark_breakpoints(codes, scratch_.occupied);
        return this->sweep_coded(column);
    }
    bool categories(int32_t column) {
        auto c = this->arrange(column, counts().list_levels(column));
        if (c && context_.forms[column].two_levels) c->drawn = false;
        if (c) this->ask_about(*c, [&] { return counts().node_spread(); });
        return c.has_value();
    }
    bool sorted(int32_t column);
    void sweep_majority(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                        int64_t n_missing);
    void sweep_thresholds(int32_t column, const Id* known, const Id* missing, int64_t n_missing,
                          bool missing_left, int64_t lowest, int64_t highest);
    void raise_floor(const Pass& pass, int64_t first, int64_t last);
    void sweep_positions(const Pass& pass, int64_t first, int64_t last);
    void sweep_blocks(const Pass& pass, int64_t first, int64_t last);
    void sweep_rounded(const Pass& pass, const Id* missing, int64_t first, int64_t last);
    void random_sorted(int32_t column, const Id* list, int64_t n_known);

    // Sparse columns (sparse_runs.hpp).
    bool sparse(int32_t column);
    bool search_run(int32_t column, Entries run);
    template <bool kFromTop>
    void gather_run(int32_t column, Entries part);
    bool group_run(int32_t column, const SparseRun& run);
    int count_run(const SparseRun& run);
    void mark_breakpoints(const SparseRun& run);
    bool random_run(int32_t column, const SparseRun& run);

    bool consider_at(const Pass& pass, int64_t i) {
        return consider(pass.column, i, pass.already_left + i, pass.missing_left,
                        pass.missing_chosen);
    }
    double value_of(int32_t column, Id entry) const {
        const int64_t id = store_.origin_of(id_of(entry));
        return context_.table.columns[column].value(context_.target.row_of(id));
    }

    const Store<Id>& store_;
    Sweep sweep_;
};

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::sorted(int32_t column) {
    const Id* list = store_.lists[column].data() + node_.begin;
    int64_t n_known = node_.rows();
    if (context_.forms[column].has_missing) {
        const uint8_t* missing = store_.missing[column].data();
        while (n_known > 0 && missing[id_of(list[n_known - 1])] != 0) --n_known;
    }
    const int64_t n_missing = node_.rows() - n_known;
    Id any_new = 0;
    for (int64_t i = 1; i < n_known && (any_new & kNew) == 0; ++i) any_new |= list[i];
    const bool splits_known = (any_new & kNew) != 0;
    if (!splits_known && (n_missing == 0 || n_known == 0)) return false;
    if (context_.settings.random_splitter) {
        random_sorted(column, list, n_known);
        return true;
    }
    const Id* missing_rows = list + n_known;
    const ColumnSettings asked = context_.settings.column(column);
    const Id* known = context_.settings.breakpoints ? counts().at_breakpoints(list, n_known) : list;
    const int64_t last = n_known - 1;
    if (n_missing > 0 && asked.missing_follow_majority()) {
        sweep_majority(column, known, n_known, missing_rows, n_missing);
    } else if (n_missing > 0 && asked.missing == Fallback::own_branch && splits_known) {
        using Order = ListedOrder<Id, typename Sweep::Counter>;
        const Order order{known, missing_rows, n_known, n_missing, sweep_.counter()};
        this->sweep_own_branch(column, order, [&](const NodeStats& stats) {
            return Sweep(rows_of<typename Sweep::Rows>(store_), stats, scratch_.known);
        });
    } else {
        sweep_thresholds(column, known, missing_rows, n_missing, false, 1, last);
        const int64_t lowest = asked.asks_missing ? 0 : 1;
        if (n_missing > 0)
            sweep_thresholds(column, known, missing_rows, n_missing, true, lowest, last);
    }
    return true;
}

// Known rows of the left child grow with the position, so missing values go right up to some
// position and left from there on.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_majority(int32_t column, const Id* known, int64_t n_known,
                                           const Id* missing, int64_t n_missing) {
    int64_t turn = (n_known + 1) / 2;
    if (!store_.weight.empty()) {
        int64_t known_weight = node_.stats.weight, left = 0;
        for (int64_t i = 0; i < n_missing; ++i) known_weight -= store_.weight[id_of(missing[i])];
        for (turn = 0; 2 * left < known_weight; ++turn) left += store_.weight[id_of(known[turn])];
    }
    sweep_thresholds(column, known, missing, n_missing, false, 1, turn - 1);
    sweep_thresholds(column, known, missing, n_missing, true, std::max<int64_t>(turn, 1),
                     n_known - 1);
}

// Position i sends the first i known rows left; position 0 (missing left) asks "is it missing?".
// Positions from `lowest` to `highest` are tried.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_thresholds(int32_t column, const Id* known, const Id* missing,
                                             int64_t n_missing, bool missing_left, int64_t lowest,
                                             int64_t highest) {
    const Pass pass{column, known, missing_left ? n_missing : 0, missing_left, n_missing > 0};
    const int64_t least = context_.settings.min_rows_leaf;
    const int64_t first = std::max(lowest, least - pass.already_left);
    const int64_t last = std::min(highest, node_.rows() - least - pass.already_left);
    if (first > last) return;
    sweep_.clear();
    for (int64_t i = 0; i < pass.already_left; ++i) sweep_.add(id_of(missing[i]));
    for (int64_t i = 0; i < first; ++i) sweep_.add(id_of(known[i]));
    if constexpr (HasFloor<Sweep>) raise_floor(pass, first, last);
    if constexpr (HasRounded<Sweep>) {
        if (!store_.weighted.empty() && node_.rows() >= kFewestRounded)
            return sweep_rounded(pass, missing, first, last);
    }
    for (int64_t begin = first; begin <= last; begin += kStopInterval) {
        context_.stop.check();
        const int64_t end = std::min(begin + kStopInterval - 1, last);
        if constexpr (HasFilter<Sweep>) {
            if (sweep_.filters()) {
                sweep_blocks(pass, begin, end);
                continue;
            }
        }
        sweep_positions(pass, begin, end);
    }
}

// A first pass finds the best approximate score, so that the second one computes few exact gains.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::raise_floor(const Pass& pass, int64_t first, int64_t last) {
    sweep_.set_floor(-INFINITY);
    if (sweep_.n_present() <= kFewClasses) return;
    const Sweep before = sweep_;
    double floor = -INFINITY;
    for (int64_t i = first; i <= last; ++i) {
        if (i % kStopInterval == 0) context_.stop.check();
        const int64_t lighter = std::min(sweep_.left(), node_.stats.weight - sweep_.left());
        if (pass.allows(i) && static_cast<double>(lighter) >= context_.min_leaf_weight)
            floor = std::max(floor, sweep_.score());
        sweep_.add(id_of(pass.known[i]));
    }
    for (int64_t i = first; i <= last; ++i) sweep_.forget(id_of(pass.known[i]));
    sweep_ = before;
    sweep_.set_floor(floor);
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_positions(const Pass& pass, int64_t first, int64_t last) {
    Sweep sweep = sweep_;  // a copy that lives in registers
    for (int64_t i = first; i <= last; ++i) {
        if (sweep.promising() && pass.allows(i)) [[unlikely]] {
            sweep_ = sweep;
            consider_at(pass, i);
            sweep = sweep_;
        }
        sweep.add(id_of(pass.known[i]));
    }
    sweep_ = sweep;
}

// The same, a block of positions at a time: few of them are promising. The last one comes first:
// where gains rise, the others are worse, and in large nodes the block is filtered again.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_blocks(const Pass& pass, int64_t first, int64_t last) {
    constexpr int many = sizeof(Id) == sizeof(uint32_t) ? 16 : kBlock;
    typename Sweep::Block block;
    for (int64_t i = first; i <= last; i += kBlock) {
        const auto n = static_cast<int>(std::min<int64_t>(kBlock, last + 1 - i));
        uint64_t mask = sweep_.look_ahead(pass.known + i, n, block);
        while (mask != 0) {
            const int j = static_cast<int>(std::bit_width(mask)) - 1;
            mask ^= uint64_t{1} << j;
            if (!pass.allows(i + j)) continue;
            sweep_.place(block, j);
            if (!sweep_.promising() || !consider_at(pass, i + j)) continue;
            if (std::popcount(mask) < many) continue;
            sweep_.place(block, 0);
            mask &= sweep_.look_ahead(pass.known + i, n, block);
        }
        sweep_.place(block, n);
    }
}

// The same, where exact sums follow only when a position is promising.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_rounded(const Pass& pass, const Id* missing, int64_t first,
                                          int64_t last) {
    RoundedSums rounded(store_.weighted.data());
    for (int64_t i = 0; i < pass.already_left; ++i) rounded.add(id_of(missing[i]));
    for (int64_t i = 0; i < first; ++i) rounded.add(id_of(pass.known[i]));
    const Id* summed = pass.known + first;
    for (int64_t i = first; i <= last; i += kBlock) {
        if ((i - first) % kStopInterval == 0) context_.stop.check();
        const auto n = static_cast<int>(std::min<int64_t>(kBlock, last + 1 - i));
        uint64_t mask = rounded.look_ahead(sweep_.rounded_filter(), pass.known + i, n);
        for (; mask != 0; mask &= mask - 1) {
            const int64_t position = i + std::countr_zero(mask);
            if (!pass.allows(position)) continue;
            sweep_.add_all(summed, pass.known + position);
            summed = pass.known + position;
            if (sweep_.promising()) consider_at(pass, position);
        }
    }
}

// `list` has the known rows first, then the missing ones.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_sorted(int32_t column, const Id* list, int64_t n_known) {
    const double low = value_of(column, list[0]), high = value_of(column, list[n_known - 1]);
    const uint64_t hash = draw(column);
    double threshold = -std::numeric_limits<double>::infinity();
    int64_t n_left = 0;
    if (low < high) {
        threshold = random_between(low, high, hash);
        n_left =
            std::partition_point(list, list + n_known,
                                 [&](Id entry) { return value_of(column, entry) < threshold; }) -
            list;
    }
    const auto counter = sweep_.counter();
    int64_t* left = child_groups(3);
    int64_t *right = left + group_width(), *missing = right + group_width();
    for (int64_t i = 0; i < node_.rows(); ++i)
        counter.count(id_of(list[i]), i < n_left ? left : i < n_known ? right : missing);
    const ChildGroup sides[] = {
        {left, n_left}, {right, n_known - n_left}, {missing, node_.rows() - n_known}};
    this->consider_random(column, n_left, hash, threshold, sides);
}

}  // namespace silva
