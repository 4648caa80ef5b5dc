// The places that few values have in their order, by counting those that are lower: no branches,
// and two instructions for each pair of registers. Included by kernels only.
#pragma once

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int64_t kMostPlaces = 256;

// Values, as signed ones of the same order, which every instruction set can compare; and their
// places. Both have room for whole registers.
template <class T>
struct Placed {
    static constexpr int kTogether = 4;  // registers
    static constexpr int kWidth = kLanes<T>;
    Signed<T> values[kMostPlaces + kTogether * kWidth];
    T places[kMostPlaces + kTogether * kWidth];

    SILVA_INLINE Placed(const T* from, int64_t n) {
        const auto top = all<T>(T(T(1) << (8 * sizeof(T) - 1)));
        int64_t i = 0;
        for (; i + kWidth <= n; i += kWidth) store(values + i, as<Signed<T>>(load(from + i) ^ top));
        if (i < n) store(values + i, as<Signed<T>>(load_first(from + i, n - i) ^ top));
    }
};

// The places of the values of some registers from `begin` on; equal ones have one place.
template <int n_registers, class T>
SILVA_INLINE void place_some(Placed<T>& placed, int64_t n, int64_t begin) {
    constexpr int width = kLanes<T>;
    using S = Signed<T>;
    Vec<S> mine[n_registers], lower[n_registers];
    for (int r = 0; r < n_registers; ++r) {
        mine[r] = load(placed.values + begin + r * width);
        lower[r] = zero<S>();
    }
    for (int64_t j = 0; j < n; ++j) {
        const auto value = all<S>(placed.values[j]);
        for (int r = 0; r < n_registers; ++r)
            lower[r] = add_one_where(less(value, mine[r]), lower[r]);
    }
    for (int r = 0; r < n_registers; ++r) store(placed.places + begin + r * width, as<T>(lower[r]));
}

template <class T>
SILVA_INLINE void place(Placed<T>& placed, int64_t n) {
    constexpr int width = kLanes<T>;
    int64_t begin = 0;
    for (; n - begin > 2 * width; begin += 4 * width) place_some<4>(placed, n, begin);
    if (n - begin > width)
        place_some<2>(placed, n, begin);
    else if (n > begin)
        place_some<1>(placed, n, begin);
}

}  // namespace
}  // namespace silva::simd::SILVA_ISA_NAMESPACE
