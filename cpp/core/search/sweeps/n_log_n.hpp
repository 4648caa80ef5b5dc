// n * log2(n), looked up for small counts.
#pragma once

#include <cmath>
#include <cstdint>

namespace silva {

class NLogN {
  public:
    double operator()(int64_t n) const {
        if (n < kSize) return table_[n];
        return static_cast<double>(n) * std::log2(static_cast<double>(n));
    }

  private:
    static constexpr int64_t kSize = 1 << 16;
    static const double* table();  // filled by the first call

    const double* table_ = table();
};

}  // namespace silva
