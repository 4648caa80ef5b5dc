#include "core/partition_list.hpp"

#include "core/wide.hpp"

namespace silva {
namespace {

using detail::partition_plainly;
using detail::PartitionState;

#ifdef SILVA_HAS_WIDE

// Which entries of a child become new. The bits of `others` (entries of the other child) form runs;
// adding the new bits inside a run carries out of it, into the child's next entry. `pending` is the
// carry from the entries before and after these.
inline uint64_t new_entries(uint64_t mine, uint64_t others, uint64_t is_new, uint64_t& pending,
                            int width) {
    const uint64_t sum = (is_new & others) + others + pending;
    pending = sum >> width;
    return (sum | is_new) & mine;
}

SILVA_WIDE inline __mmask16 sides_of(__m512i ids, const uint8_t* side) {
    const __m512i bytes = _mm512_i32gather_epi32(ids, side, 1);
    return _mm512_test_epi32_mask(bytes, _mm512_set1_epi32(1));
}

// Both loops take the last entries with a mask. Bytes of `side` must be readable three beyond the
// last id, and both outputs must have room for a whole register.
SILVA_WIDE void partition_widely(const uint16_t* list, int64_t n, const uint8_t* side,
                                 PartitionState<uint16_t>& state) {
    constexpr int width = 32;
    const __m512i new_bit = _mm512_set1_epi16(static_cast<short>(0x8000));
    uint64_t pending_left = 0, pending_right = 0;
    for (int64_t i = 0; i < n; i += width) {
        const uint64_t here = n - i < width ? (uint64_t{1} << (n - i)) - 1 : 0xFFFFFFFFu;
        const __m512i entries = _mm512_maskz_loadu_epi16(static_cast<__mmask32>(here), list + i);
        const uint64_t is_new = _mm512_movepi16_mask(entries);
        const __m512i ids = _mm512_andnot_si512(new_bit, entries);
        uint64_t left = sides_of(_mm512_cvtepu16_epi32(_mm512_castsi512_si256(ids)), side);
        if (n - i > width / 2) {
            const __m512i upper = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(ids, 1));
            left |= static_cast<uint64_t>(sides_of(upper, side)) << 16;
        }
        left &= here;
        const uint64_t right = ~left & here;
        const uint64_t new_left = new_entries(left, right, is_new, pending_left, width);
        const uint64_t new_right = new_entries(right, left, is_new, pending_right, width);
        const auto flags = static_cast<__mmask32>(new_left | new_right);
        const __m512i flagged = _mm512_or_si512(ids, _mm512_maskz_mov_epi16(flags, new_bit));
        const __m512i to_left = _mm512_maskz_compress_epi16(static_cast<__mmask32>(left), flagged);
        const __m512i to_right =
            _mm512_maskz_compress_epi16(static_cast<__mmask32>(right), flagged);
        const int lefts = __builtin_popcountll(left);
        _mm512_mask_storeu_epi16(state.left, static_cast<__mmask32>((uint64_t{1} << lefts) - 1),
                                 to_left);
        _mm512_storeu_si512(state.right, to_right);
        state.left += lefts;
        state.right += width - lefts;
    }
}

SILVA_WIDE void partition_widely(const uint32_t* list, int64_t n, const uint32_t* side,
                                 PartitionState<uint32_t>& state) {
    constexpr int width = 16;
    const __m512i new_bit = _mm512_set1_epi32(static_cast<int>(0x80000000u));
    uint64_t pending_left = 0, pending_right = 0;
    for (int64_t i = 0; i < n; i += width) {
        const uint64_t here = n - i < width ? (uint64_t{1} << (n - i)) - 1 : 0xFFFFu;
        const __m512i entries = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(here), list + i);
        const uint64_t is_new = _mm512_movepi32_mask(entries);
        const __m512i ids = _mm512_andnot_si512(new_bit, entries);
        const uint64_t left = bits_at_widely(side, ids) & here;
        const uint64_t right = ~left & here;
        const uint64_t new_left = new_entries(left, right, is_new, pending_left, width);
        const uint64_t new_right = new_entries(right, left, is_new, pending_right, width);
        const auto flags = static_cast<__mmask16>(new_left | new_right);
        const __m512i flagged = _mm512_or_si512(ids, _mm512_maskz_mov_epi32(flags, new_bit));
        const __m512i to_left = _mm512_maskz_compress_epi32(static_cast<__mmask16>(left), flagged);
        const __m512i to_right =
            _mm512_maskz_compress_epi32(static_cast<__mmask16>(right), flagged);
        const int lefts = __builtin_popcountll(left);
        _mm512_mask_storeu_epi32(state.left, static_cast<__mmask16>((1u << lefts) - 1), to_left);
        _mm512_storeu_si512(state.right, to_right);
        state.left += lefts;
        state.right += width - lefts;
    }
}

#endif

template <class Id, class Side>
void partition_any(Id* list, int64_t n, const Side* side, Id* spare) {
    PartitionState<Id> state{list, spare};
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return partition_widely(list, n, side, state);
#endif
    partition_plainly(list, n, side, state);
}

}  // namespace

void partition_list(uint16_t* list, int64_t n, const uint8_t* side, uint16_t* spare) {
    partition_any(list, n, side, spare);
}
void partition_list(uint32_t* list, int64_t n, const uint32_t* side, uint32_t* spare) {
    partition_any(list, n, side, spare);
}

}  // namespace silva
