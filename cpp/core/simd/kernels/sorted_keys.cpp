#include "core/simd/sorted_keys.hpp"

#include "core/simd/kernels/places.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

// Equal ranks have one place: the first of them is put there, the next one after it.
template <class Rank>
void sort(const Rank* ranks, int64_t n, Rank lowest, uint64_t* keys) {
    Placed<Rank> placed(ranks, n);
    place(placed, n);
    uint8_t n_there[kCountedKeys] = {};
    for (int64_t i = 0; i < n; ++i) {
        const auto at = placed.places[i];
        keys[at + n_there[at]++] =
            static_cast<uint64_t>(ranks[i] - lowest) << 32 | static_cast<uint64_t>(i);
    }
}

}  // namespace

SortedKeysKernels sorted_keys_kernels() { return {sort, sort}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
