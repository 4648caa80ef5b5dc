#include "core/columns/column_facts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

// Rows are read in blocks, all columns of a block before the next one: so a table whose rows lie
// side by side passes through the cache once. Tasks of fixed size add up blocks in order, and their
// sums are added in order too: whichever thread computes them, the result is the same.
constexpr int64_t kBlockRows = 256, kTaskRows = 8192, kTaskColumns = 64;
static_assert(kBlockRows % simd::kMomentLanes == 0);
constexpr int64_t kCellsOfThread = 1 << 19;  // fewer are read before a thread has started

constexpr int64_t kLine = 64;  // bytes of a cache line

// Beyond these sizes squares overflow, or lose digits near zero.
constexpr int kLargest = 500, kSmallest = -440;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

// The mean is base + offset, where base is one of the values: so offsets, and the squared
// deviations from the mean, are small numbers even where the values are large.
struct Moments {
    double low = kNaN, high = kNaN, base = 0.0, offset = 0.0, squares = 0.0;
    int64_t count = 0, missing = 0;

    void add(const Moments& other) {
        missing += other.missing;
        if (other.count == 0) return;
        if (count == 0) {
            const int64_t so_far = missing;
            *this = other;
            missing = so_far;
            return;
        }
        const auto n = static_cast<double>(count), m = static_cast<double>(other.count);
        const double gap = (other.base - base) + (other.offset - offset);
        squares += other.squares + gap * gap * (n * m / (n + m));
        offset += gap * (m / (n + m));
        low = std::min(low, other.low);
        high = std::max(high, other.high);
        count += other.count;
    }
};

// Of n >= 1 values; `values` has room for padding to whole lanes. Padding repeats the base, which
// changes no sum. Where a value is not finite, `squares` is not either.
Moments moments_of(double* values, int64_t n) {
    const double base = values[0];
    const int64_t end = parts(n, simd::kMomentLanes) * simd::kMomentLanes;
    std::fill(values + n, values + end, base);
    const simd::BlockMoments found = simd::kernels().moments.block_moments(values, end, base);
    const double offset = found.sum / static_cast<double>(n);
    const double squares = std::max(found.squares - found.sum * offset, 0.0);
    return {found.low, found.high, base, offset, squares, n, 0};
}

// Moves the finite values to the front, in order.
struct Kept {
    int64_t count = 0, missing = 0;
};
Kept keep_finite(double* values, int64_t n) {
    Kept kept;
    for (int64_t i = 0; i < n; ++i) {
        const double value = values[i];
        values[kept.count] = value;
        kept.count += std::isfinite(value);
        kept.missing += value != value;
    }
    return kept;
}

Moments moments_of_any(double* values, int64_t n) {
    Moments found = moments_of(values, n);
    if (std::isfinite(found.squares)) return found;
    const Kept kept = keep_finite(values, n);
    found = kept.count == 0 ? Moments{} : moments_of(values, kept.count);
    found.missing = kept.missing;
    return found;
}

// A column, and the power of two that its values are divided by.
struct Scaled {
    int64_t column = 0;
    int exponent = 0;
};

void scale(double* values, int64_t n, int exponent) {
    if (exponent == 0) return;
    for (int64_t i = 0; i < n; ++i) values[i] = std::ldexp(values[i], -exponent);
}

Moments block_moments(const ColumnView& column, int exponent, int64_t begin, int64_t end) {
    double values[kBlockRows];
    column.read(begin, end, values);
    scale(values, end - begin, exponent);
    return moments_of_any(values, end - begin);
}

int64_t missing_codes(const ColumnView& column, int64_t begin, int64_t end) {
    if (column.type != Type::i32) return 0;  // zeros and ones
    int64_t missing = 0;
    for (int64_t row = begin; row < end; ++row) {
        int32_t code;
        std::memcpy(&code, column.at(row), sizeof(code));
        missing += code == -1;
    }
    return missing;
}

