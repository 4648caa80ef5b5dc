// Range, mean and spread of the columns of a table, for what is said about them after the fit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"

namespace silva {

// Of the finite values of a continuous column, every row counted once: NaN where there are none,
// and for columns of codes. `missing` counts NaN, or codes of -1, in columns of any kind.
struct ColumnFacts {
    double low, high, mean, deviation;
    int64_t missing;
};

// One entry a column; the same bits for any number of threads. Values of any size are fine: nothing
// overflows, and a small spread around a large mean keeps its digits.
std::vector<ColumnFacts> column_facts(const Table& table, int threads, const StopFlag& stop);

}  // namespace silva
