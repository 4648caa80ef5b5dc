#include "core/optimal/kernels/bits.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Tests that are counted at a time.
template <class Count>
constexpr int kLane = kLanes<Count>;
template <class Count>
using Some = Vec<Count, kLane<Count>>;
template <class Count>
SILVA_INLINE Some<Count> every(Count value) {
    return all<Count, kLane<Count>>(value);
}

// The most classes whose counts are kept in an array of fixed size.
constexpr int32_t kStackClasses = 32;

// Set bits of word after word, for as many tests as a register has words.
struct BitSum {
#if defined(SILVA_AVX512)
    Vec<uint64_t> words = zero<uint64_t>();
    SILVA_INLINE void add(Vec<uint64_t> v) {
        words.raw += (Vec<uint64_t>::Raw)_mm512_popcnt_epi64((__m512i)v.raw);
    }
    SILVA_INLINE Vec<uint64_t> total() { return words; }
#else
    // Set bits of four bits. Sums of bytes, which hold the bits of 31 words at most.
    static constexpr uint8_t kDigitBits[] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    Vec<uint64_t> bytes = zero<uint64_t>(), words = zero<uint64_t>();
    int room = 31;

    SILVA_INLINE void add(Vec<uint64_t> v) {
        if (room == 0) empty();
        const auto low = as<uint8_t>(v) & all<uint8_t>(15), high = as<uint8_t>(v) >> 4;
        bytes += as<uint64_t>(look_up(kDigitBits, low) + look_up(kDigitBits, high));
        --room;
    }
    SILVA_INLINE void empty() {
        words += sum_bytes(bytes);
        bytes = zero<uint64_t>();
        room = 31;
    }
    SILVA_INLINE Vec<uint64_t> total() {
        empty();
        return words;
    }
#endif
};

// Rows of the words [first, last) that both test i and each of the tests from j on send to the
// right.
template <class Count>
SILVA_INLINE Some<Count> both(const BitPairs<Count>& job, int64_t i, int64_t j, int64_t first,
                              int64_t last) {
    constexpr int kWord = kLanes<uint64_t>, kParts = kLane<Count> / kWord;
    const uint64_t* row = job.bits + first * job.stride;
    BitSum sum[kParts];
    for (int64_t w = first; w < last; ++w, row += job.stride) {
        const auto mine = all<uint64_t>(row[i]);
        for (int part = 0; part < kParts; ++part)
            sum[part].add(mine & load(row + j + part * kWord));
    }
    Some<Count> counts;
    if constexpr (kParts == 1)
        counts = as<Count>(sum[0].total());
    else
        counts = narrow<Count>(sum[0].total(), sum[1].total());
    return counts;
}

// The same of all segments, by class.
template <class Count>
SILVA_INLINE void both(const BitPairs<Count>& job, int64_t i, int64_t j, Some<Count>* counts,
                       int32_t classes) {
    for (int32_t k = 0; k < classes; ++k) counts[k] = every<Count>(0);
    for (int32_t s = 0; s < job.segments; ++s) {
        const BitSegment& segment = job.segment[s];
        const auto found = both(job, i, j, segment.first, segment.last);
        counts[segment.label] +=
            segment.factor == 1 ? found : found * every<Count>(static_cast<Count>(segment.factor));
    }
}

// Least costs so far of the stumps below one test, lane by lane.
template <class Count>
struct Least {
    Some<Count> right = every<Count>(kForbidden<Count>), left = right;
};

template <class Count>
SILVA_INLINE void take(Count* best, int64_t j, Some<Count> cost) {
    store(best + j, min(load<Count>(best + j), cost));
}

template <class Count>
SILVA_INLINE void finish(const BitPairs<Count>& job, int64_t i, const Least<Count>& found) {
    for (int lane = 0; lane < kLane<Count>; ++lane) {
        job.right[i] = least(job.right[i], found.right[lane]);
        job.left[i] = least(job.left[i], found.left[lane]);
    }
}

// Costs of the four leaves of tests i and j: both right, only i, only j, none.
template <class Count>
SILVA_INLINE void combine(const BitPairs<Count>& job, int64_t j, Some<Count> rr, Some<Count> rl,
                          Some<Count> lr, Some<Count> ll, Least<Count>& found) {
    found.right = min(found.right, rr + rl);
    found.left = min(found.left, lr + ll);
    take(job.right, j, rr + lr);
    take(job.left, j, rl + ll);
}

