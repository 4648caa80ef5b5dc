// The lowest and the highest of some values.
#pragma once

namespace silva::simd {

template <class T>
struct Range {
    T low, high;
};

}  // namespace silva::simd
