// What the tests share: draws that can be repeated, tables over vectors, comparisons.
#pragma once

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/table.hpp"
#include "core/tree/tree_builder.hpp"

namespace silva::test {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// Uses only what the standard fixes, so the numbers are the same everywhere.
class Draw {
  public:
    explicit Draw(uint64_t seed) : engine_(seed) {}

    int64_t below(int64_t n) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n)); }
    // Both ends included.
    int64_t between(int64_t low, int64_t high) {
        const auto first = static_cast<uint64_t>(low);
        return static_cast<int64_t>(first + engine_() % (static_cast<uint64_t>(high) - first + 1));
    }
    // In [0, 1).
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    bool chance(double share) { return unit() < share; }
    template <class T>
    const T& pick(const std::vector<T>& values) {
        return values[static_cast<size_t>(below(static_cast<int64_t>(values.size())))];
    }
    template <class T>
    void shuffle(std::vector<T>& values) {
        for (size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[static_cast<size_t>(below(static_cast<int64_t>(i)))]);
    }

  private:
    std::mt19937_64 engine_;
};

template <class T>
constexpr Type type_of() {
    if constexpr (std::is_same_v<T, float>) return Type::f32;
    if constexpr (std::is_same_v<T, double>) return Type::f64;
    if constexpr (std::is_same_v<T, int8_t>) return Type::i8;
    if constexpr (std::is_same_v<T, int16_t>) return Type::i16;
    if constexpr (std::is_same_v<T, int32_t>) return Type::i32;
    if constexpr (std::is_same_v<T, int64_t>) return Type::i64;
    if constexpr (std::is_same_v<T, uint8_t>) return Type::u8;
    if constexpr (std::is_same_v<T, uint16_t>) return Type::u16;
    if constexpr (std::is_same_v<T, uint32_t>) return Type::u32;
    if constexpr (std::is_same_v<T, uint64_t>) return Type::u64;
}

// The vector must outlive the view.
template <class T>
ColumnView view(const std::vector<T>& values, Kind kind = Kind::continuous) {
    ColumnView column;
    column.data = reinterpret_cast<const char*>(values.data());
    column.stride = sizeof(T);
    column.type = type_of<T>();
    column.kind = kind;
    return column;
}

template <class T>
std::vector<T> to_vector(const Array<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

inline uint64_t bits(double x) { return std::bit_cast<uint64_t>(x); }

inline auto fields(const TreeArrays& t) {
    return std::tuple_cat(
        std::tie(t.child_start, t.child, t.split_kind, t.split_index, t.gain, t.threshold_column,
                 t.threshold_value, t.threshold_missing, t.threshold_unseen),
        std::tie(t.subset_column, t.subset_start, t.subset_codes, t.subset_rest_start,
                 t.subset_rest, t.subset_missing, t.subset_unseen),
        std::tie(t.multiway_column, t.multiway_start, t.multiway_codes, t.multiway_missing,
                 t.multiway_unseen),
        std::tie(t.oblique_start, t.oblique_column, t.oblique_code, t.oblique_weight,
                 t.oblique_threshold, t.oblique_missing),
        std::tie(t.distance_metric, t.distance_start, t.distance_column, t.distance_center,
                 t.distance_scale, t.distance_matrix_start, t.distance_matrix, t.distance_threshold,
                 t.distance_missing),
        std::tie(t.leaf_rows, t.class_start, t.class_weight, t.class_code, t.moment_weight,
                 t.moment_sum, t.moment_squares, t.moment_value));
}
inline bool same(const TreeArrays& a, const TreeArrays& b) { return fields(a) == fields(b); }

}  // namespace silva::test
