// Reads one column in order of id, a block of values at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/columns/target.hpp"

namespace silva {

class ColumnReader {
  public:
    ColumnReader(const ColumnView& column, const Target& target, const StopFlag& stop)
        : column_(column), target_(target), stop_(stop) {}

    // Calls f(begin, end, values) for each block of ids until f returns false.
    template <class F>
    void for_blocks(F&& f) const {
        for_blocks(0, target_.n_rows, f);
    }
    // The same for the ids of [first, last).
    template <class F>
    void for_blocks(int64_t first, int64_t last, F&& f) const {
        constexpr int64_t block = 4096;
        double values[block];
        for (int64_t begin = first; begin < last; begin += block) {
            if ((begin - first) % (block * 64) == 0) stop_.check();
            const int64_t end = std::min(begin + block, last);
            if (target_.kept.empty())
                column_.read(begin, end, values);
            else
                for (int64_t id = begin; id < end; ++id) values[id - begin] = value(id);
            if (!f(begin, end, values)) return;
        }
    }
    double value(int64_t id) const { return column_.value(target_.row_of(id)); }
    int64_t n_rows() const { return target_.n_rows; }
    bool single_precision() const { return column_.type == Type::f32; }

  private:
    const ColumnView& column_;
    const Target& target_;
    const StopFlag& stop_;
};

}  // namespace silva
