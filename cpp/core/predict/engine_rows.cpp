#include "core/predict/engine_rows.hpp"

#include <algorithm>

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

constexpr int64_t kTile = 64;  // rows whose columns are read in turn

void join(simd::KeyFacts& facts, simd::KeyFacts more) {
    facts.missing |= more.missing;
    facts.rounded |= more.rounded;
}

simd::KeyFacts write_codes(const double* values, int64_t n, Key* out) {
    simd::KeyFacts facts;
    for (int64_t i = 0; i < n; ++i) {
        const double x = values[i];
        const bool absent = !(x >= 0);
        facts.missing |= absent;
        facts.rounded |= !absent && static_cast<double>(static_cast<float>(x)) != x;
        out[i] = absent ? (x == kUnseenCode ? kUnseenKey : kMissingKey) : key_below(x);
    }
    return facts;
}

bool is_real(const ColumnView& column) {
    return column.kind == Kind::continuous && !column.is_sparse() &&
           (column.type == Type::f32 || column.type == Type::f64);
}

simd::KeyFacts read_numbers(const ColumnView& first, int64_t begin, int64_t n, int64_t width,
                            Key* out) {
    const simd::KeyKernels& kernels = simd::kernels().keys;
    return (first.type == Type::f32 ? kernels.of_floats : kernels.of_doubles)(
        first.at(begin), first.stride, n, width, out);
}

}  // namespace

// Columns that lie side by side are read row by row. False, and nothing done, if they do not.
bool KeyRows::read_matrix(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                          int64_t end) {
    if (columns.empty()) return true;
    const ColumnView& first = table.columns[columns[0]];
    const char* expected = first.data;
    for (int32_t c : columns) {
        const ColumnView& column = table.columns[c];
        if (!is_real(column) || column.type != first.type || column.stride != first.stride ||
            column.data != expected)
            return false;
        expected += size_of(first.type);
    }
    if (width == 1) return false;
    facts = read_numbers(first, begin, end - begin, width, keys.data());
    return true;
}

void KeyRows::read_column(const ColumnView& column, int64_t begin, int64_t n, Key* out) {
    Key tile[kTile];
    if (is_real(column)) {
        join(facts, read_numbers(column, begin, n, 1, tile));
    } else {
        double values[kTile];
        ColumnView raw = column;
        raw.kind = Kind::continuous;
        raw.read(begin, begin + n, values);
        ColumnView copy;
        copy.data = reinterpret_cast<const char*>(values);
        copy.stride = sizeof(double);
        join(facts, column.kind == Kind::continuous ? read_numbers(copy, 0, n, 1, tile)
                                                    : write_codes(values, n, tile));
    }
    for (int64_t i = 0; i < n; ++i) out[i * width] = tile[i];
}

void KeyRows::read(const Table& table, const std::vector<int32_t>& columns, int64_t begin,
                   int64_t end) {
    width = static_cast<int64_t>(columns.size());
    facts = {};
    keys.resize(static_cast<size_t>((end - begin) * width));
    if (read_matrix(table, columns, begin, end)) return;
    for (int64_t first = begin; first < end; first += kTile) {
        const int64_t n = std::min(kTile, end - first);
        for (int64_t i = 0; i < width; ++i)
            read_column(table.columns[columns[i]], first, n,
                        keys.data() + (first - begin) * width + i);
    }
}

}  // namespace silva
