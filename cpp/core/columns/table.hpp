// Typed, borrowed columns: what training and prediction read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace silva {

enum class Kind : uint8_t { continuous, ordinal, categorical, binary };
enum class Type : uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

// Bytes of one value.
constexpr int64_t size_of(Type type) {
    switch (type) {
        case Type::i8:
        case Type::u8: return 1;
        case Type::i16:
        case Type::u16: return 2;
        case Type::f32:
        case Type::i32:
        case Type::u32: return 4;
        case Type::f64:
        case Type::i64:
        case Type::u64: return 8;
    }
    __builtin_unreachable();
}

// One column of the caller's memory. Continuous values are read as exact float64 (NaN is missing);
// the other kinds hold codes, where any negative code reads as NaN. A sparse column stores the
// values of some rows, in ascending order of the row; those of all other rows are zero.
struct ColumnView {
    const char* data = nullptr;
    int64_t stride = 0;  // bytes
    Type type = Type::f64;
    Kind kind = Kind::continuous;
    int64_t n_levels = 0;
    const int32_t* rows = nullptr;  // sparse: whose values are stored, side by side
    int64_t n_stored = -1;          // -1: the column is not sparse
    int64_t first_row = 0;          // sparse: the row that counts as row 0

    bool is_sparse() const { return n_stored >= 0; }
    // Where the value of a row is, or the stored value of this number.
    const char* at(int64_t row) const { return data + row * stride; }
    // The number of the first stored value of these rows and those after them.
    int64_t stored_from(int64_t row) const {
        return std::lower_bound(rows, rows + n_stored, row + first_row) - rows;
    }
    int64_t row_of(int64_t stored) const { return rows[stored] - first_row; }
    double stored_value(int64_t stored) const;
    // The column from this row on.
    ColumnView from(int64_t row) const;
    double value(int64_t row) const;
    // Reads rows[begin, end) into out; -0.0 becomes 0.0.
    void read(int64_t begin, int64_t end, double* out) const;
};

struct Table {
    std::vector<ColumnView> columns;
    int64_t n_rows = 0;

    bool has_sparse() const {
        return std::any_of(columns.begin(), columns.end(),
                           [](const ColumnView& column) { return column.is_sparse(); });
    }
};

}  // namespace silva
