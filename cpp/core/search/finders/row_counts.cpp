#include "core/search/finders/row_counts.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "core/search/finders/level_counts.hpp"

namespace silva {

// Fills the groups of the codes that occur, and lists those codes (missing excluded).
template <class Id, class Counter>
void RowCounts<Id, Counter>::count_codes(const uint8_t* codes, int missing_code) {
    scratch_.groups.resize(kMaxCodes * group_width(), 0);
    scratch_.group_rows.resize(kMaxCodes, 0);
    const Counter counter = counter_;  // copies that live in registers
    const Id* rows = store_.rows.data();
    int64_t* const groups = scratch_.groups.data();
    int64_t* const group_rows = scratch_.group_rows.data();
    const int64_t width = group_width();
    for (int64_t i = node_.begin, end = node_.end; i < end; ++i) {
        const Id id = rows[i];
        const uint8_t code = codes[id];
        ++group_rows[code];
        counter.count(id, groups + code * width);
    }
    scratch_.occupied.clear();
    for (int code = 0; code < missing_code; ++code)
        if (scratch_.group_rows[code] > 0) scratch_.occupied.push_back(code);
}

// Tells for each occupied code whether a threshold below it is allowed: not between two
// neighbouring values whose rows all have one and the same target.
template <class Id, class Counter>
void RowCounts<Id, Counter>::mark_breakpoints(const uint8_t* codes,
                                              const std::vector<int>& occupied) {
    scratch_.pure_targets.resize(kMaxCodes);
    scratch_.breakpoint.assign(kMaxCodes, 2);  // 2: no row seen, 1: mixed targets, 0: one target
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        uint8_t& state = scratch_.breakpoint[codes[id]];
        if (state == 2) scratch_.pure_targets[codes[id]] = counter_.target(id);
        state = state == 1 || scratch_.pure_targets[codes[id]] != counter_.target(id) ? 1 : 0;
    }
    for (size_t i = occupied.size(); i-- > 1;) {
        const int below = occupied[i - 1], code = occupied[i];
        if (scratch_.breakpoint[below] != 0 ||
            scratch_.pure_targets[below] != scratch_.pure_targets[code])
            scratch_.breakpoint[code] = 1;
    }
}

template <class Id, class Counter>
void RowCounts<Id, Counter>::count_bits(const uint64_t* words, uint64_t wanted) {
    scratch_.bit_groups.assign(64 * group_width(), 0);
    scratch_.bit_rows.assign(64, 0);
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        for (uint64_t word = words[id] & wanted; word != 0; word &= word - 1) {
            const int bit = std::countr_zero(word);
            ++scratch_.bit_rows[bit];
            counter_.count(id, scratch_.bit_groups.data() + bit * group_width());
        }
    }
}

namespace {

// The rows of a node of a store, with their codes.
template <class Id, class Counter, class Code>
struct StoreLevels {
    static constexpr GroupLayout kLayout = Counter::kLayout;

    const Id* ids;
    int64_t n;
    const Code* codes;
    Counter counter;
    const int64_t* weights;
    bool weighted;

    int64_t size() const { return n; }
    size_t code(int64_t i) const { return codes[ids[i]]; }
    void count(int64_t i, int64_t* group) const { counter.count(ids[i], group); }
    int64_t weight(int64_t i) const { return weighted ? weights[ids[i]] : 1; }
    int64_t target(int64_t i) const { return counter.target(ids[i]); }
};

}  // namespace

template <class Id, class Counter>
Absent RowCounts<Id, Counter>::list_levels(int32_t column) {
    const Id* ids = store_.rows.data() + node_.begin;
    Absent absent;
    store_.with_levels(column, [&](const auto* codes) {
        using Code = std::remove_cvref_t<decltype(*codes)>;
        const StoreLevels<Id, Counter, Code> rows{
            ids, node_.rows(), codes, counter_, store_.weight.data(), !store_.weight.empty()};
        absent = LevelCounts(rows, group_width(), scratch_.level, context_.stop)
                     .list(context_.forms[column].n_codes);
    });
    return absent;
}

template <class Id, class Counter>
NodeSpread RowCounts<Id, Counter>::node_spread() const {
    if constexpr (kValues) {
        const Id* ids = store_.rows.data() + node_.begin;
        return value_spread(
            node_.stats, [&](int64_t i) { return store_.q[ids[i]]; },
            [&](int64_t i) { return store_.weight.empty() ? 1 : store_.weight[ids[i]]; });
    } else {
        return class_spread(node_.stats);
    }
}

// A copy of the list in which values are new only where the target changes: not between two
// neighbouring values whose rows all have one and the same target.
template <class Id, class Counter>
const Id* RowCounts<Id, Counter>::at_breakpoints(const Id* list, int64_t n_known) {
    std::vector<Id>& copy = std::get<std::vector<Id>>(scratch_.list);
    copy.assign(list, list + n_known);
    bool pure_before = false;
    int64_t target_before = 0;
    for (int64_t begin = 0, end; begin < n_known; begin = end) {
        const int64_t target = counter_.target(list[begin] & kIdMask);
        bool pure = true;
        for (end = begin + 1; end < n_known && (list[end] & kNew) == 0; ++end)
            pure &= counter_.target(list[end] & kIdMask) == target;
        if (begin > 0 && pure && pure_before && target == target_before) copy[begin] &= kIdMask;
        pure_before = pure;
        target_before = target;
    }
    return copy.data();
}

#define SILVA_INSTANTIATE(Id)                                             \
    template class RowCounts<Id, ClassCounter<Id, GroupLayout::classes>>; \
    template class RowCounts<Id, ClassCounter<Id, GroupLayout::entries>>; \
    template class RowCounts<Id, ValueCounter>;
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
