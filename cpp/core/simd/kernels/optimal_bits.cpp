#include "core/simd/optimal_bits.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kLane = kLanes<uint64_t>, kParts = kTestTile / kLane;
template <class Count>
using Some = Vec<Count, kLane>;

// The most classes whose counts fit on the stack: more are searched in rounds of words.
constexpr int32_t kStackClasses = 32;

// Rows that both test i and each of some tests from j on send to the right, by class.
template <class Count>
SILVA_INLINE void both(const BitPairs<Count>& job, int64_t i, int64_t j, Some<Count>* counts,
                       int32_t classes) {
    for (int32_t k = 0; k < classes; ++k) counts[k] = zero<Count, kLane>();
    for (int32_t s = 0; s < job.segments; ++s) {
        const BitSegment& segment = job.segment[s];
        const uint64_t* row = job.bits + segment.first * job.stride;
        Vec<uint64_t> sum = zero<uint64_t>();
        for (int64_t w = segment.first; w < segment.last; ++w, row += job.stride)
            sum += count_bits(all<uint64_t>(row[i]) & load(row + j));
        counts[segment.label] +=
            convert<Count>(sum) * all<Count, kLane>(static_cast<Count>(segment.factor));
    }
}

// Least costs so far of the stumps below one test, lane by lane.
template <class Count>
struct Least {
    Some<Count> right = all<Count, kLane>(kForbidden<Count>), left = right;
};

template <class Count>
SILVA_INLINE void take(Count* best, int64_t j, Some<Count> cost) {
    store(best + j, min(load<Count, kLane>(best + j), cost));
}

template <class Count>
SILVA_INLINE void finish(const BitPairs<Count>& job, int64_t i, const Least<Count>& found) {
    for (int lane = 0; lane < kLane; ++lane) {
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

template <class Count>
void pairs_of_two(const BitPairs<Count>& job) {
    const Count *ones0 = job.ones, *ones1 = job.ones + job.stride;
    for (int64_t i = 0; i < job.tests; ++i) {
        Least<Count> found;
        const auto i0 = all<Count, kLane>(ones0[i]), i1 = all<Count, kLane>(ones1[i]);
        const auto o0 = all<Count, kLane>(job.totals[0]) - i0;
        const auto o1 = all<Count, kLane>(job.totals[1]) - i1;
        for (int64_t j = i / kLane * kLane; j < job.stride; j += kLane) {
            Some<Count> c[2];
            both(job, i, j, c, 2);
            const auto j0 = load<Count, kLane>(ones0 + j) - c[0];
            const auto j1 = load<Count, kLane>(ones1 + j) - c[1];
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
        cost = all<Count, kLane>(kForbidden<Count>);
        for (int32_t c = 0; c < classes; ++c) {
            Some<Count> sum = zero<Count, kLane>();
            for (int32_t k = 0; k < classes; ++k)
                sum += of(k) * all<Count, kLane>(job.costs[k * classes + c]);
            cost = min(cost, sum);
        }
    }
    if (job.min_rows > 0) {
        const auto few = of(classes).raw < all<Count, kLane>(job.min_rows).raw;
        cost = Some<Count>{few ? all<Count, kLane>(kForbidden<Count>).raw : cost.raw};
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
    for (int64_t i = 0; i < job.tests; ++i) {
        Least<Count> found;
        for (int64_t j = i / kLane * kLane; j < job.stride; j += kLane) {
            both(job, i, j, c, counted);
            const auto of_i = [&](int32_t k) {
                return all<Count, kLane>(job.ones[k * job.stride + i]);
            };
            const auto of_j = [&](int32_t k) {
                return load<Count, kLane>(job.ones + k * job.stride + j);
            };
            const auto rr = leaf(job, [&](int32_t k) { return c[k]; });
            const auto rl = leaf(job, [&](int32_t k) { return of_i(k) - c[k]; });
            const auto lr = leaf(job, [&](int32_t k) { return of_j(k) - c[k]; });
            const auto ll = leaf(job, [&](int32_t k) {
                return all<Count, kLane>(job.totals[k]) - of_i(k) - of_j(k) + c[k];
            });
            combine(job, j, rr, rl, lr, ll, found);
        }
        finish(job, i, found);
    }
}

template <class Count>
void pairs(const BitPairs<Count>& job) {
    for (int64_t t = 0; t < job.stride; ++t) job.right[t] = job.left[t] = kForbidden<Count>;
    if (job.classes == 2 && job.costs == nullptr && job.min_rows == 0)
        pairs_of_two(job);
    else
        pairs_of_many(job);
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
    for (int64_t t = 0; t < stride; t += kLane) {
        Vec<uint64_t> sum = zero<uint64_t>();
        for (int64_t w = first; w < last; ++w) sum += count_bits(load(bits + w * stride + t));
        store(counts + t, sum);
    }
}

}  // namespace

OptimalBitsKernels optimal_bits_kernels() {
    return {pairs<int32_t>, pairs<int64_t>, compress, count};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
