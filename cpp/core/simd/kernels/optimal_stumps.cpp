#include "core/simd/optimal_stumps.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// ---- two predictions ---------------------------------------------------------------------------

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

// ---- many predictions --------------------------------------------------------------------------

#if defined(SILVA_AVX512)
// v, `by` lanes up; zeros come in.
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    using Raw = typename Vec<T>::Raw;
    const auto from = (__m512i)(iota<T>() - all<T>(by)).raw, x = (__m512i)v.raw;
    const uint64_t lanes = ~lowest_bits(by);
    if constexpr (sizeof(T) == 2)
        return {(Raw)_mm512_maskz_permutexvar_epi16(static_cast<__mmask32>(lanes), from, x)};
    else if constexpr (sizeof(T) == 4)
        return {(Raw)_mm512_maskz_permutexvar_epi32(static_cast<__mmask16>(lanes), from, x)};
    else
        return {(Raw)_mm512_maskz_permutexvar_epi64(static_cast<__mmask8>(lanes), from, x)};
}
#elif defined(SILVA_AVX2) || defined(SILVA_SSE)
// The same in each 16 bytes.
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    using Raw = typename Vec<T>::Raw;
#if defined(SILVA_AVX2)
    return {(Raw)_mm256_slli_si256((__m256i)v.raw, by * sizeof(T))};
#else
    return {(Raw)_mm_slli_si128((__m128i)v.raw, by * sizeof(T))};
#endif
}
#else
template <int by, class T>
SILVA_INLINE Vec<T> shifted(Vec<T> v) {
    Vec<T> moved = zero<T>();
    for (int i = by; i < kLanes<T>; ++i) moved.raw[i] = v.raw[i - by];
    return moved;
}
#endif

// The sum of each lane and those before it.
template <class T>
SILVA_INLINE Vec<T> running(Vec<T> v) {
    constexpr int lanes = kMasksAreBits ? kLanes<T> : 16 / static_cast<int>(sizeof(T));
    v += shifted<1>(v);
    if constexpr (lanes > 2) v += shifted<2>(v);
    if constexpr (lanes > 4) v += shifted<4>(v);
    if constexpr (lanes > 8) v += shifted<8>(v);
    if constexpr (lanes > 16) v += shifted<16>(v);
#if defined(SILVA_AVX2)
    Vec<uint8_t> last;  // lane of each 16 bytes
    for (int i = 0; i < kBytes; ++i)
        last.raw[i] = static_cast<uint8_t>(16 - sizeof(T) + static_cast<size_t>(i) % sizeof(T));
    const auto low = _mm256_permute2x128_si256((__m256i)v.raw, (__m256i)v.raw, 0x08);
    v.raw += (typename Vec<T>::Raw)_mm256_shuffle_epi8(low, (__m256i)last.raw);
#endif
    return v;
}

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
        for (int64_t line = 0; line < n_lines(); ++line)
            spread(sweep.buckets + 2 * kLine * line, sweep.sums + 2 * kLine * line);
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
    // Adds a row, and its gains to what the sides of each lane gained since the last check.
    template <Gains gains, bool counted>
    SILVA_INLINE void add(int64_t j, Vec<T>* used) const {
        each_gain<gains>(j, [&](int64_t line, int64_t bucket, T by) __attribute__((always_inline)) {
            const T* masks = sweep.table + 2 * kLine * bucket;
            for (int r = 0; r < kBoth; ++r) {
                const auto more = load(masks + r * kLanes<T>) & all<T>(by);
                T* sums = sweep.sums + line + r * kLanes<T>;
                store(sums, load(sums) + more);
                used[r] += more;
            }
        });
        if constexpr (counted) add_count(j);
    }
    SILVA_INLINE void add_count(int64_t j) const {
        const int64_t row = sweep.order.rows[j];
        const T* masks = sweep.table + 2 * kLine * sweep.codes[row];
        T* sums = sweep.sums + 2 * kLine * sweep.n_slots;
        for (int i = 0; i < 2 * kLine; i += kLanes<T>)
            store(sums + i, load(sums + i) + (load(masks + i) & all<T>(sweep.counts[row])));
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
        const int64_t many = 2 * n_lines();  // rows: measured
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

template <class T>
StumpSweeps<T> sweeps() {
    return {sweep_pairs<T>, sweep_many<T>};
}

}  // namespace

OptimalStumpsKernels optimal_stumps_kernels() {
    return {sweeps<int16_t>(), sweeps<int32_t>(), sweeps<int64_t>()};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
