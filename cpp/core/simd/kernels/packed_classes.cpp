#include "core/simd/packed_classes.hpp"

#include "core/simd/gini_bound.hpp"
#include "core/simd/kernels/places.hpp"
#include "core/simd/kernels/running.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

constexpr int kWords = kLanes<uint64_t>;

// ---- sums by class -----------------------------------------------------------------------------

constexpr int64_t kByteRows = 16 * kWords;  // 16 light rows a byte
constexpr int64_t kChunk = 4096;            // so many light rows are below 65,536

// The weight of a row in the byte of its class.
SILVA_INLINE uint64_t packed(uint32_t row) {
    return static_cast<uint64_t>(row >> 8) << ((row & 0xFFu) * 8);
}
// The same of two rows that weigh no more than kPackedWeight, without shifts by lane: bytes are
// compared with the class.
SILVA_INLINE Vec<uint64_t, 2> packed_pair(const uint32_t* rows) {
    using Bytes = Vec<uint8_t, 16>;
    constexpr Bytes class_at{{0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4}};
    constexpr Bytes weight_at{{1, 1, 1, 1, 1, 1, 1, 1, 5, 5, 5, 5, 5, 5, 5, 5}};
    constexpr Bytes own{{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7}};
    const auto both = eight_bytes(reinterpret_cast<const uint8_t*>(rows));
    const auto is_own = (Bytes::Raw)(shuffle_bytes(both, class_at).raw == own.raw);
    return as<uint64_t>(Bytes{shuffle_bytes(both, weight_at).raw & is_own});
}
// The same of as many rows as a register has words.
template <int n = kWords>
SILVA_INLINE Vec<uint64_t, n> packed_rows(const uint32_t* rows) {
    if constexpr (n == 2) {
        return packed_pair(rows);
    } else {
        const auto entries = convert<uint64_t>(load<uint32_t, n>(rows));
        return (entries >> 8) << ((entries & all<uint64_t, n>(0xFF)) << 3);
    }
}

// Bytes of words, added to sums of 16 bits: the even classes, the odd ones.
struct HalfWords {
    Vec<uint16_t> even = zero<uint16_t>(), odd = zero<uint16_t>();

    SILVA_INLINE void add(Vec<uint64_t> bytes) {
        even += as<uint16_t>(bytes) & all<uint16_t>(0xFF);
        odd += as<uint16_t>(bytes) >> 8;
    }
    SILVA_INLINE void add_to(uint32_t* sums) const {
        const auto evens = fold_to<4>(even, Add{}), odds = fold_to<4>(odd, Add{});
        for (int i = 0; i < 4; ++i) {
            sums[2 * i] += evens[i];
            sums[2 * i + 1] += odds[i];
        }
    }
};

void sum_light(const uint32_t* rows, int64_t n, uint32_t* sums) {
    for (int k = 0; k < kSumClasses; ++k) sums[k] = 0;
    const int64_t n_whole = n / kWords * kWords;
    for (int64_t chunk = 0; chunk < n_whole; chunk += kChunk) {
        const int64_t chunk_end = least(chunk + kChunk, n_whole);
        HalfWords sum;
        for (int64_t begin = chunk; begin < chunk_end; begin += kByteRows) {
            const int64_t end = least(begin + kByteRows, chunk_end);
            auto bytes = zero<uint64_t>();
            for (int64_t i = begin; i < end; i += kWords) bytes += packed_rows(rows + i);
            sum.add(bytes);
        }
        sum.add_to(sums);
    }
    for (int64_t i = n_whole; i < n; ++i) sums[rows[i] & 0xFFu] += rows[i] >> 8;
}

// Some bits in one run over whole registers of rows of a chunk.
template <int n_bits>
void sum_some_bits(const uint64_t* words, const uint32_t* rows, int64_t n, const int* bits,
                   uint32_t* sums) {
    Vec<uint64_t> tests[n_bits];
    HalfWords sum[n_bits];
    for (int b = 0; b < n_bits; ++b) tests[b] = all<uint64_t>(uint64_t{1} << bits[b]);
    for (int64_t begin = 0; begin < n; begin += kByteRows) {
        const int64_t end = least(begin + kByteRows, n);
        Vec<uint64_t> bytes[n_bits];
        for (int b = 0; b < n_bits; ++b) bytes[b] = zero<uint64_t>();
        for (int64_t i = begin; i < end; i += kWords) {
            const auto entries = load(words + i), weights = packed_rows(rows + i);
            for (int b = 0; b < n_bits; ++b)
                bytes[b] = add_where(shares_bits(entries, tests[b]), bytes[b], weights);
        }
        for (int b = 0; b < n_bits; ++b) sum[b].add(bytes[b]);
    }
    for (int b = 0; b < n_bits; ++b) sum[b].add_to(sums + bits[b] * kSumClasses);
}

