// Finds cuts for any classes, values and weights: rows in order of their ranks, by the sweeps that
// single trees use.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/random.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/row_parts.hpp"
#include "core/search/criterion.hpp"
#include "core/search/forest/bins.hpp"
#include "core/search/forest/cut.hpp"
#include "core/search/forest/sorted_keys.hpp"
#include "core/search/sweep.hpp"
#include "core/tree/tree_writer.hpp"

namespace silva {

// What a row counts for, in the order of a frame's rows: label and weight, or value and weight.
struct SweepRows {
    static constexpr int64_t kBytes = 8;  // of the widest array
    Array<uint8_t> label;
    Array<int64_t> q, weight;
    bool classes = true;

    bool needs_ids() const { return !classes; }
    void resize(int64_t n) {
        label.resize(classes ? n + kSparePadding : 0);
        q.resize(classes ? 0 : n + kSparePadding);
        weight.resize(n + kSparePadding);
    }
    void copy_marked(const SweepRows& from, const MarkedCopy& copy) {
        classes = from.classes;
        resize(copy.size());
        if (classes)
            copy(from.label.data(), label.data());
        else
            copy(reinterpret_cast<const uint64_t*>(from.q.data()),
                 reinterpret_cast<uint64_t*>(q.data()));
        copy(reinterpret_cast<const uint64_t*>(from.weight.data()),
             reinterpret_cast<uint64_t*>(weight.data()));
    }
    // As in PackedRows.
    void copy_listed(const SweepRows& from, int64_t begin, std::span<const uint32_t> listed) {
        classes = from.classes;
        resize(std::ssize(listed));
        for (size_t i = 0; i < listed.size(); ++i) {
            const int64_t row = begin + listed[i];
            weight[i] = from.weight[row];
            if (classes)
                label[i] = from.label[row];
            else
                q[i] = from.q[row];
        }
    }
    void copy(const SweepRows& from, int64_t begin, int64_t end) {
        classes = from.classes;
        resize(end - begin);
        if (classes)
            std::copy(from.label.data() + begin, from.label.data() + end, label.data());
        else
            std::copy(from.q.data() + begin, from.q.data() + end, q.data());
        std::copy(from.weight.data() + begin, from.weight.data() + end, weight.data());
    }
    void split(int64_t begin, const RowParts& parts) {
        if (classes)
            parts.split(label.data() + begin);
        else
            parts.split(reinterpret_cast<uint64_t*>(q.data() + begin));
        parts.split(reinterpret_cast<uint64_t*>(weight.data() + begin));
    }
    bool pure(int64_t begin, int64_t end) const {
        for (int64_t i = begin + 1; i < end; ++i)
            if (classes ? label[i] != label[begin] : q[i] != q[begin]) return false;
        return true;
    }
};

struct SweepScratch {
    KeyScratch keys;
    SweepBuffers buffers;
    std::vector<int64_t> groups;
    NodeStats stats;
};

// One type for all criteria, so that the loops that grow trees are compiled once for all of them.
class SweepFinder {
  public:
    using Rows = SweepRows;
    // Children are known by their rows alone.
    static constexpr bool kKnowsChildren = false;
    struct Sums {};

    // n_classes is 0 for values.
    SweepFinder(Criterion criterion, const CutLimits& limits, int64_t n_classes,
                SweepScratch& scratch)
        : criterion_(criterion), limits_(limits), n_classes_(n_classes), scratch_(scratch) {}

    void open(const SweepRows& rows, int64_t begin, int64_t end) {
        n_ = end - begin;
        clear_stats();
        for (int64_t i = begin; i < end; ++i) count(rows, i);
        start(rows, begin);
    }
    void open(const SweepRows& rows, int64_t begin, int64_t end, const Sums&) {
        open(rows, begin, end);
    }
    Sums sums() const { return {}; }
    void children(Sums&, Sums&) const {}
    // As in ClassFinder.
    void open_marked(const SweepRows& rows, std::span<const uint64_t> marked, int64_t n) {
        n_ = n;
        clear_stats();
        for_each_row(marked, [&](int64_t i) { count(rows, i); });
        start(rows, 0);
    }
    int64_t weight() const { return stats().weight; }
    bool pure() const { return stats().pure(); }
    const NodeStats& stats() const { return scratch_.stats; }
    const Cut& best() const { return best_; }
    // As in ClassFinder.
    using Found = Cut;
    Found found() const { return best_; }
    void restore(const Found& found) { best_ = found; }
    // Classes only: what values need besides is known to the tree.
    void write_leaf(TreeWriter& out) const {
        for (size_t k = 0; k < stats().classes.size(); ++k)
            out.weight_of_class(static_cast<int32_t>(k), stats().classes[k]);
        out.end_leaf(n_);
    }

