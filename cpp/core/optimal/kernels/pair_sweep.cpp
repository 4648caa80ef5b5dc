#include "core/optimal/kernels/stumps.hpp"
#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Registers of lanes that pass together: as many as leave room for the sums of both sides.
template <bool counted>
constexpr int kTogether = kBytes >= kStumpBytes || counted ? 1 : 2;

// The sums of R registers of lanes, and their extremes.
template <class T, int R, bool weighted, bool counted>
struct PairLanes {
    const PairSweep<T>& sweep;
    int first;  // lane
    Vec<T> left[R], right[R], left_high[R], left_low[R], right_high[R], right_low[R];
    Vec<T> left_count[R], right_count[R], left_most[R], right_most[R];

    static constexpr int kLine = kStumpLanes<T>;
    SILVA_INLINE const T* line(int i, int r) const {
        return sweep.extremes + i * kLine + first + r * kLanes<T>;
    }
    SILVA_INLINE PairLanes(const PairSweep<T>& all_lanes, int first_lane)
        : sweep(all_lanes), first(first_lane) {
        for (int r = 0; r < R; ++r) {
            left[r] = right[r] = zero<T>();
            left_high[r] = load(line(0, r));
            left_low[r] = load(line(1, r));
            right_high[r] = load(line(2, r));
            right_low[r] = load(line(3, r));
            if constexpr (counted) {
                left_count[r] = right_count[r] = zero<T>();
                const T* sides = sweep.side_counts + first + r * kLanes<T>;
                left_most[r] = load(sides) - all<T>(sweep.min_rows);
                right_most[r] = load(sides + kLine) - all<T>(sweep.min_rows);
            }
        }
    }
    SILVA_INLINE void add(int64_t j) {
        const uint32_t row = sweep.order.rows[j];
        const T* at = sweep.table + 2 * kLine * sweep.codes[row] + first;
        for (int r = 0; r < R; ++r) {
            auto to_left = load(at + r * kLanes<T>);
            auto to_right = load(at + kLine + r * kLanes<T>);
            if constexpr (counted) {
                const auto count = all<T>(sweep.counts[row]);
                left_count[r] += to_left & count;
                right_count[r] += to_right & count;
            }
            if constexpr (weighted) {
                const auto margin = all<T>(sweep.margins[row]);
                to_left &= margin;
                to_right &= margin;
            }
            left[r] += to_left;
            right[r] += to_right;
        }
    }
    // A sum of zero changes no extreme: it is that of no rows.
    SILVA_INLINE static Vec<T> permitted(Vec<T> sum, Vec<T> count, Vec<T> most, Vec<T> least) {
        if constexpr (!counted) return sum;
        return keep(at_least(count, least) & at_most(count, most), sum);
    }
    // Splits after the rows so far, if `mask` has all bits.
    template <bool masked>
    SILVA_INLINE void split(T mask) {
        for (int r = 0; r < R; ++r) {
            auto a = permitted(left[r], left_count[r], left_most[r], all<T>(sweep.min_rows));
            auto b = permitted(right[r], right_count[r], right_most[r], all<T>(sweep.min_rows));
            if constexpr (masked) {
                a &= all<T>(mask);
                b &= all<T>(mask);
            }
            left_high[r] = max(left_high[r], a);
            left_low[r] = min(left_low[r], a);
            right_high[r] = max(right_high[r], b);
            right_low[r] = min(right_low[r], b);
        }
    }
    SILVA_INLINE void finish() const {
        for (int r = 0; r < R; ++r) {
            T* to = sweep.extremes + first + r * kLanes<T>;
            store(to, left_high[r]);
            store(to + kLine, left_low[r]);
            store(to + 2 * kLine, right_high[r]);
            store(to + 3 * kLine, right_low[r]);
        }
    }
};

// Long runs of equal values take a branch at each end; short ones would be mispredicted.
enum class Ends { all, most, few };

template <Ends ends, class Lanes>
SILVA_INLINE void pass(const StumpOrder& order, Lanes& lanes) {
    for (int64_t j = 0; j + 1 < order.n; ++j) {
        lanes.add(j);
        if constexpr (ends == Ends::all)
            lanes.template split<false>(0);
        else if constexpr (ends == Ends::most)
            lanes.template split<true>(-order.ends[j]);
        else if (order.ends[j] != 0)
            lanes.template split<false>(0);
    }
}

template <class T, Ends ends, bool weighted, bool counted>
void pass_all(const PairSweep<T>& sweep) {
    constexpr int together = kTogether<counted>;
    for (int first = 0; first < kStumpLanes<T>; first += together * kLanes<T>) {
        PairLanes<T, together, weighted, counted> lanes(sweep, first);
        pass<ends>(sweep.order, lanes);
        lanes.finish();
    }
}

template <class T, bool weighted, bool counted>
void pass_ends(const PairSweep<T>& sweep) {
    const StumpOrder& order = sweep.order;
    if (order.n_ends == order.n - 1)
        pass_all<T, Ends::all, weighted, counted>(sweep);
    else if (order.n_ends * 8 > order.n)
        pass_all<T, Ends::most, weighted, counted>(sweep);
    else
        pass_all<T, Ends::few, weighted, counted>(sweep);
}

template <class T>
void sweep_pairs(const PairSweep<T>& sweep) {
    if (sweep.counts != nullptr)
        pass_ends<T, true, true>(sweep);
    else if (sweep.margins != nullptr)
        pass_ends<T, true, false>(sweep);
    else
        pass_ends<T, false, false>(sweep);
}

}  // namespace

OptimalPairsKernels optimal_pairs_kernels() {
    return {sweep_pairs<int16_t>, sweep_pairs<int32_t>, sweep_pairs<int64_t>};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
