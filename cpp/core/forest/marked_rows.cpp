#include "core/forest/marked_rows.hpp"

#include <algorithm>

#include "core/forest/lanes.hpp"

namespace silva {
namespace {

// ---- plain loops -------------------------------------------------------------------------------

// Appends bits to each other.
class BitWriter {
  public:
    explicit BitWriter(uint64_t* out) : out_(out) {}

    // The lowest n bits; those above them are zeros.
    [[gnu::always_inline]] void write(uint64_t bits, int n) {
        word_ |= bits << n_;
        if (n_ + n < 64) {
            n_ += n;
            return;
        }
        *out_++ = word_;
        word_ = n_ == 0 ? 0 : bits >> (64 - n_);
        n_ += n - 64;
    }
    [[gnu::always_inline]] void end() {
        if (n_ > 0) *out_ = word_;
    }

  private:
    uint64_t* out_;
    uint64_t word_ = 0;
    int n_ = 0;  // bits in the word
};

void bits_plainly(const uint64_t* values, std::span<const uint64_t> rows, uint64_t* out) {
    BitWriter writer(out);
    for_each_row(rows, [&](int64_t row) { writer.write(values[row / 64] >> (row % 64) & 1, 1); });
    writer.end();
}

void list_plainly(std::span<const uint64_t> rows, uint32_t* out) {
    for_each_row(rows, [&](int64_t row) { *out++ = static_cast<uint32_t>(row); });
}

constexpr int64_t kFarBetween = 5;  // rows that are fewer are listed

template <class T>
void copy_plainly(const T* values, std::span<const uint64_t> rows, T* out) {
    for_each_row(rows, [&](int64_t row) { *out++ = values[row]; });
}

// ---- wide loops --------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

template <class T>
SILVA_WIDE void copy_widely(const T* values, std::span<const uint64_t> rows, T* out) {
    using L = Lanes<T>;
    for (const uint64_t word : rows) {
        for (int at = 0; at < 64; at += L::kWidth) {
            const auto here = static_cast<typename L::Bits>(word >> at);
            _mm512_storeu_si512(out, L::compress(here, L::load(here, values + at)));
            out += __builtin_popcountll(here);
        }
        values += 64;
    }
}

SILVA_WIDE void bits_widely(const uint64_t* values, std::span<const uint64_t> rows, uint64_t* out) {
    BitWriter writer(out);
    for (const uint64_t word : rows) writer.write(_pext_u64(*values++, word), std::popcount(word));
    writer.end();
}

SILVA_WIDE void list_widely(std::span<const uint64_t> rows, uint32_t* out) {
    __m512i numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (const uint64_t word : rows) {
        for (int at = 0; at < 64; at += 16) {
            const auto here = static_cast<__mmask16>(word >> at);
            _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(here, numbers));
            numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
            out += __builtin_popcount(here);
        }
    }
}

SILVA_WIDE void pick_widely(const uint32_t* values, std::span<const uint32_t> rows, uint32_t* out) {
    const auto n = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(lowest_bits(n - i));
        const __m512i places = _mm512_maskz_loadu_epi32(here, rows.data() + i);
        _mm512_storeu_si512(
            out + i, _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here, places, values, 4));
    }
}

SILVA_WIDE void pick_widely(const uint16_t* values, std::span<const uint32_t> rows, uint16_t* out) {
    const auto n = static_cast<int64_t>(rows.size());
    for (int64_t i = 0; i < n; i += 16) {
        const auto here = static_cast<__mmask16>(lowest_bits(n - i));
        const __m512i places = _mm512_maskz_loadu_epi32(here, rows.data() + i);
        const __m512i found =
            _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), here, places, values, 2);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm512_cvtepi32_epi16(found));
    }
}

#endif

}  // namespace

MarkedCopy::MarkedCopy(std::span<const uint64_t> rows, int64_t n, Array<uint32_t>& spare,
                       bool must_list)
    : rows_(rows), n_(n), is_dense_(n * kFarBetween > 64 * std::ssize(rows)) {
    if (is_dense_ && !must_list) return;
    spare.resize(n + kSparePadding);
    SILVA_CHOOSE(list_widely(rows, spare.data()), list_plainly(rows, spare.data()));
    std::fill_n(spare.data() + n, kSparePadding, 0);
    listed_ = {spare.data(), static_cast<size_t>(n)};
}

void MarkedCopy::pick(const uint16_t* values, uint16_t* out) const {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return pick_widely(values, listed_, out);
#endif
    pick_listed(values, out);
}
void MarkedCopy::pick(const uint32_t* values, uint32_t* out) const {
#ifdef SILVA_HAS_WIDE
    if (can_go_wide()) return pick_widely(values, listed_, out);
#endif
    pick_listed(values, out);
}

void MarkedCopy::bits(const uint64_t* values, uint64_t* out) const {
    SILVA_CHOOSE(bits_widely(values, rows_, out), bits_plainly(values, rows_, out));
}

#define SILVA_DEFINE(T)                                                                  \
    void MarkedCopy::pack(const T* values, T* out) const {                               \
        SILVA_CHOOSE(copy_widely(values, rows_, out), copy_plainly(values, rows_, out)); \
    }
SILVA_DEFINE(uint8_t)
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
SILVA_DEFINE(uint64_t)
#undef SILVA_DEFINE

}  // namespace silva
