#include "core/forest/split_values.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/forest/lanes.hpp"
#include "core/wide.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

template <class T>
void mark_below_plainly(const T* values, int64_t n, T cut, uint64_t* bits) {
    for (int64_t begin = 0; begin < n; begin += 64) {
        const int64_t end = std::min(begin + 64, n);
        uint64_t word = 0;
        for (int64_t i = begin; i < end; ++i)
            word |= static_cast<uint64_t>(values[i] < cut) << (i - begin);
        bits[begin / 64] = word;
    }
}

template <class T>
void split_plainly(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest) {
    T *left = values, *right = spare;
    for (int64_t i = 0; i < n; ++i) {
        const T value = values[i];
        const bool goes_left = (bits[i / 64] >> (i % 64) & 1) != 0;
        *left = value;
        *right = value;
        left += goes_left ? 1 : 0;
        right += goes_left ? 0 : 1;
    }
    if (keep_rest) std::memcpy(left, spare, sizeof(T) * static_cast<size_t>(right - spare));
}

template <class T>
void pick_plainly(const T* values, uint32_t rows, T* out) {
    for (; rows != 0; rows &= rows - 1) *out++ = values[std::countr_zero(rows)];
}
uint32_t spread_plainly(uint64_t bits, uint32_t places) {
    uint32_t spread = 0;
    for (; places != 0; places &= places - 1, bits >>= 1)
        if ((bits & 1) != 0) spread |= places & -places;
    return spread;
}

// ---- wide loops --------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

template <class T>
SILVA_WIDE void split_widely(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest) {
    using L = Lanes<T>;
    using Bits = typename L::Bits;
    constexpr int width = L::kWidth;
    T *left = values, *right = spare;
    for (int64_t i = 0; i < n; i += width) {
        const uint64_t here = lowest_bits(std::min<int64_t>(width, n - i));
        const uint64_t marked = (bits[i / 64] >> (i % 64)) & here;
        const __m512i entries = L::load(static_cast<Bits>(here), values + i);
        const int lefts = __builtin_popcountll(marked);
        const auto rest = static_cast<Bits>(here & ~marked);
        const __m512i to_left = L::compress(static_cast<Bits>(marked), entries);
        const __m512i to_right = L::compress(rest, entries);
        if (n <= width) {
            L::store(values, static_cast<Bits>(lowest_bits(lefts)), to_left);
            L::store(values + lefts, static_cast<Bits>(lowest_bits(n - lefts)), to_right);
            return;
        }
        L::store(left, static_cast<Bits>(lowest_bits(lefts)), to_left);
        _mm512_storeu_si512(right, to_right);
        left += lefts;
        right += __builtin_popcountll(here & ~marked);
    }
    const int64_t n_rest = keep_rest ? right - spare : 0;
    if (n_rest > 4 * width) {
        std::memcpy(left, spare, sizeof(T) * static_cast<size_t>(n_rest));
        return;
    }
    for (int64_t i = 0; i < n_rest; i += width)
        L::store(left + i, static_cast<Bits>(lowest_bits(n_rest - i)),
                 _mm512_loadu_si512(spare + i));
}

// How the rows of one register are told apart: those that go left and those that go right, of whom
// so many come before.
struct Sides {
    __mmask32 left, right;
    __mmask32 left_room, right_room;  // the lowest bits, as many
    uint32_t lefts_before, rights_before;
};

// The rows are told apart once for all columns, and a column is in registers before it is written.
template <int kRegisters>
SILVA_WIDE void split_short_columns(std::span<uint16_t* const> columns, int64_t n,
                                    const uint64_t* bits, bool keep_rest) {
    Sides sides[kRegisters];
    uint32_t lefts = 0, rights = 0;
    for (int r = 0; r < kRegisters; ++r) {
        const auto here = static_cast<__mmask32>(lowest_bits(std::max<int64_t>(n - 32 * r, 0)));
        const auto marked = static_cast<__mmask32>(bits[r / 2] >> (32 * (r % 2))) & here;
        const int n_left = __builtin_popcount(marked), n_right = __builtin_popcount(here & ~marked);
        sides[r] = {marked,
                    here & ~marked,
                    static_cast<__mmask32>(lowest_bits(n_left)),
                    static_cast<__mmask32>(lowest_bits(n_right)),
                    lefts,
                    rights};
        lefts += static_cast<uint32_t>(n_left);
        rights += static_cast<uint32_t>(n_right);
    }
    for (uint16_t* column : columns) {
        __m512i entries[kRegisters];
        for (int r = 0; r < kRegisters; ++r) entries[r] = _mm512_loadu_si512(column + 32 * r);
        for (int r = 0; r < kRegisters; ++r) {
            const Sides& side = sides[r];
            _mm512_mask_storeu_epi16(column + side.lefts_before, side.left_room,
                                     _mm512_maskz_compress_epi16(side.left, entries[r]));
            if (keep_rest)
                _mm512_mask_storeu_epi16(column + lefts + side.rights_before, side.right_room,
                                         _mm512_maskz_compress_epi16(side.right, entries[r]));
        }
    }
}

SILVA_WIDE void split_columns_widely(std::span<uint16_t* const> columns, int64_t n,
                                     const uint64_t* bits, uint16_t* spare, bool keep_rest) {
    if (n <= 64) return split_short_columns<2>(columns, n, bits, keep_rest);
    if (n <= 128) return split_short_columns<4>(columns, n, bits, keep_rest);
    if (n <= 256) return split_short_columns<8>(columns, n, bits, keep_rest);
    for (uint16_t* column : columns) split_widely(column, n, bits, spare, keep_rest);
}

