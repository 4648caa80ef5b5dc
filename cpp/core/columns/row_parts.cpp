#include "core/columns/row_parts.hpp"

#include <algorithm>
#include <bit>

namespace silva {
namespace {

constexpr int64_t kBlock = 32;

uint32_t bits_at(const uint64_t* bits, int64_t at) {
    uint64_t word = bits[at / 64] >> (at % 64);
    if (at % 64 > 32) word |= bits[at / 64 + 1] << (64 - at % 64);
    return static_cast<uint32_t>(word);
}

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

}  // namespace silva
