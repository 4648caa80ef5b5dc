#include "core/simd/partition.hpp"

#include "core/simd/vec.hpp"

namespace silva::simd::SILVA_ISA_NAMESPACE {
namespace {

template <class Id>
constexpr Id kNew = Id(Id(1) << (8 * sizeof(Id) - 1));

SILVA_INLINE uint64_t side_of(const uint8_t* side, uint64_t id) { return side[id]; }
SILVA_INLINE uint64_t side_of(const uint32_t* side, uint64_t id) {
    return side[id / 32] >> (id % 32) & 1;
}

// The sides of n entries, as bits. One load each, four chains of them that stay in registers: no
// slower than gathers where gathers are fast, and twice as fast where they are not.
template <class Id, class Side>
SILVA_INLINE uint64_t sides_of(const Id* entries, int n, const Side* side) {
    const auto bit = [&](int i) __attribute__((always_inline)) {
        return side_of(side, entries[i] & Id(kNew<Id> - 1)) << i;
    };
    uint64_t a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a |= bit(i);
        b |= bit(i + 1);
        c |= bit(i + 2);
        d |= bit(i + 3);
    }
    for (; i < n; ++i) a |= bit(i);
    return (a | b) | (c | d);
}

// Which entries of a child become new. The bits of `others` (entries of the other child) form runs;
// adding the new bits inside a run carries out of it, into the child's next entry. `pending` is the
// carry from the entries before and after these.
SILVA_INLINE uint64_t new_entries(uint64_t mine, uint64_t others, uint64_t is_new,
                                  uint64_t& pending, int width) {
    const uint64_t sum = (is_new & others) + others + pending;
    pending = sum >> width;
    return (sum | is_new) & mine;
}

template <class Id>
struct Children {
    Id *left, *right;
    uint64_t pending_left = 0, pending_right = 0;

    // `sides` of the entries that are `here`. Left entries are written a register at a time, unless
    // `exactly`: what is written beyond them was read.
    template <bool exactly = false>
    SILVA_INLINE void take(Vec<Id> entries, uint64_t here, uint64_t sides) {
        constexpr int width = kLanes<Id>;
        const uint64_t is_new = bits_of(top_bit(entries)), others = sides ^ here;
        const uint64_t flags = new_entries(sides, others, is_new, pending_left, width) |
                               new_entries(others, sides, is_new, pending_right, width);
        const auto flag = all<Id>(kNew<Id>);
        const auto flagged = (entries & ~flag) | keep(mask_of<Id>(flags), flag);
        right = compress(right, flagged, others);
        if constexpr (exactly)
            left = compress_exactly(left, flagged, sides);
        else
            left = compress(left, flagged, sides);
    }
};

// A compress that writes parts of registers leaves stores that no load of a whole register is
// forwarded from.
template <class Id>
SILVA_INLINE void copy(const Id* from, int64_t n, Id* to) {
    constexpr int width = kLanes<Id>;
    for (; n >= width; n -= width, from += width, to += width) store(to, load(from));
    if constexpr (kStoresLanes)
        store_first(to, load(from), n);
    else
        copy_bytes<kBytes / 2>(reinterpret_cast<uint8_t*>(to),
                               reinterpret_cast<const uint8_t*>(from),
                               n * static_cast<int64_t>(sizeof(Id)));
}

template <class Id, class Side>
void partition(Id* list, int64_t n, const Side* side, Id* spare) {
    constexpr int width = kLanes<Id>;
    Children<Id> children{list, spare};
    int64_t i = 0;
    for (; i + width <= n; i += width)
        children.take(load(list + i), lowest_bits(width), sides_of(list + i, width, side));
    if (const auto rest = static_cast<int>(n - i); rest > 0)
        children.template take<true>(load_first(list + i, rest), lowest_bits(rest),
                                     sides_of(list + i, rest, side));
    copy(spare, children.right - spare, children.left);
}

}  // namespace

PartitionKernels partition_kernels() { return {partition, partition}; }

}  // namespace silva::simd::SILVA_ISA_NAMESPACE
