// Rows in ascending order of a number.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/array.hpp"

namespace silva {

// Memory that is used again from one call to the next.
class Order {
  public:
    // The indices 0, ..., n - 1 in ascending order of z, equal ones by index; NaN comes last.
    const std::vector<uint32_t>& of(const double* z, int64_t n);

  private:
    void radix_sort(int64_t n);

    std::vector<uint64_t> keys_, other_;
    std::vector<uint32_t> counts_, order_;
};

}  // namespace silva
