#include "core/partition_list.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace silva {
namespace {

using detail::partition_plainly;
using detail::PartitionState;

#if defined(__x86_64__)

#define SILVA_WIDE __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,bmi2,popcnt")))

bool has_wide() {
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512vl") &&
                            __builtin_cpu_supports("avx512vbmi2");
    return has;
}

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

// `side` must be readable three bytes beyond the last id.
SILVA_WIDE void partition_widely(const uint16_t* list, int64_t n, const uint8_t* side,
                                 PartitionState<uint16_t>& state) {
    constexpr int width = 32;
    constexpr uint64_t all = 0xFFFFFFFFu;
    const __m512i new_bit = _mm512_set1_epi16(static_cast<short>(0x8000));
    uint64_t pending_left = state.new_left != 0, pending_right = state.new_right != 0;
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        const __m512i entries = _mm512_loadu_si512(list + i);
        const uint64_t is_new = _mm512_movepi16_mask(entries);
        const __m512i ids = _mm512_andnot_si512(new_bit, entries);
        const __m512i low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(ids));
        const __m512i high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(ids, 1));
        const uint64_t left = static_cast<uint64_t>(sides_of(low, side)) |
                              static_cast<uint64_t>(sides_of(high, side)) << 16;
        const uint64_t right = ~left & all;
        const uint64_t new_left = new_entries(left, right, is_new, pending_left, width);
        const uint64_t new_right = new_entries(right, left, is_new, pending_right, width);
        const __m512i flagged = _mm512_or_si512(ids,
            _mm512_maskz_mov_epi16(static_cast<__mmask32>(new_left | new_right), new_bit));
        _mm512_storeu_si512(state.left, _mm512_maskz_compress_epi16(static_cast<__mmask32>(left), flagged));
        _mm512_storeu_si512(state.right, _mm512_maskz_compress_epi16(static_cast<__mmask32>(right), flagged));
        const int lefts = __builtin_popcountll(left);
        state.left += lefts;
        state.right += width - lefts;
    }
    state.new_left = pending_left != 0 ? 0x8000 : 0;
    state.new_right = pending_right != 0 ? 0x8000 : 0;
    partition_plainly(list + i, n - i, side, state);
}

SILVA_WIDE void partition_widely(const uint32_t* list, int64_t n, const uint8_t* side,
                                 PartitionState<uint32_t>& state) {
    constexpr int width = 16;
    constexpr uint64_t all = 0xFFFFu;
    const __m512i new_bit = _mm512_set1_epi32(static_cast<int>(0x80000000u));
    uint64_t pending_left = state.new_left != 0, pending_right = state.new_right != 0;
    int64_t i = 0;
    for (; i + width <= n; i += width) {
        const __m512i entries = _mm512_loadu_si512(list + i);
        const uint64_t is_new = _mm512_movepi32_mask(entries);
        const __m512i ids = _mm512_andnot_si512(new_bit, entries);
        const uint64_t left = sides_of(ids, side);
        const uint64_t right = ~left & all;
        const uint64_t new_left = new_entries(left, right, is_new, pending_left, width);
        const uint64_t new_right = new_entries(right, left, is_new, pending_right, width);
        const __m512i flagged = _mm512_or_si512(
            ids, _mm512_maskz_mov_epi32(static_cast<__mmask16>(new_left | new_right), new_bit));
        _mm512_storeu_si512(state.left, _mm512_maskz_compress_epi32(static_cast<__mmask16>(left), flagged));
        _mm512_storeu_si512(state.right, _mm512_maskz_compress_epi32(static_cast<__mmask16>(right), flagged));
        const int lefts = __builtin_popcountll(left);
        state.left += lefts;
        state.right += width - lefts;
    }
    state.new_left = pending_left != 0 ? 0x80000000u : 0;
    state.new_right = pending_right != 0 ? 0x80000000u : 0;
    partition_plainly(list + i, n - i, side, state);
}

#endif

template <class Id>
void partition_any(Id* list, int64_t n, const uint8_t* side, Id* spare) {
    PartitionState<Id> state{list, spare};
#if defined(__x86_64__)
    if (has_wide()) return partition_widely(list, n, side, state);
#endif
    partition_plainly(list, n, side, state);
}

}  // namespace

void partition_list(uint16_t* list, int64_t n, const uint8_t* side, uint16_t* spare) {
    partition_any(list, n, side, spare);
}
void partition_list(uint32_t* list, int64_t n, const uint8_t* side, uint32_t* spare) {
    partition_any(list, n, side, spare);
}

}  // namespace silva