Moments moments_between(const ColumnView& column, int exponent, int64_t begin, int64_t end) {
    if (column.kind == Kind::continuous) return block_moments(column, exponent, begin, end);
    Moments found;
    found.missing = missing_codes(column, begin, end);
    return found;
}

// Some columns, one for each cache line of a row, where rows lie side by side. Empty where columns
// do: the processor foresees which values come next.
std::vector<const ColumnView*> lines_of_row(const Table& table, std::span<const Scaled> columns) {
    std::vector<const ColumnView*> found;
    if (table.n_rows <= kBlockRows) return found;
    for (const Scaled& one : columns) {
        const ColumnView& column = table.columns[one.column];
        if (std::abs(column.stride) < kLine) continue;
        if (found.empty() || found.back()->stride != column.stride ||
            std::abs(column.data - found.back()->data) >= kLine)
            found.push_back(&column);
    }
    return found;
}

// In the order of the memory, and far enough ahead to be there in time.
void prefetch(const std::vector<const ColumnView*>& lines, int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
        for (const ColumnView* line : lines) __builtin_prefetch(line->at(row), 0, 2);
}

// Adds what rows[begin, end) say of some columns; fetches a part of the next block for each column.
void add_rows(const Table& table, std::span<const Scaled> columns, int64_t begin, int64_t end,
              Moments* sums) {
    const std::vector<const ColumnView*> lines = lines_of_row(table, columns);
    const auto width = static_cast<int64_t>(columns.size());
    for (int64_t row = begin; row < end; row += kBlockRows) {
        const int64_t next = std::min(row + kBlockRows, end);
        for (int64_t c = 0; c < width; ++c) {
            prefetch(lines, std::min(next + kBlockRows * c / width, table.n_rows),
                     std::min(next + kBlockRows * (c + 1) / width, table.n_rows));
            const auto& [column, exponent] = columns[c];
            sums[c].add(moments_between(table.columns[column], exponent, row, next));
        }
    }
}

int threads_for(int64_t cells, int64_t tasks, int threads) {
    const int64_t useful = std::min(tasks, cells / kCellsOfThread);
    return static_cast<int>(std::clamp<int64_t>(useful, 1, std::max(threads, 1)));
}

std::vector<Moments> dense_moments(const Table& table, const std::vector<Scaled>& columns,
                                   int threads, const StopFlag& stop) {
    const auto width = static_cast<int64_t>(columns.size());
    const int64_t down = parts(table.n_rows, kTaskRows), across = parts(width, kTaskColumns);
    std::vector<Moments> found(down * width);
    if (down * across == 1) {  // a small table: a team takes longer
        add_rows(table, columns, 0, table.n_rows, found.data());
        return found;
    }
    Team team(threads_for(table.n_rows * width, down * across, threads));
    team.for_each(down * across, [&](int64_t task, int) {
        stop.check();
        const int64_t chunk = task / across, first = task % across * kTaskColumns;
        const int64_t begin = chunk * kTaskRows, count = std::min(kTaskColumns, width - first);
        add_rows(table, std::span(columns).subspan(first, count), begin,
                 std::min(begin + kTaskRows, table.n_rows), &found[chunk * width + first]);
    });
    std::vector<Moments> sums(width);
    for (int64_t chunk = 0; chunk < down; ++chunk)
        for (int64_t c = 0; c < width; ++c) sums[c].add(found[chunk * width + c]);
    return sums;
}

// What is stored, and then the zeros as one block.
Moments sparse_moments(const ColumnView& column, int exponent, int64_t n_rows) {
    Moments sum;
    for (int64_t begin = 0; begin < column.n_stored; begin += kBlockRows) {
        double values[kBlockRows];
        const int64_t n = std::min(kBlockRows, column.n_stored - begin);
        for (int64_t i = 0; i < n; ++i) values[i] = column.stored_value(begin + i);
        scale(values, n, exponent);
        sum.add(moments_of_any(values, n));
    }
    Moments zeros{0.0, 0.0, 0.0, 0.0, 0.0, n_rows - column.n_stored, 0};
    sum.add(zeros);
    return sum;
}

