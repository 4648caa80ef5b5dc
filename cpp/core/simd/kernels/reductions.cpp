#include "core/simd/reductions.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Scalar where there is no instruction that counts the bits of several words: a table of digits
// is no faster.
int64_t count_marked(const uint64_t* bits, int64_t n_words) {
    int64_t sum = 0;
    for (int64_t word = 0; word < n_words; ++word) sum += count_bits(bits[word]);
    return sum;
}
int64_t count_common(const uint64_t* a, const uint64_t* b, int64_t n_words) {
    int64_t sum = 0;
    for (int64_t word = 0; word < n_words; ++word) sum += count_bits(a[word] & b[word]);
    return sum;
}

// ---- lowest and highest ------------------------------------------------------------------------

// Calls f with whole registers that cover n values, some of them twice; there is at least one
// register of them.
template <class T, class F>
SILVA_INLINE void cover(const T* values, int64_t n, const F& f) {
    constexpr int width = kLanes<T>;
    for (int64_t i = 0; i + width < n; i += width) f(load(values + i));
    f(load(values + n - width));
}

template <class T>
Range<T> range(const T* values, int64_t n) {
    auto low = all<T>(values[0]), high = low;
    if (n < kLanes<T>) {
        const auto some = select(mask_of<T>(lowest_bits(n)), load_first(values, n), low);
        return {lowest(some), highest(some)};
    }
    cover(values, n, [&](auto some) __attribute__((always_inline)) {
        low = min(low, some);
        high = max(high, some);
    });
    return {lowest(low), highest(high)};
}

template <class T>
Range<T> around(const T* ranks, int64_t n, T cut) {
    const auto cuts = all<T>(cut);
    auto belows = zero<T>(), aboves = all<T>(static_cast<T>(~T(0)));
    const auto see = [&](auto some, auto is_above) __attribute__((always_inline)) {
        belows = max_where(~is_above, belows, some);
        aboves = min_where(is_above, aboves, some);
    };
    if (n < kLanes<T>) {  // zeros beyond the values are below them all
        const auto some = load_first(ranks, n);
        see(some, at_least(some, cuts) & mask_of<T>(lowest_bits(n)));
    } else {
        cover(ranks, n,
              [&](auto some) __attribute__((always_inline)) { see(some, at_least(some, cuts)); });
    }
    return {highest(belows), lowest(aboves)};
}

// ---- ranks -------------------------------------------------------------------------------------

void rank_among(const uint32_t* ranks, const uint32_t* ids, int64_t n, int64_t n_ranks,
                uint64_t* present, uint32_t* before, uint16_t* out) {
    const int64_t n_words = n_ranks / 64 + 1;
    for (int64_t word = 0; word < n_words; ++word) present[word] = 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = ranks[ids[i]];
        present[rank / 64] |= uint64_t{1} << (rank % 64);
    }
    uint32_t sum = 0;
    for (int64_t word = 0; word < n_words; ++word) {
        before[word] = sum;
        sum += static_cast<uint32_t>(count_bits(present[word]));
    }
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t rank = ranks[ids[i]];
        const uint64_t lower = present[rank / 64] & lowest_bits(rank % 64);
        out[i] =
            static_cast<uint16_t>(before[rank / 64] + static_cast<uint32_t>(count_bits(lower)));
    }
}

// ---- sums of pairs -----------------------------------------------------------------------------

struct PairSums {
    Vec<uint32_t> low = zero<uint32_t>(), high = zero<uint32_t>();
    PairSum rest{0, 0};

    SILVA_INLINE void add(Vec<uint32_t> pairs) {
        low += pairs & all<uint32_t>(0xFFFF);
        high += pairs >> 16;
    }
    SILVA_INLINE void add(uint32_t pair) {
        rest.low += pair & 0xFFFFu;
        rest.high += pair >> 16;
    }
    SILVA_INLINE PairSum sum() const {
        return {rest.low + simd::SILVA_ISA_NAMESPACE::sum(low),
                rest.high + simd::SILVA_ISA_NAMESPACE::sum(high)};
    }
};

PairSum sum_pairs(const uint32_t* pairs, int64_t n) {
    constexpr int width = kLanes<uint32_t>;
    PairSums sums;
    int64_t i = 0;
    for (; i + width <= n; i += width) sums.add(load(pairs + i));
    for (; i < n; ++i) sums.add(pairs[i]);
    return sums.sum();
}

PairSum sum_marked(const uint32_t* pairs, int64_t n, const uint64_t* bits) {
    constexpr int width = kLanes<uint32_t>;
    PairSums sums;
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        const uint64_t here = bits[i / 64] >> (i % 64) & lowest_bits(width);
        sums.add(keep(mask_of<uint32_t>(here), load(pairs + i)));
    }
    for (; i < n; ++i)
        if ((bits[i / 64] >> (i % 64) & 1) != 0) sums.add(pairs[i]);
    return sums.sum();
}

}  // namespace

ReductionKernels reduction_kernels() {
    return {count_marked, count_common, range,     range,     around,
            around,       rank_among,   sum_pairs, sum_marked};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
