#include "core/simd/positions.hpp"

#include "core/simd/gini_bound.hpp"
#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

template <class Id>
constexpr Id kIdMask = Id(Id(~Id(0)) >> 1);

// One load each: no slower than gathers where gathers are fast, and faster where they are not.
template <class Id>
uint64_t bits_of_entries(const uint32_t* bits, const Id* entries, int n) {
    uint64_t found[2] = {};
    int j = 0;
    for (; j + 1 < n; j += 2)
        for (int k = 0; k < 2; ++k) {
            const uint32_t id = entries[j + k] & kIdMask<Id>;
            found[k] |= static_cast<uint64_t>(bits[id / 32] >> (id % 32) & 1) << (j + k);
        }
    if (j < n) {
        const uint32_t id = entries[j] & kIdMask<Id>;
        found[0] |= static_cast<uint64_t>(bits[id / 32] >> (id % 32) & 1) << j;
    }
    return found[0] | found[1];
}

constexpr int kDoubles = kLanes<double>;

// The positions of a filter, kDoubles at a time: their sums, and what they are compared with.
struct Comparison {
    Vec<double> scale, per_row, total, bound, l;

    SILVA_INLINE Comparison(const PositionFilter& f, int64_t first_left)
        : scale(all(f.scale)),
          per_row(all(f.per_row)),
          total(all(f.total)),
          bound(all(f.bound)),
          l(all(static_cast<double>(first_left)) + iota<double>()) {}

    // Bits of the positions at hand that reach the bound; goes on to the next ones.
    SILVA_INLINE uint64_t next(Vec<double> sums) {
        const uint64_t found = at(sums, l);
        l = l + all(static_cast<double>(kDoubles));
        return found;
    }
    SILVA_INLINE uint64_t at(Vec<double> sums, Vec<double> left) const {
        const auto sides = by_deviation(scale * sums - per_row * left, left, total - left, bound);
        return bits_of(at_least(sides.reached, sides.needed));
    }
};

// The number of set bits below each bit of a byte.
struct PrefixTable {
    alignas(32) int32_t below[256][8];
};
constexpr PrefixTable prefix_table() {
    PrefixTable table{};
    for (int byte = 0; byte < 256; ++byte)
        for (int bit = 1; bit < 8; ++bit)
            table.below[byte][bit] = table.below[byte][bit - 1] + (byte >> (bit - 1) & 1);
    return table;
}
constexpr PrefixTable kPrefix = prefix_table();

// So many bits are set below bit j, below bit j + 1, ...; j is a multiple of kDoubles.
SILVA_INLINE Vec<double> bits_below(uint64_t bits, int j) {
    const int byte = j & ~7;
    const auto in_byte = load<int32_t, kDoubles>(kPrefix.below[bits >> byte & 255] + (j - byte));
    return convert<double>(in_byte) +
           all(static_cast<double>(count_bits(bits & lowest_bits(byte))));
}

template <class Id>
uint64_t two_classes(const PositionFilter& f, const uint32_t* ones, const Id* entries, int n,
                     int64_t first_sum, int64_t first_left, uint64_t& block_ones) {
    const uint64_t classes = bits_of_entries(ones, entries, n);
    block_ones = classes;
    const double sum = static_cast<double>(first_sum), n_ones = count_bits(classes);
    const auto passes_at = [&](double s, double l) __attribute__((always_inline)) {
        return passes(by_deviation(f.scale * s - f.per_row * l, l, f.total - l, f.bound));
    };
    if (!any_corner(passes_at, sum, static_cast<double>(first_left), n_ones, n - n_ones)) return 0;
    Comparison comparison(f, first_left);
    uint64_t mask = 0;
    for (int j = 0; j < n; j += kDoubles)
        mask |= comparison.next(all(sum) + bits_below(classes, j)) << j;
    return mask & lowest_bits(n);
}

// ---- values ------------------------------------------------------------------------------------

// Fills n + 1 sums.
template <class Id>
SILVA_INLINE void add_up(const int64_t* q, int64_t mean, const Id* entries, int n, int64_t sum,
                         int64_t* sums) {
    for (int j = 0; j < n; ++j) {
        sums[j] = sum;
        sum += q[entries[j] & kIdMask<Id>] - mean;
    }
    sums[n] = sum;
}

template <class Id>
uint64_t values(const PositionFilter& f, const int64_t* q, int64_t mean, const Id* entries, int n,
                int64_t first_left, int64_t first_sum, int64_t* sums) {
    add_up(q, mean, entries, n, first_sum, sums);
    Comparison comparison(f, first_left);
    uint64_t mask = 0;
    for (int j = 0; j < n; j += kDoubles)
        mask |= comparison.next(to_double(load_first(sums + j, n - j))) << j;
    return mask & lowest_bits(n);
}

