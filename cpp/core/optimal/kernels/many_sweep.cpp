#include "core/optimal/kernels/stumps.hpp"
#include "core/simd/kernels/running.hpp"
#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Of a row: one, the same for all rows; one; several.
enum class Gains { even, single, several };

template <class T>
struct ManyLanes {
    const ManySweep<T> sweep;  // a copy: no store can change it

    static constexpr int kLine = kStumpLanes<T>;
    static constexpr int kBoth = 2 * kLine / kLanes<T>;  // registers of both sides

    SILVA_INLINE int64_t n_lines() const { return sweep.n_slots + (sweep.counts != nullptr); }
    SILVA_INLINE static void clear(T* lines, int64_t n) {
        for (int64_t i = 0; i < 2 * n * kLine; i += kLanes<T>) store(lines + i, zero<T>());
    }
    // Calls f with the line and the bucket of each gain of a row, and its size.
    template <Gains gains, class F>
    SILVA_INLINE void each_gain(int64_t j, const F& f) const {
        const int64_t row = sweep.order.rows[j];
        if constexpr (gains == Gains::several) {
            for (int64_t e = row * sweep.n_entries; e < (row + 1) * sweep.n_entries; ++e)
                f(2 * kLine * sweep.slots[e], sweep.codes[row], sweep.gains[e]);
        } else {
            const int64_t cell = sweep.cells[row], bucket = cell % (2 * kLine);
            f(cell - bucket, bucket, gains == Gains::even ? sweep.largest : sweep.gains[row]);
        }
    }
    // Many rows: sums of buckets first.
    template <Gains gains, bool counted>
    SILVA_INLINE void add_run(int64_t from, int64_t to) const {
        for (int64_t j = from; j < to; ++j) {
            each_gain<gains>(j, [&](int64_t line, int64_t bucket, T by) __attribute__((
                                    always_inline)) { sweep.buckets[line + bucket] += by; });
            if constexpr (counted) {
                const uint32_t row = sweep.order.rows[j];
                sweep.buckets[2 * kLine * sweep.n_slots + sweep.codes[row]] += sweep.counts[row];
            }
        }
        for (int64_t at = 0; at < 2 * kLine * n_lines(); at += 2 * kLine)
            if (sweep.n_patterns == 0)
                spread(sweep.buckets + at, sweep.sums + at);
            else
                spread_patterns(sweep.buckets + at, sweep.sums + at);
        clear(sweep.buckets, n_lines());
    }
    // Adds the buckets up to each lane to its left side, and the others to its right side.
    SILVA_INLINE static void spread(const T* buckets, T* sums) {
        constexpr int n = kLine / kLanes<T>;
        Vec<T> left[n];
        T before = 0;
        for (int r = 0; r < n; ++r) {
            left[r] = running(load(buckets + r * kLanes<T>)) + all<T>(before);
            before = left[r][kLanes<T> - 1];
        }
        const auto total = all<T>(static_cast<T>(before + buckets[kLine]));
        for (int r = 0; r < n; ++r) {
            T* at = sums + r * kLanes<T>;
            store(at, load(at) + left[r]);
            store(at + kLine, load(at + kLine) + total - left[r]);
        }
    }
    SILVA_INLINE void spread_patterns(const T* buckets, T* sums) const {
        for (int32_t pattern = 0; pattern < sweep.n_patterns; ++pattern)
            if (buckets[pattern] != 0) add_line(sums, pattern, buckets[pattern]);
    }
    // The gain of the stump at the rows so far, in a register of lanes of either side.
    SILVA_INLINE Vec<T> gain(int i) const {
        auto before = load(sweep.sums + i), after = load(sweep.totals + i) - before;
        for (int64_t at = i + 2 * kLine; at < sweep.n_slots * 2 * kLine; at += 2 * kLine) {
            const auto sum = load(sweep.sums + at);
            before = max(before, sum);
            after = max(after, load(sweep.totals + at) - sum);
        }
        return before + after;
    }
    SILVA_INLINE Vec<T> permitted(Vec<T> gain, int i) const {
        const auto count = load(sweep.sums + sweep.n_slots * 2 * kLine + i);
        const auto least = all<T>(sweep.min_rows);
        return keep(at_least(count, least) & at_least(load(sweep.side_counts + i) - count, least),
                    gain);
    }
    // Adds what a row of a bucket adds to a line of lanes.
    SILVA_INLINE void add_line(T* line, int64_t bucket, T by) const {
        const T* masks = sweep.table + 2 * kLine * bucket;
        for (int i = 0; i < 2 * kLine; i += kLanes<T>)
            store(line + i, load(line + i) + (load(masks + i) & all<T>(by)));
    }
    // Adds a row. `used`: by how much the gain of each lane can have risen since the last check; it
    // is at most all costs of a side, and does not overflow.
    template <Gains gains, bool counted>
    SILVA_INLINE void add(int64_t j, Vec<T>* used) const {
        int64_t at = 0;
        T highest = 0;
        each_gain<gains>(j, [&](int64_t line, int64_t bucket, T by) __attribute__((always_inline)) {
            add_line(sweep.sums + line, bucket, by);
            at = bucket;
            highest = most(highest, by);
        });
        if constexpr (counted)
            add_line(sweep.sums + 2 * kLine * sweep.n_slots, at, sweep.counts[sweep.order.rows[j]]);
        const T* masks = sweep.table + 2 * kLine * at;
        for (int r = 0; r < kBoth; ++r) used[r] += load(masks + r * kLanes<T>) & all<T>(highest);
    }
    // Takes the stumps at the rows so far. Slack: by how much the gain of each lane has to rise
    // before it can do better.
    template <bool counted>
    SILVA_INLINE void check(Vec<T>* slack) const {
        for (int r = 0; r < kBoth; ++r) {
            const int i = r * kLanes<T>;
            const auto now = gain(i);
            auto best = load(sweep.best + i);
            best = max(best, counted ? permitted(now, i) : now);
            store(sweep.best + i, best);
            slack[r] = best - now;
        }
    }
    SILVA_INLINE static T lowest(const Vec<T>* values) {
        auto low = values[0];
        for (int r = 1; r < kBoth; ++r) low = min(low, values[r]);
        return fold(low, Lower{});
    }
    SILVA_INLINE static bool any_less(const Vec<T>* a, const Vec<T>* b) {
        auto found = less(a[0], b[0]);
        for (int r = 1; r < kBoth; ++r) found = found | less(a[r], b[r]);
        return any(found);
    }
    // The first place from j + 1 on at which a lane may do better, or n if there is none.
    SILVA_INLINE int64_t skip(int64_t j, T slack) const {
        const StumpOrder& order = sweep.order;
        int64_t next = j + 1;
        if (slack > 0) next += sweep.largest == 1 ? slack : slack / sweep.largest;
        while (next < order.n && order.ends[next - 1] == 0) ++next;
        return next;
    }
    template <Gains gains, bool counted>
    SILVA_INLINE void pass() const {
        const StumpOrder& order = sweep.order;
        // Rows: measured.
        const int64_t many = (sweep.n_patterns == 0 ? 2 : sweep.n_patterns) * n_lines();
        clear(sweep.sums, n_lines());
        for (int64_t j = 0;;) {
            Vec<T> slack[kBoth], used[kBoth];
            check<counted>(slack);
            const int64_t next = skip(j, lowest(slack));
            if (next >= order.n) return;
            if (next - j > many) {
                add_run<gains, counted>(j, next);
                j = next;
                continue;
            }
            for (int r = 0; r < kBoth; ++r) used[r] = zero<T>();
            do {
                add<gains, counted>(j++, used);
                if (j == order.n) return;
            } while (order.ends[j - 1] == 0 || !any_less(slack, used));
        }
    }
};

template <Gains gains, bool counted, class T>
void pass_many(const ManySweep<T>& sweep) {
    const ManyLanes<T> lanes{sweep};
    lanes.template pass<gains, counted>();
}

template <bool counted, class T>
void sweep_many_counted(const ManySweep<T>& sweep) {
    if (sweep.cells == nullptr)
        pass_many<Gains::several, counted>(sweep);
    else if (sweep.gains == nullptr)
        pass_many<Gains::even, counted>(sweep);
    else
        pass_many<Gains::single, counted>(sweep);
}

template <class T>
void sweep_many(const ManySweep<T>& sweep) {
    if (sweep.counts != nullptr)
        sweep_many_counted<true>(sweep);
    else
        sweep_many_counted<false>(sweep);
}

}  // namespace

OptimalManyKernels optimal_many_kernels() {
    return {sweep_many<int16_t>, sweep_many<int32_t>, sweep_many<int64_t>};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
