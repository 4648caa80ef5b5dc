#include "core/simd/sorted_keys.hpp"

#include "core/simd/kernels/places.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int64_t kFew = 2 * kLanes<uint32_t>;

// Ranks and positions in one number, so that all are different.
SILVA_INLINE void sort_few(const uint16_t* ranks, int64_t n, uint16_t lowest, uint64_t* keys) {
    uint16_t above[2 * kLanes<uint16_t>];
    store(above, load_first(ranks, n) - all<uint16_t>(lowest));
    uint32_t numbers[kFew];
    auto positions = iota<uint32_t>();
    for (int64_t i = 0; i < kFew; i += kLanes<uint32_t>) {
        const auto some = convert<uint32_t>(load<uint16_t, kLanes<uint32_t>>(above + i));
        store(numbers + i, some << 8 | positions);
        positions += all<uint32_t>(kLanes<uint32_t>);
    }
    Placed<uint32_t> placed(numbers, n);
    place(placed, n);
    for (int64_t i = 0; i < n; ++i)
        keys[placed.places[i]] = static_cast<uint64_t>(above[i]) << 32 | static_cast<uint64_t>(i);
}

// Equal ranks have one place: the first of them is put there, the next one after it.
template <class Rank>
void sort(const Rank* ranks, int64_t n, Rank lowest, uint64_t* keys) {
    if constexpr (sizeof(Rank) == 2)
        if (n <= kFew) return sort_few(ranks, n, lowest, keys);
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