void sum_light_bits(const uint64_t* words, const uint32_t* rows, int64_t n, uint64_t wanted,
                    uint32_t* sums) {
    constexpr int most_bits = 4;
    const int64_t n_whole = n / kWords * kWords;
    for (uint64_t rest = wanted; rest != 0;) {
        int bits[most_bits], n_bits = 0;
        for (; rest != 0 && n_bits < most_bits; rest &= rest - 1) {
            bits[n_bits] = first_bit(rest);
            for (int k = 0; k < kSumClasses; ++k) sums[bits[n_bits] * kSumClasses + k] = 0;
            ++n_bits;
        }
        const auto run = n_bits == 1   ? sum_some_bits<1>
                         : n_bits == 2 ? sum_some_bits<2>
                         : n_bits == 3 ? sum_some_bits<3>
                                       : sum_some_bits<4>;
        for (int64_t chunk = 0; chunk < n_whole; chunk += kChunk)
            run(words + chunk, rows + chunk, least(kChunk, n_whole - chunk), bits, sums);
    }
    for (int64_t i = n_whole; i < n; ++i)
        for (uint64_t word = words[i] & wanted; word != 0; word &= word - 1)
            sums[first_bit(word) * kSumClasses + (rows[i] & 0xFFu)] += rows[i] >> 8;
}

// ---- the cuts of a column ----------------------------------------------------------------------

constexpr int kMostAbove = kBytes == 64 ? 32 : 16;  // rows that are compared as whole words

// The ranks of kMostAbove rows as words, and which of them are above another one.
template <int n_registers>
struct Above {
    Vec<int64_t> ranks[n_registers];

    SILVA_INLINE explicit Above(const uint16_t* from) {
        for (int r = 0; r < n_registers; ++r)
            ranks[r] = convert<int64_t>(load<uint16_t, kWords>(from + r * kWords));
    }
    SILVA_INLINE void add(uint16_t rank, uint64_t weight, Vec<int64_t>* sums) const {
        const auto weights = all<int64_t>(static_cast<int64_t>(weight));
        for (int r = 0; r < n_registers; ++r)
            sums[r] = add_where(less(all<int64_t>(rank), ranks[r]), sums[r], weights);
    }
};

// Adds each row to those with higher ranks.
template <int n_registers>
SILVA_INLINE bool add_above(const uint16_t* ranks, const uint32_t* rows, int64_t n,
                            PackedColumn* out) {
    for (int64_t i = 0; i < n_registers * kWords; i += kLanes<uint16_t>)
        store(out->rank + i, load_first(ranks + i, most<int64_t>(n - i, 0)));
    const Above<n_registers> above(out->rank);
    Vec<int64_t> sums[n_registers];
    for (int r = 0; r < n_registers; ++r) sums[r] = zero<int64_t>();
    for (int64_t j = 0; j < n; ++j) above.add(ranks[j], packed(rows[j]), sums);
    auto any_left = zero<int64_t>();
    for (int r = 0; r < n_registers; ++r) {
        store(out->left + r * kWords, as<uint64_t>(sums[r]));
        any_left |= sums[r];
    }
    return any(shares_bits(any_left, any_left));
}

// Rows at their places, then sums from place to place. Empty places have no rows on the left.
bool pack_by_place(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn* out) {
    Placed<uint16_t> placed(ranks, n);
    place(placed, n);
    uint64_t weights[PackedColumn::kMost + kPackedCuts];
    for (int64_t i = 0; i < n; i += kPackedCuts)
        for (int j = 0; j < kPackedCuts; j += kWords) store(weights + i + j, zero<uint64_t>());
    const auto put = [&](int64_t i, uint64_t weight) __attribute__((always_inline)) {
        const auto at = placed.places[i];
        weights[at] += weight;
        out->rank[at] = ranks[i];
    };
    int64_t row = 0;
    for (; row + kWords <= n; row += kWords) {
        const auto some = packed_rows(rows + row);
        for (int i = 0; i < kWords; ++i) put(row + i, some[i]);
    }
    for (; row < n; ++row) put(row, packed(rows[row]));
    auto sum = zero<uint64_t>(), any_left = sum;
    for (int64_t i = 0; i < (n + kPackedCuts - 1) / kPackedCuts * kPackedCuts; i += kWords) {
        const auto here = load(weights + i), so_far = sum + running(here);
        const auto before = keep(shares_bits(here, here), so_far - here);
        store(out->left + i, before);
        any_left |= before;
        sum = last_everywhere(so_far);
    }
    return any(shares_bits(any_left, any_left));
}

