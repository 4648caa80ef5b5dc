// Lines of lanes for the kernels of optimal/kernels/stumps.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "core/optimal/kernels/stumps.hpp"

namespace silva::optimal {

// Each holds the lanes of the left side, then those of the right side. Aligned, so that a load in a
// kernel finds in one place what was just stored. Zero at first.
template <class T>
class Lines {
  public:
    // Makes room for n lines; keeps the contents.
    void resize(int64_t n) {
        if (static_cast<size_t>(n) > lines_.size()) lines_.resize(static_cast<size_t>(n));
    }
    T* data() { return reinterpret_cast<T*>(lines_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(lines_.data()); }
    T& operator[](int64_t i) { return data()[i]; }
    const T& operator[](int64_t i) const { return data()[i]; }

  private:
    struct alignas(simd::kStumpBytes) Line {
        T lanes[2 * simd::kStumpLanes<T>];
    };
    std::vector<Line> lines_;
};

}  // namespace silva::optimal