SILVA_WIDE void pick_widely(const uint16_t* values, uint32_t rows, uint16_t* out) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi16(rows, _mm512_loadu_si512(values)));
}
SILVA_WIDE void pick_widely(const uint64_t* values, uint32_t rows, uint64_t* out) {
    for (; rows != 0; rows >>= 8, values += 8) {
        const auto here = static_cast<__mmask8>(rows);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(here, _mm512_loadu_si512(values)));
        out += __builtin_popcount(here);
    }
}
SILVA_WIDE uint32_t spread_widely(uint64_t bits, uint32_t places) {
    return _pdep_u32(static_cast<uint32_t>(bits), places);
}

SILVA_WIDE void mark_widely(const uint16_t* values, int64_t n, uint16_t cut, uint64_t* bits) {
    const __m512i cuts = _mm512_set1_epi16(static_cast<short>(cut));
    for (int64_t i = 0; i < n; i += 64) {
        const uint64_t here = lowest_bits(n - i);
        const auto low = static_cast<__mmask32>(here), high = static_cast<__mmask32>(here >> 32);
        uint64_t word =
            _mm512_mask_cmplt_epu16_mask(low, _mm512_maskz_loadu_epi16(low, values + i), cuts);
        if (high != 0) {
            const __m512i upper = _mm512_maskz_loadu_epi16(high, values + i + 32);
            word |= static_cast<uint64_t>(_mm512_mask_cmplt_epu16_mask(high, upper, cuts)) << 32;
        }
        bits[i / 64] = word;
    }
}

SILVA_WIDE void mark_widely(const uint32_t* values, int64_t n, uint32_t cut, uint64_t* bits) {
    const __m512i cuts = _mm512_set1_epi32(static_cast<int>(cut));
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = 0;
        for (int64_t at = 0; at < 64 && i + at < n; at += 16) {
            const auto here = static_cast<__mmask16>(lowest_bits(n - i - at));
            const __m512i entries = _mm512_maskz_loadu_epi32(here, values + i + at);
            word |= static_cast<uint64_t>(_mm512_mask_cmplt_epu32_mask(here, entries, cuts)) << at;
        }
        bits[i / 64] = word;
    }
}

SILVA_WIDE void mark_bit_widely(const uint64_t* words, int64_t n, int bit, bool value,
                                uint64_t* bits) {
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(uint64_t{1} << bit));
    for (int64_t i = 0; i < n; i += 64) {
        uint64_t word = 0;
        for (int64_t at = 0; at < 64 && i + at < n; at += 8) {
            const auto here = static_cast<__mmask8>(lowest_bits(n - i - at));
            const __m512i entries = _mm512_maskz_loadu_epi64(here, words + i + at);
            const uint64_t set = _mm512_mask_test_epi64_mask(here, entries, wanted);
            word |= (value ? set : here & ~set) << at;
        }
        bits[i / 64] = word;
    }
}

#endif

}  // namespace

#define SILVA_DEFINE(T)                                                                            \
    void mark_below(const T* values, int64_t n, T cut, uint64_t* bits) {                           \
        SILVA_CHOOSE(mark_widely(values, n, cut, bits), mark_below_plainly(values, n, cut, bits)); \
    }
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
#undef SILVA_DEFINE

#define SILVA_DEFINE(T)                                                                       \
    void split_values(T* values, int64_t n, const uint64_t* bits, T* spare, bool keep_rest) { \
        SILVA_CHOOSE(split_widely(values, n, bits, spare, keep_rest),                         \
                     split_plainly(values, n, bits, spare, keep_rest));                       \
    }
SILVA_DEFINE(uint8_t)
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
SILVA_DEFINE(uint64_t)
#undef SILVA_DEFINE

void split_columns_of(std::span<uint16_t* const> columns, int64_t n, const uint64_t* bits,
                      uint16_t* spare, bool keep_rest) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return split_columns_widely(columns, n, bits, spare, keep_rest);
#endif
    for (uint16_t* column : columns) split_plainly(column, n, bits, spare, keep_rest);
}

#define SILVA_DEFINE(T)                                                                \
    void pick(const T* values, uint32_t rows, T* out) {                                \
        SILVA_CHOOSE(pick_widely(values, rows, out), pick_plainly(values, rows, out)); \
    }
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint64_t)
#undef SILVA_DEFINE

bool splits_widely() { return SILVA_CHOOSE(true, false); }

uint32_t spread_bits(uint64_t bits, uint32_t places) {
    return SILVA_CHOOSE(spread_widely(bits, places), spread_plainly(bits, places));
}

void mark_bit(const uint64_t* words, int64_t n, int bit, bool value, uint64_t* bits) {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return mark_bit_widely(words, n, bit, value, bits);
#endif
    for (int64_t begin = 0; begin < n; begin += 64) {
        uint64_t word = 0;
        for (int64_t i = begin; i < std::min(begin + 64, n); ++i)
            word |= static_cast<uint64_t>((words[i] >> bit & 1) == (value ? 1u : 0u))
                    << (i - begin);
        bits[begin / 64] = word;
    }
}

}  // namespace silva