// The sums before each entry of a block of weighted rows.
class WeightedBlock {
  public:
    // Adds all entries to `left`. The second half of the block is summed beside the first one: each
    // addition waits for the one before.
    template <class Id>
    SILVA_INLINE WeightedBlock(const WeightedValue* rows, const Id* entries, int n,
                               WeightedValue& left)
        : n_(n) {
        const auto row = [&](int j) __attribute__((always_inline)) {
            return load<double, 2>(&rows[entries[j] & kIdMask<Id>].weight);
        };
        auto first = load<double, 2>(&left.weight);
        auto second = first - first;
        const int n_second = n > kHalf ? n - kHalf : 0;
        int j = 0;
        for (; j < n_second; ++j) {
            put(j, first);
            put(j + kHalf, second);
            first += row(j);
            second += row(j + kHalf);
        }
        for (; j < (n < kHalf ? n : kHalf); ++j) {
            put(j, first);
            first += row(j);
        }
        for (j = n; j % kDoubles != 0; ++j) weights_[j] = products_[j] = 0;
        first_half_ = {first[0], first[1]};
        store(&left.weight, first + second);
    }
    // The bits of at(sums, left), kDoubles positions at a time.
    template <class At>
    SILVA_INLINE uint64_t mask(At&& at) const {
        uint64_t mask = 0;
        for (int j = 0; j < (n_ < kHalf ? n_ : kHalf); j += kDoubles)
            mask |= at(load(products_ + j), load(weights_ + j)) << j;
        const auto weight = all(first_half_.weight), product = all(first_half_.product);
        for (int j = kHalf; j < n_; j += kDoubles)
            mask |= at(load(products_ + j) + product, load(weights_ + j) + weight) << j;
        return mask & lowest_bits(n_);
    }

  private:
    static constexpr int kHalf = 32;

    SILVA_INLINE void put(int j, Vec<double, 2> sums) {
        weights_[j] = sums[0];
        products_[j] = sums[1];
    }

    int n_;
    WeightedValue first_half_;
    double weights_[2 * kHalf], products_[2 * kHalf];
};

template <class Id>
uint64_t weighted_values(const RoundedFilter& f, const WeightedValue* rows, const Id* entries,
                         int n, WeightedValue& left) {
    const WeightedBlock block(rows, entries, n, left);
    const auto mean = all(f.mean), error = all(f.error), total = all(f.total), bound = all(f.bound);
    const auto magnitude = all(~uint64_t{0} >> 1);
    return block.mask([&](auto sums, auto l) __attribute__((always_inline)) {
        const auto most = as<double>(as<uint64_t>(sums - mean * l) & magnitude) + error;
        const auto sides = by_deviation(most, l, total - l, bound);
        return bits_of(at_least(sides.reached, sides.needed));
    });
}

// ---- events ------------------------------------------------------------------------------------

// The natural logarithm of positive normal numbers, to 1e-11: with x = 2^e * m and m near 1, log(m)
// = 2 atanh(f) for f = (m - 1) / (m + 1).
SILVA_INLINE Vec<double> log_of(Vec<double> x) {
    constexpr uint64_t bias = uint64_t{1024} << 52, half_root = 0x3FE6A09E667F3BCD;  // sqrt(1/2)
    const auto bits = as<uint64_t>(x);
    const auto biased = (bits + all(bias - half_root)) >> 52;
    const auto m = as<double>(bits + all(bias) - (biased << 52));
    const auto one = all(1.0), f = (m - one) / (m + one), g = f * f;
    auto series = all(1.0 / 13) * g + all(1.0 / 11);
    series = series * g + all(1.0 / 9);
    series = series * g + all(1.0 / 7);
    series = series * g + all(1.0 / 5);
    series = series * g + all(1.0 / 3);
    series = series * g + one;
    return (to_double(biased) - all(1024.0)) * all(0.6931471805599453) + (f + f) * series;
}

// x * log((x / rows) / mean); 0 for no events, where the logarithm is of no account.
SILVA_INLINE Vec<double> event_part(Vec<double> x, Vec<double> rows_times_mean) {
    const auto tiny = all(1e-300);
    return x * log_of(max(x, tiny) / max(rows_times_mean, tiny));
}

// A fraction that is at least x * log(x / expected): see Poisson in search/sweeps/values.hpp.
struct EventBound {
    Vec<double> above, below;

    SILVA_INLINE EventBound(Vec<double> x, Vec<double> expected)
        : above(x * (x - expected) * (x + all(5.0) * expected)),
          below(expected * (all(4.0) * x + all(2.0) * expected)) {}
};

// The positions of an event filter. Logarithms are taken where a bound without divisions passes.
struct EventComparison {
    Vec<double> mean, sum, total, needed;

    SILVA_INLINE explicit EventComparison(const EventFilter& f)
        : mean(all(f.sum / f.total)),
          sum(all(f.sum)),
          total(all(f.total)),
          needed(all(f.bound - 1e-9 * f.sum)) {}  // less the error of both logarithms