bool pack_column(const uint16_t* ranks, const uint32_t* rows, int64_t n, PackedColumn* out) {
    if (n > kMostAbove) return pack_by_place(ranks, rows, n, out);
    if (n <= 8) return add_above<8 / kWords>(ranks, rows, n, out);
    if (n <= 16) return add_above<16 / kWords>(ranks, rows, n, out);
    return add_above<kMostAbove / kWords>(ranks, rows, n, out);
}

// ---- what cuts are worth -----------------------------------------------------------------------

// The sum of the squares of the bytes of each word.
SILVA_INLINE Vec<double> squares_of(Vec<uint64_t> bytes) {
    const auto even = as<int16_t>(bytes & all<uint64_t>(0x00FF00FF00FF00FFu));
    const auto odd = as<int16_t>(as<uint16_t>(bytes) >> 8);
    const auto halves = as<uint64_t>(add_products(even, even) + add_products(odd, odd));
    return to_double((halves & all<uint64_t>(0xFFFFFFFFu)) + (halves >> 32));
}

struct Worth {
    Vec<double> term, area;
};
SILVA_INLINE Worth worth_of(Vec<uint64_t> left, uint64_t classes, double node_weight) {
    const auto weight = to_double(sum_bytes(left));
    const auto rest = all<double>(node_weight) - weight;
    const auto both = by_squares(squares_of(left), squares_of(all<uint64_t>(classes) - left),
                                 weight, rest, all<double>(1.0));
    const auto term =
        select(as_mask_of<double>(shares_bits(left, left)), both.reached, all<double>(-1.0));
    return {term, both.needed};
}

// The best so far of each lane, and where it is. Fractions are compared without dividing.
struct BestCuts {
    Vec<double> term = zero<double>(), area = all<double>(1.0);
    Vec<uint64_t> place = zero<uint64_t>();

    SILVA_INLINE void see(const Worth& worth, Vec<uint64_t> places) {
        const auto more = less(term * worth.area, worth.term * area);
        term = select(more, worth.term, term);
        area = select(more, worth.area, area);
        place = select(as_mask_of<uint64_t>(more), places, place);
    }
    SILVA_INLINE int64_t best() const {
        int lane = 0;
        for (int i = 1; i < kWords; ++i)
            if (term[lane] * area[i] < term[i] * area[lane]) lane = i;
        return static_cast<int64_t>(place[lane]);
    }
};

int64_t weigh_cuts(const uint64_t* left, int64_t n, uint64_t classes, double weight, double bound,
                   PackedWorth* out) {
    const auto bounds = all<double>(bound);
    auto places = iota<uint64_t>();
    BestCuts best;
    uint64_t reaching = 0;
    for (int64_t i = 0; i < n; i += kWords) {
        const Worth worth = worth_of(load(left + i), classes, weight);
        store(out->terms + i, worth.term);
        store(out->areas + i, worth.area);
        reaching |= bits_of(at_least(worth.term, bounds * worth.area));
        best.see(worth, places);
        places += all<uint64_t>(kWords);
    }
    return reaching == 0 ? -1 : best.best();
}

int64_t reaching_cuts(const PackedWorth* worth, int64_t n, double bound, uint16_t* cuts) {
    int64_t found = 0;
    for (int64_t i = 0; i < n; i += kWords) {
        const auto needed = all<double>(bound) * load(worth->areas + i);
        uint64_t good = bits_of(at_least(load(worth->terms + i), needed));
        for (; good != 0; good &= good - 1)
            cuts[found++] = static_cast<uint16_t>(i + first_bit(good));
    }
    return found;
}

}  // namespace

PackedClassesKernels packed_classes_kernels() {
    return {sum_light, sum_light_bits, pack_column, weigh_cuts, reaching_cuts};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
