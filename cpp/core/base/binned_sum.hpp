// Sums of many numbers that are not negative, without rounding on the way.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace silva {

// Mantissas are added up as integers, by exponent; `value` rounds once. Up to 2^64 finite terms.
class BinnedSum {
  public:
    void add(double x) {
        const auto bits = std::bit_cast<uint64_t>(x);
        const uint64_t exponent = bits >> 52, fraction = bits & ((uint64_t{1} << 52) - 1);
        if (exponent == 0)
            bins_[1] += fraction;
        else
            bins_[exponent] += fraction | uint64_t{1} << 52;
    }
    double value() const;

  private:
    static constexpr int kExponents = 2047;
    std::vector<unsigned __int128> bins_ = std::vector<unsigned __int128>(kExponents, 0);
};

}  // namespace silva