    SILVA_INLINE uint64_t at(Vec<double> sums, Vec<double> left) const {
        const auto expected = left * mean, rest = sum - sums, rest_expected = (total - left) * mean;
        const EventBound l(sums, expected), r(rest, rest_expected);
        const auto most = l.above * r.below + r.above * l.below;
        if (!any(at_least(most, needed * l.below * r.below))) return 0;
        const auto parts = event_part(sums, expected) + event_part(rest, rest_expected);
        return bits_of(at_least(parts, needed));
    }
};

template <class Id>
uint64_t events(const EventFilter& f, const int64_t* q, const Id* entries, int n,
                int64_t first_left, int64_t first_sum, int64_t* sums) {
    add_up(q, 0, entries, n, first_sum, sums);
    const EventComparison comparison(f);
    auto l = all(static_cast<double>(first_left)) + iota<double>();
    uint64_t mask = 0;
    for (int j = 0; j < n; j += kDoubles) {
        mask |= comparison.at(to_double(load_first(sums + j, n - j)), l) << j;
        l = l + all(static_cast<double>(kDoubles));
    }
    return mask & lowest_bits(n);
}

template <class Id>
uint64_t weighted_events(const EventFilter& f, const WeightedValue* rows, const Id* entries, int n,
                         WeightedValue& left) {
    const WeightedBlock block(rows, entries, n, left);
    const EventComparison comparison(f);
    return block.mask([&](auto sums, auto l)
                          __attribute__((always_inline)) { return comparison.at(sums, l); });
}

// ---- labels ------------------------------------------------------------------------------------

// At most 64 labels in registers.
struct Labels {
    static constexpr int kRegisters = 64 / kBytes;
    Vec<uint8_t> bytes[kRegisters];
    uint64_t here;

    SILVA_INLINE Labels(const uint8_t* labels, int n) : here(lowest_bits(n)) {
        for (int i = 0; i < kRegisters; ++i)
            bytes[i] =
                n > i * kBytes ? load_first(labels + i * kBytes, n - i * kBytes) : zero<uint8_t>();
    }
    SILVA_INLINE uint64_t equal_to(int32_t label) const {
        const auto wanted = all(static_cast<uint8_t>(label));
        uint64_t found = 0;
        for (int i = 0; i < kRegisters; ++i)
            found |= bits_of(equal(bytes[i], wanted)) << (i * kBytes % 64);
        return found & here;
    }
};

// One class in a block: which entries have it, and twice its weights on both sides before them.
struct ClassInBlock {
    uint64_t entries;
    double twice_left, twice_right;
};

// Squares of class weights add up to less than 2^53, so float64 holds their sums exactly.
uint64_t squares(const SquaresFilter& f, const uint8_t* labels, int n, int64_t first_left,
                 int64_t total, uint64_t* class_entries) {
    const Labels block(labels, n);
    ClassInBlock classes[kFewSquares];
    int n_classes = 0;
    double last_squares = f.left_squares;
    for (int i = 0; i < f.n_present; ++i) {
        const int32_t k = f.present[i];
        const uint64_t entries = block.equal_to(k);
        class_entries[i] = entries;
        if (entries == 0) continue;
        classes[n_classes++] = {entries, static_cast<double>(2 * f.left[k]),
                                static_cast<double>(2 * (f.node[k] - f.left[k]))};
        const int64_t moved = count_bits(entries);
        last_squares += static_cast<double>(moved * (2 * f.left[k] + moved));
    }
    // Left squares only grow and right squares only shrink, so the ends bound every position.
    const double most_left = last_squares / static_cast<double>(first_left);
    const double most_right = f.right_squares / static_cast<double>(total - first_left - n + 1);
    if (most_left + most_right < f.bound) return 0;

    const auto rows = all(static_cast<double>(total)), bound = all(f.bound);
    auto l = all(static_cast<double>(first_left)) + iota<double>();
    uint64_t mask = 0;
    for (int j = 0; j < n; j += kDoubles) {
        auto left = all(f.left_squares), right = all(f.right_squares);
        for (int c = 0; c < n_classes; ++c) {
            const auto moved = bits_below(classes[c].entries, j);
            left += moved * (all(classes[c].twice_left) + moved);
            right -= moved * (all(classes[c].twice_right) - moved);
        }
        const auto sides = by_squares(left, right, l, rows - l, bound);
        mask |= bits_of(at_least(sides.reached, sides.needed)) << j;
        l += all(static_cast<double>(kDoubles));
    }
    return mask & lowest_bits(n);
}

template <class Id>
EntryKernels<Id> entry_kernels() {
    return {bits_of_entries<Id>, two_classes<Id>,     values<Id>,
            events<Id>,          weighted_values<Id>, weighted_events<Id>};
}

}  // namespace

PositionKernels position_kernels() {
    return {entry_kernels<uint16_t>(), entry_kernels<uint32_t>(), squares};
}

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
