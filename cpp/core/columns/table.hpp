// Typed, borrowed columns: what training and prediction read.
#pragma once

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
// the other kinds hold codes, where any negative code reads as NaN.
struct ColumnView {
    const char* data = nullptr;
    int64_t stride = 0;  // bytes
    Type type = Type::f64;
    Kind kind = Kind::continuous;
    int64_t n_levels = 0;

    const char* at(int64_t row) const { return data + row * stride; }
    double value(int64_t row) const;
    // Reads rows[begin, end) into out; -0.0 becomes 0.0.
    void read(int64_t begin, int64_t end, double* out) const;
};

struct Table {
    std::vector<ColumnView> columns;
    int64_t n_rows = 0;
};

}  // namespace silva