// Those of the columns that are sparse, each in its place.
std::vector<Moments> sparse_moments(const Table& table, const std::vector<Scaled>& columns,
                                    int threads, const StopFlag& stop) {
    const auto width = static_cast<int64_t>(columns.size());
    int64_t stored = 0;
    for (const Scaled& one : columns)
        stored += std::max<int64_t>(table.columns[one.column].n_stored, 0);
    std::vector<Moments> found(columns.size());
    Team team(threads_for(stored, parts(width, kTaskColumns), threads));
    team.for_each(parts(width, kTaskColumns), [&](int64_t task, int) {
        stop.check();
        for (int64_t i = task * kTaskColumns; i < std::min((task + 1) * kTaskColumns, width); ++i) {
            const ColumnView& column = table.columns[columns[i].column];
            if (column.is_sparse() && column.kind == Kind::continuous)
                found[i] = sparse_moments(column, columns[i].exponent, table.n_rows);
        }
    });
    return found;
}

std::vector<Moments> all_moments(const Table& table, const std::vector<Scaled>& columns,
                                 int threads, const StopFlag& stop) {
    if (!table.has_sparse()) return dense_moments(table, columns, threads, stop);
    std::vector<Moments> found = sparse_moments(table, columns, threads, stop);
    std::vector<Scaled> dense;
    std::vector<size_t> places;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (table.columns[columns[i].column].is_sparse()) continue;
        dense.push_back(columns[i]);
        places.push_back(i);
    }
    const std::vector<Moments> others =
        dense.empty() ? std::vector<Moments>() : dense_moments(table, dense, threads, stop);
    for (size_t i = 0; i < others.size(); ++i) found[places[i]] = others[i];
    return found;
}

// 0 where squares of the values neither overflow nor vanish.
int exponent_for(const Moments& moments) {
    const double size = std::max(std::fabs(moments.low), std::fabs(moments.high));
    if (moments.count == 0 || size == 0.0) return 0;
    const int exponent = std::ilogb(size) + 1;
    return exponent > kLargest || exponent < kSmallest ? exponent : 0;
}

ColumnFacts facts_of(const Moments& moments, int exponent) {
    if (moments.count == 0) return {kNaN, kNaN, kNaN, kNaN, moments.missing};
    const double mean = std::clamp(moments.base + moments.offset, moments.low, moments.high);
    const double spread = std::sqrt(moments.squares / static_cast<double>(moments.count));
    // Half the range is finite, but rounding may reach beyond it.
    const double deviation = std::min(std::ldexp(spread, exponent), kMax);
    return {std::ldexp(moments.low, exponent), std::ldexp(moments.high, exponent),
            std::ldexp(mean, exponent), deviation, moments.missing};
}

}  // namespace

std::vector<ColumnFacts> column_facts(const Table& table, int threads, const StopFlag& stop) {
    std::vector<Scaled> columns(table.columns.size()), odd;
    for (size_t c = 0; c < columns.size(); ++c) columns[c].column = static_cast<int64_t>(c);
    const std::vector<Moments> sums = all_moments(table, columns, threads, stop);
    std::vector<ColumnFacts> facts;
    facts.reserve(columns.size());
    for (const Scaled& one : columns) {
        const Moments& found = sums[one.column];
        if (const int exponent = exponent_for(found)) odd.push_back({one.column, exponent});
        facts.push_back(facts_of(found, 0));
    }
    if (odd.empty()) return facts;
    const std::vector<Moments> scaled = all_moments(table, odd, threads, stop);
    for (size_t i = 0; i < odd.size(); ++i) {
        ColumnFacts& found = facts[odd[i].column];
        const ColumnFacts again = facts_of(scaled[i], odd[i].exponent);
        found.mean = std::clamp(again.mean, found.low, found.high);
        found.deviation = again.deviation;
    }
    return facts;
}

}  // namespace silva