// `is_plain`: each class has one segment, of rows that count 1.
template <bool is_plain, class Count>
void pairs_of_two(const BitPairs<Count>& job) {
    const Count *ones0 = job.ones, *ones1 = job.ones + job.stride;
    for (int64_t i = job.first; i < job.last; ++i) {
        Least<Count> found;
        const auto i0 = every<Count>(ones0[i]), i1 = every<Count>(ones1[i]);
        const auto o0 = every<Count>(job.totals[0]) - i0;
        const auto o1 = every<Count>(job.totals[1]) - i1;
        for (int64_t j = i / kLane<Count> * kLane<Count>; j < job.stride; j += kLane<Count>) {
            Some<Count> c[2];
            if constexpr (is_plain)
                for (int k = 0; k < 2; ++k)
                    c[k] = both(job, i, j, job.segment[k].first, job.segment[k].last);
            else
                both(job, i, j, c, 2);
            const auto j0 = load<Count>(ones0 + j) - c[0];
            const auto j1 = load<Count>(ones1 + j) - c[1];
            combine(job, j, min(c[0], c[1]), min(i0 - c[0], i1 - c[1]), min(j0, j1),
                    min(o0 - j0, o1 - j1), found);
        }
        finish(job, i, found);
    }
}

// The least cost of one prediction; `of(k)` is the weight of class k.
template <class Count, class Of>
SILVA_INLINE Some<Count> leaf(const BitPairs<Count>& job, const Of& of) {
    const int32_t classes = job.classes;
    Some<Count> cost;
    if (job.costs == nullptr) {
        Some<Count> total = of(0), largest = total;
        for (int32_t k = 1; k < classes; ++k) {
            total += of(k);
            largest = max(largest, of(k));
        }
        cost = total - largest;
    } else {
        cost = every<Count>(kForbidden<Count>);
        for (int32_t c = 0; c < classes; ++c) {
            Some<Count> sum = every<Count>(0);
            for (int32_t k = 0; k < classes; ++k)
                sum += of(k) * every<Count>(job.costs[k * classes + c]);
            cost = min(cost, sum);
        }
    }
    if (job.min_rows > 0) {
        const auto few = of(classes).raw < every<Count>(job.min_rows).raw;
        cost = Some<Count>{few ? every<Count>(kForbidden<Count>).raw : cost.raw};
    }
    return cost;
}

template <class Count>
void pairs_of_many(const BitPairs<Count>& job) {
    const int32_t counted = job.classes + (job.min_rows > 0);
    Some<Count> few[kStackClasses];
    Some<Count>* c = few;
    if (counted > kStackClasses)
        c = static_cast<Some<Count>*>(
            __builtin_alloca_with_align(sizeof(Some<Count>) * counted, 8 * sizeof(Some<Count>)));
    for (int64_t i = job.first; i < job.last; ++i) {
        Least<Count> found;
        for (int64_t j = i / kLane<Count> * kLane<Count>; j < job.stride; j += kLane<Count>) {
            both(job, i, j, c, counted);
            const auto of_i = [&](int32_t k) { return every<Count>(job.ones[k * job.stride + i]); };
            const auto of_j = [&](int32_t k) { return load<Count>(job.ones + k * job.stride + j); };
            const auto rr = leaf(job, [&](int32_t k) { return c[k]; });
            const auto rl = leaf(job, [&](int32_t k) { return of_i(k) - c[k]; });
            const auto lr = leaf(job, [&](int32_t k) { return of_j(k) - c[k]; });
            const auto ll = leaf(job, [&](int32_t k) {
                return every<Count>(job.totals[k]) - of_i(k) - of_j(k) + c[k];
            });
            combine(job, j, rr, rl, lr, ll, found);
        }
        finish(job, i, found);
    }
}

template <class Count>
void pairs(const BitPairs<Count>& job) {
    const auto is_plain = [&](int k) {
        return job.segment[k].label == k && job.segment[k].factor == 1;
    };
    if (job.classes != 2 || job.costs != nullptr || job.min_rows != 0)
        pairs_of_many(job);
    else if (job.segments == 2 && is_plain(0) && is_plain(1))
        pairs_of_two<true>(job);
    else
        pairs_of_two<false>(job);
}

void compress(const uint64_t* from, int64_t tests, uint64_t places, int shift, uint64_t* to,
              uint64_t* next) {
    const bool spills = shift + count_bits(places) > 64;
    if (shift == 0) {
        for (int64_t t = 0; t < tests; ++t) to[t] = extract_bits(from[t], places);
        return;
    }
    for (int64_t t = 0; t < tests; ++t) {
        const uint64_t kept = extract_bits(from[t], places);
        to[t] |= kept << shift;
        if (spills) next[t] = kept >> (64 - shift);
    }
}

void count(const uint64_t* bits, int64_t stride, int64_t first, int64_t last, uint64_t* counts) {
    for (int64_t t = 0; t < stride; t += kLanes<uint64_t>) {
        BitSum sum;
        for (int64_t w = first; w < last; ++w) sum.add(load(bits + w * stride + t));
        store(counts + t, sum.total());
    }
}

}  // namespace

OptimalBitsKernels optimal_bits_kernels() {
    return {pairs<int32_t>, pairs<int64_t>, compress, count};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
