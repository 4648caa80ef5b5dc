#include "core/forest/row_parts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/forest/lanes.hpp"

namespace silva {
namespace {

constexpr int64_t kBlock = 32;

uint32_t bits_at(const uint64_t* bits, int64_t at) {
    uint64_t word = bits[at / 64] >> (at % 64);
    if (at % 64 > 32) word |= bits[at / 64 + 1] << (64 - at % 64);
    return static_cast<uint32_t>(word);
}

// ---- plain loop --------------------------------------------------------------------------------

template <class T>
void store_plainly(T* values, const BlockMove& move, const T* block) {
    T *left = values + move.left_to, *right = values + move.right_to;
    for (uint32_t rest = move.left; rest != 0; rest &= rest - 1)
        *left++ = block[std::countr_zero(rest)];
    for (uint32_t rest = move.right; rest != 0; rest &= rest - 1)
        *right++ = block[std::countr_zero(rest)];
}

template <class T>
void move_plainly(T* values, std::span<const BlockMove> moves) {
    T first[kBlock], last[kBlock], block[kBlock];
    std::memcpy(first, values + moves[0].from, sizeof(block));
    std::memcpy(last, values + moves[1].from, sizeof(block));
    for (const BlockMove& move : moves.subspan(2)) {
        std::memcpy(block, values + move.from, sizeof(block));
        store_plainly(values, move, block);
    }
    store_plainly(values, moves[0], first);
    store_plainly(values, moves[1], last);
}

// ---- wide loop ---------------------------------------------------------------------------------

#ifdef SILVA_HAS_WIDE

template <class T>
struct Block {
    static constexpr int kWidth = Lanes<T>::kWidth < kBlock ? Lanes<T>::kWidth : kBlock;
    static constexpr int kRegisters = kBlock / kWidth;
    __m512i entries[kRegisters];

    SILVA_WIDE void load(const T* from) {
        constexpr auto all = static_cast<typename Lanes<T>::Bits>((uint64_t{1} << kWidth) - 1);
        for (int r = 0; r < kRegisters; ++r) entries[r] = Lanes<T>::load(all, from + kWidth * r);
    }
    // has_room: for a whole block on the left.
    template <bool has_room>
    SILVA_WIDE void store(T* values, const BlockMove& move) const {
        using Bits = typename Lanes<T>::Bits;
        T *left = values + move.left_to, *right = values + move.right_to;
        for (int r = 0; r < kRegisters; ++r) {
            const uint64_t here = (uint64_t{1} << kWidth) - 1;
            const auto lefts = static_cast<Bits>(move.left >> (kWidth * r) & here);
            const auto rights = static_cast<Bits>(move.right >> (kWidth * r) & here);
            const int n_left = __builtin_popcountll(lefts);
            const int n_right = __builtin_popcountll(rights);
            const __m512i to_left = Lanes<T>::compress(lefts, entries[r]);
            if constexpr (has_room && kWidth == Lanes<T>::kWidth)
                _mm512_storeu_si512(left, to_left);
            else
                Lanes<T>::store(left, static_cast<Bits>(lowest_bits(n_left)), to_left);
            Lanes<T>::store(right, static_cast<Bits>(lowest_bits(n_right)),
                            Lanes<T>::compress(rights, entries[r]));
            left += n_left;
            right += n_right;
        }
    }
};

template <class T>
SILVA_WIDE void move_widely(T* values, std::span<const BlockMove> moves) {
    Block<T> first, last, block;
    first.load(values + moves[0].from);
    last.load(values + moves[1].from);
    for (size_t i = 2; i < moves.size(); ++i) {
        block.load(values + moves[i].from);
        block.template store<true>(values, moves[i]);
    }
    first.template store<false>(values, moves[0]);
    last.template store<false>(values, moves[1]);
}

#endif

}  // namespace

std::span<const BlockMove> plan_moves(int64_t n, const uint64_t* bits, BlockMove* room) {
    int64_t unread = kBlock, unread_end = n - kBlock, left = 0, right = n;
    BlockMove* next = room;
    const auto plan = [&](int64_t from, int64_t size) {
        const auto here = static_cast<uint32_t>((uint64_t{1} << size) - 1);
        const uint32_t marked = bits_at(bits, from) & here;
        *next++ = {static_cast<uint32_t>(from), marked, here & ~marked, 0, 0};
    };
    const auto send = [&](BlockMove& move) {
        right -= std::popcount(move.right);
        move.left_to = static_cast<uint32_t>(left);
        move.right_to = static_cast<uint32_t>(right);
        left += std::popcount(move.left);
    };
    plan(0, kBlock);
    plan(n - kBlock, kBlock);
    while (unread < unread_end) {
        const int64_t size = std::min(kBlock, unread_end - unread);
        const bool from_left = size < kBlock || unread - left < kBlock;
        plan(from_left ? unread : unread_end - kBlock, size);
        unread += from_left ? size : 0;
        unread_end -= from_left ? 0 : kBlock;
        send(next[-1]);
    }
    send(room[0]);
    send(room[1]);
    return {room, next};
}

#define SILVA_DEFINE(T)                                                        \
    void move_blocks(T* values, std::span<const BlockMove> moves) {            \
        SILVA_CHOOSE(move_widely(values, moves), move_plainly(values, moves)); \
    }
SILVA_DEFINE(uint8_t)
SILVA_DEFINE(uint16_t)
SILVA_DEFINE(uint32_t)
SILVA_DEFINE(uint64_t)
#undef SILVA_DEFINE

}  // namespace silva
