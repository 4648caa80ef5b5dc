#include "core/forest/code_lines.hpp"

#include "core/forest/lanes.hpp"

namespace silva {
namespace {

constexpr int64_t kColumns = CodeLine::kColumns;

void to_lines_plainly(const EightColumns<const uint16_t>& columns, int64_t n, CodeLine* lines) {
    for (size_t c = 0; c < kColumns; ++c)
        for (int64_t i = 0; i < n; ++i)
            lines[i].codes[c] = columns[c] == nullptr ? 0 : columns[c][i];
}
void to_columns_plainly(const CodeLine* lines, std::span<const uint32_t> rows,
                        const EightColumns<uint16_t>& columns) {
    for (size_t c = 0; c < kColumns; ++c)
        for (size_t i = 0; i < rows.size(); ++i) columns[c][i] = lines[rows[i]].codes[c];
}

#ifdef SILVA_HAS_WIDE

// Eight registers of eight codes in each quarter: the i-th code of the k-th register becomes the
// k-th code of the i-th one.
SILVA_WIDE inline void turn(__m512i (&lanes)[kColumns]) {
    __m512i twos[kColumns], fours[kColumns];
    for (int i = 0; i < 4; ++i) {
        twos[i] = _mm512_unpacklo_epi16(lanes[2 * i], lanes[2 * i + 1]);
        twos[i + 4] = _mm512_unpackhi_epi16(lanes[2 * i], lanes[2 * i + 1]);
    }
    for (int half = 0; half < 8; half += 4) {
        for (int i = 0; i < 2; ++i) {
            const __m512i &first = twos[half + 2 * i], &second = twos[half + 2 * i + 1];
            fours[half + i] = _mm512_unpacklo_epi32(first, second);
            fours[half + i + 2] = _mm512_unpackhi_epi32(first, second);
        }
    }
    for (int i = 0; i < 8; i += 2) {
        lanes[i] = _mm512_unpacklo_epi64(fours[i], fours[i + 1]);
        lanes[i + 1] = _mm512_unpackhi_epi64(fours[i], fours[i + 1]);
    }
}

SILVA_WIDE inline __m128i load(const CodeLine* line) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(line));
}

SILVA_WIDE void to_columns_widely(const CodeLine* lines, std::span<const uint32_t> rows,
                                  const EightColumns<uint16_t>& columns) {
    for (size_t i = 0; i < rows.size(); i += kLinesTogether) {
        const uint32_t* row = rows.data() + i;
        __m512i lanes[kColumns];  // the k-th has line k of each quarter
        for (int k = 0; k < kColumns; ++k, ++row) {
            lanes[k] = _mm512_castsi128_si512(load(lines + row[0]));
            lanes[k] = _mm512_mask_broadcast_i32x4(lanes[k], 0x00F0, load(lines + row[8]));
            lanes[k] = _mm512_mask_broadcast_i32x4(lanes[k], 0x0F00, load(lines + row[16]));
            lanes[k] = _mm512_mask_broadcast_i32x4(lanes[k], 0xF000, load(lines + row[24]));
        }
        turn(lanes);
        for (size_t c = 0; c < kColumns; ++c) _mm512_storeu_si512(columns[c] + i, lanes[c]);
    }
}

SILVA_WIDE void to_lines_widely(const EightColumns<const uint16_t>& columns, int64_t n,
                                CodeLine* lines) {
    for (int64_t i = 0; i < n; i += kLinesTogether, lines += kLinesTogether) {
        __m512i lanes[kColumns];
        for (size_t c = 0; c < kColumns; ++c)
            lanes[c] =
                columns[c] == nullptr ? _mm512_setzero_si512() : _mm512_loadu_si512(columns[c] + i);
        turn(lanes);
        for (int k = 0; k < kColumns; ++k) {
            auto* out = reinterpret_cast<__m128i*>(lines + k);
            _mm_storeu_si128(out, _mm512_castsi512_si128(lanes[k]));
            _mm_storeu_si128(out + 8, _mm512_extracti32x4_epi32(lanes[k], 1));
            _mm_storeu_si128(out + 16, _mm512_extracti32x4_epi32(lanes[k], 2));
            _mm_storeu_si128(out + 24, _mm512_extracti32x4_epi32(lanes[k], 3));
        }
    }
}

#endif

}  // namespace

void columns_to_lines(const EightColumns<const uint16_t>& columns, int64_t n, CodeLine* lines) {
    SILVA_CHOOSE(to_lines_widely(columns, n, lines), to_lines_plainly(columns, n, lines));
}
void lines_to_columns(const CodeLine* lines, std::span<const uint32_t> rows,
                      const EightColumns<uint16_t>& columns) {
    SILVA_CHOOSE(to_columns_widely(lines, rows, columns), to_columns_plainly(lines, rows, columns));
}

}  // namespace silva
