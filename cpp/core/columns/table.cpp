#include "core/columns/table.hpp"

#include <cstring>
#include <limits>

namespace silva {
namespace {

template <class T>
double as_double(const char* at, bool coded) {
    T raw;
    std::memcpy(&raw, at, sizeof(T));
    if (coded && raw < T(0)) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(raw) + 0.0;
}

template <class T>
void read_typed(const ColumnView& column, int64_t begin, int64_t end, double* out) {
    const bool coded = column.kind != Kind::continuous;
    const char* at = column.at(begin);
    for (int64_t i = 0; i < end - begin; ++i, at += column.stride) out[i] = as_double<T>(at, coded);
}

template <class F>
auto with_type(Type type, F&& f) {
    switch (type) {
        case Type::f32: return f(float{});
        case Type::f64: return f(double{});
        case Type::i8: return f(int8_t{});
        case Type::i16: return f(int16_t{});
        case Type::i32: return f(int32_t{});
        case Type::i64: return f(int64_t{});
        case Type::u8: return f(uint8_t{});
        case Type::u16: return f(uint16_t{});
        case Type::u32: return f(uint32_t{});
        case Type::u64: return f(uint64_t{});
    }
    __builtin_unreachable();
}

}  // namespace

double ColumnView::stored_value(int64_t stored) const {
    return with_type(type, [&](auto tag) {
        return as_double<decltype(tag)>(at(stored), kind != Kind::continuous);
    });
}

double ColumnView::value(int64_t row) const {
    if (!is_sparse()) return stored_value(row);
    const int64_t stored = stored_from(row);
    return stored < n_stored && row_of(stored) == row ? stored_value(stored) : 0.0;
}

ColumnView ColumnView::from(int64_t row) const {
    ColumnView rest = *this;
    if (is_sparse())
        rest.first_row += row;
    else
        rest.data += row * stride;
    return rest;
}

void ColumnView::read(int64_t begin, int64_t end, double* out) const {
    if (is_sparse()) {
        std::fill(out, out + (end - begin), 0.0);
        for (int64_t i = stored_from(begin); i < n_stored && row_of(i) < end; ++i)
            out[row_of(i) - begin] = stored_value(i);
        return;
    }
    with_type(type, [&](auto tag) { read_typed<decltype(tag)>(*this, begin, end, out); });
}

}  // namespace silva