    template <class Rank>
    bool ranks(int32_t column, const Rank* ranks, const MissingValues& missing = {}) {
        const Range<Rank> range = range_of(ranks, n_);
        if (range.low == range.high) return false;
        const uint64_t* keys = sorted_keys(ranks, n_, range.low, range.high, scratch_.keys);
        const KeyedColumn sorted{column, range.low, keys,
                                 count_known(keys, n_, range, missing.rank)};
        with_sweep([&](auto& sweep) {
            if (sorted.n_known == n_) return sweep_known(sweep, sorted, kNoneMissing);
            int64_t weight = 0;
            for (int64_t i = sorted.n_known; i < n_; ++i)
                weight += weights_[static_cast<uint32_t>(keys[i])];
            for (const bool left : {false, true})
                sweep_known(sweep, sorted, MissingPass::of(missing, left, weight));
        });
        return true;
    }

    // Every cut is tried at once.
    size_t n_pending() const { return 0; }
    int32_t pending(size_t) const { return -1; }
    template <class Rank>
    bool refine(size_t, const Rank*, const MissingValues&) {
        return true;
    }
    void end_pending() {}

    bool marked(int32_t column, std::span<const uint64_t> left, int64_t left_rows, double threshold,
                const MissingPass& pass = kNoneMissing) {
        return with_sweep([&](auto& sweep) {
            sweep.clear();
            for_each_row(left, [&](int64_t i) { sweep.add(static_cast<uint32_t>(i)); });
            return sweep.promising() &&
                   consider(sweep, column, 0, left_rows, false, pass, threshold);
        });
    }
    // As in ClassFinder.
    int64_t weight_of(std::span<const uint64_t> marks, int64_t) const {
        int64_t weight = 0;
        for_each_row(marks, [&](int64_t i) { weight += weights_[i]; });
        return weight;
    }

    // As in ClassFinder.
    void write_group(std::span<const uint64_t> marks, int64_t, int64_t* group) {
        with_sweep([&](auto& sweep) {
            const auto counter = sweep.counter();
            for_each_row(marks, [&](int64_t i) { counter.count(i, group); });
            return true;
        });
    }
    // As in ClassFinder.
    void write_stats(NodeStats& out) const { out = stats(); }
    void take(const Merit& merit) {
        best_ = Cut(merit);
        with_sweep([&](auto& sweep) {
            sweep.set_best(std::max(-1.0, merit.score()));
            return true;
        });
    }
    void weigh_left(std::span<const uint64_t> marks) {
        best_.left = 0;
        for_each_row(marks, [&](int64_t i) { best_.left += weights_[i]; });
    }

    // All columns of `wanted` in one word each; returns the constant ones.
    uint64_t bits(const uint64_t* words, uint64_t wanted, const std::vector<int32_t>& columns,
                  uint64_t inverted) {
        return with_sweep(
            [&](auto& sweep) { return bits_by(sweep, words, wanted, columns, inverted); });
    }

  private:
    using AnySweep = std::variant<std::monostate, Gini<uint8_t>, Entropy<uint8_t>, Error<uint8_t>,
                                  WeightedSquaredError, Poisson>;

    // Calls f with the sweep of the criterion.
    template <class F>
    std::invoke_result_t<F, Gini<uint8_t>&> with_sweep(F&& f) {
        return silva::with_sweep<uint8_t>(criterion_, [&](auto sweep) {
            return f(*std::get_if<typename decltype(sweep)::type>(&sweep_));
        });
    }
    bool values() const { return n_classes_ == 0; }

    // The rows of a node in order of their ranks, missing ones last.
    struct KeyedColumn {
        int32_t column;
        uint32_t lowest;
        const uint64_t* keys;
        int64_t n_known;
    };
    // The cuts between known rows, and "is it missing?" where the pass asks it.
    template <class Sweep>
    void sweep_known(Sweep& sweep, const KeyedColumn& sorted, const MissingPass& pass) {
        sweep.clear();
        const auto [column, lowest, keys, n_known] = sorted;
        const int64_t n_before = pass.left ? n_ - n_known : 0;
        for (int64_t i = n_; i-- > n_ - n_before;) sweep.add(static_cast<uint32_t>(keys[i]));
        if (pass.asks_missing() && sweep.promising())
            consider(sweep, column, 0, n_before, false, pass);
        sweep_positions(sweep, sorted, pass);
    }

