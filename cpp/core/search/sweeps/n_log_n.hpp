// n * log2(n), looked up for small counts.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace silva {

class NLogN {
  public:
    double operator()(int64_t n) const { return n < kSize ? table_[n] : term(n); }

  private:
    static constexpr int64_t kSize = 1 << 16;

    static double term(int64_t n) {
        return n < 2 ? 0.0 : static_cast<double>(n) * std::log2(static_cast<double>(n));
    }
    // Not a lambda: GCC tries to evaluate lambdas, all logarithms included, when it compiles them.
    static std::vector<double> terms() {
        std::vector<double> terms;
        for (int64_t n = 0; n < kSize; ++n) terms.push_back(term(n));
        return terms;
    }
    static const double* table() {
        static const std::vector<double> table = terms();
        return table.data();
    }

    const double* table_ = table();
};

}  // namespace silva