    void start(const SweepRows& rows, int64_t begin) {
        const int64_t* weight = weights_ = rows.weight.data() + begin;
        const ClassRows<uint8_t> labels{rows.label.data() + (values() ? 0 : begin), weight};
        const ValueRows targets{rows.q.data() + (values() ? begin : 0), weight};
        silva::with_sweep<uint8_t>(criterion_, [&](auto type) {
            using Sweep = typename decltype(type)::type;
            if constexpr (std::is_same_v<typename Sweep::Rows, ValueRows>)
                sweep_.emplace<Sweep>(targets, stats(), scratch_.buffers).set_best(-1.0);
            else
                sweep_.emplace<Sweep>(labels, stats(), scratch_.buffers).set_best(-1.0);
        });
        best_ = Cut{};
    }
    void clear_stats() {
        NodeStats& stats = scratch_.stats;
        stats.rows = n_;
        stats.weight = 0;
        stats.sum = 0;
        stats.lowest = std::numeric_limits<int64_t>::max();
        stats.highest = std::numeric_limits<int64_t>::min();
        stats.classes.assign(static_cast<size_t>(n_classes_), 0);
    }
    void count(const SweepRows& rows, int64_t i) {
        NodeStats& stats = scratch_.stats;
        const int64_t w = rows.weight[i];
        stats.weight += w;
        if (values()) {
            const int64_t q = rows.q[i];
            stats.sum += Wide(w) * q;
            stats.lowest = std::min(stats.lowest, q);
            stats.highest = std::max(stats.highest, q);
        } else {
            stats.classes[rows.label[i]] += w;
        }
    }

    // Moves the known rows to the left one by one, and tries the cut behind each of them.
    template <class Sweep>
    void sweep_positions(Sweep& state, const KeyedColumn& sorted, const MissingPass& pass) {
        Sweep sweep = state;  // a copy that lives in registers
        const auto [column, lowest, keys, n_known] = sorted;
        const int64_t n_before = pass.left ? n_ - n_known : 0, end = n_known - 1;
        int64_t looked_at = 1;  // blocks begin where something is on the left
        for (int64_t i = 0; i < end; ++i) {
            if constexpr (Skips<Sweep>) {
                constexpr int block = Sweep::kSkipped;
                while (i == looked_at && i + block <= end) {
                    looked_at += block;
                    if (sweep.skip(keys + i, block)) i += block;
                }
                if (i == end) break;
            }
            sweep.add(static_cast<uint32_t>(keys[i]));
            if (!sweep.promising() || keys[i] >> 32 == keys[i + 1] >> 32) continue;
            const uint32_t rank = static_cast<uint32_t>(keys[i + 1] >> 32) + lowest;
            state = sweep;
            consider(state, column, rank, n_before + i + 1, false, pass);
            sweep = state;
        }
        state = sweep;
    }

    template <class Sweep>
    uint64_t bits_by(Sweep& sweep, const uint64_t* words, uint64_t wanted,
                     const std::vector<int32_t>& columns, uint64_t inverted) {
        const int64_t width = values() ? 3 : n_classes_;
        scratch_.groups.resize(static_cast<size_t>(64 * width));
        int32_t set_rows[64];
        for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            set_rows[bit] = 0;
            std::fill_n(scratch_.groups.data() + bit * width, width, 0);
        }
        for (int64_t i = 0; i < n_; ++i) {
            for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1) {
                const int bit = std::countr_zero(word);
                ++set_rows[bit];
                sweep.counter().count(i, scratch_.groups.data() + bit * width);
            }
        }
        uint64_t constant = 0;
        for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            if (set_rows[bit] == 0 || set_rows[bit] == n_) {
                constant |= uint64_t{1} << bit;
                continue;
            }
            sweep.clear();
            sweep.add_group(scratch_.groups.data() + bit * width);
            if (sweep.promising())
                consider(sweep, columns[bit], 1, set_rows[bit], (inverted >> bit & 1) == 0,
                         kNoneMissing);
        }
        return constant;
    }

    // `swapped`: the sweep gathered the right child.
    template <class Sweep>
    bool consider(Sweep& sweep, int32_t column, uint32_t rank, int64_t gathered_rows, bool swapped,
                  const MissingPass& pass, double threshold = 0.0) {
        const int64_t weight = sweep.left();
        const int64_t lighter = std::min(weight, stats().weight - weight);
        if (!limits_.allow(gathered_rows, n_, lighter)) return false;
        if (!pass.allows(weight, stats().weight)) return false;
        const int64_t left = swapped ? stats().weight - weight : weight;
        const Cut cut{sweep.gain(swapped), left,      lighter,   column, rank,
                      threshold,           pass.left, pass.exist};
        if (cut.gain < 0.0 || !better(cut, best_)) return false;
        best_ = cut;
        sweep.set_best(best_.gain);
        if constexpr (HasTies<Sweep>) sweep.set_best_lighter(best_.lighter);
        return true;
    }

    Criterion criterion_;
    CutLimits limits_;
    int64_t n_classes_;
    SweepScratch& scratch_;
    int64_t n_ = 0;
    const int64_t* weights_ = nullptr;  // of the rows
    AnySweep sweep_;
    Cut best_;
};

}  // namespace silva
