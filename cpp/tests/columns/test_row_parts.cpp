#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/columns/row_parts.hpp"

using namespace silva;

namespace {

struct Marked {
    std::vector<uint64_t> bits;
    int64_t n_marked = 0;
};

Marked some_marks(std::mt19937_64& random, int64_t n, uint64_t of_eight) {
    Marked marks{std::vector<uint64_t>(static_cast<size_t>(n / 64 + 2), 0)};
    for (int64_t i = 0; i < n; ++i) {
        if (random() % 8 >= of_eight) continue;
        marks.bits[static_cast<size_t>(i / 64)] |= uint64_t{1} << (i % 64);
        ++marks.n_marked;
    }
    return marks;
}

// Numbers in their order before the split, in a type of the smallest size that has them apart.
template <class T>
std::vector<T> numbers(int64_t n) {
    std::vector<T> all(static_cast<size_t>(n + kSparePadding));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<T>(i);
    return all;
}

}  // namespace

TEST_CASE("all arrays of a node are split alike, with and without their order") {
    std::mt19937_64 random(6);
    for (const int64_t n : {1, 32, 65, 97, 256, 257, 288, 300, 320, 1000, 4095, 20001}) {
        for (const uint64_t of_eight : {0, 1, 4, 7, 8}) {
            for (const bool keep_order : {false, true}) {
                const Marked marks = some_marks(random, n, of_eight);
                std::vector<uint64_t> spare(static_cast<size_t>(n + kSparePadding));
                const RowParts parts(n, marks.bits.data(), spare.data(), keep_order);
                auto wide = numbers<uint64_t>(n);
                auto words = numbers<uint32_t>(n);
                auto shorts = numbers<uint16_t>(n);
                auto bytes = numbers<uint8_t>(n);
                parts.split(wide.data());
                parts.split(words.data());
                uint16_t* columns[] = {shorts.data()};
                parts.split_columns(columns, true);
                parts.split(bytes.data());
                std::vector<uint64_t> seen(wide.begin(), wide.begin() + n);
                for (int64_t i = 0; i < n; ++i) {
                    const uint64_t was = seen[static_cast<size_t>(i)];
                    CHECK((marks.bits[was / 64] >> (was % 64) & 1) == (i < marks.n_marked ? 1 : 0));
                    CHECK(words[static_cast<size_t>(i)] == was);
                    CHECK(shorts[static_cast<size_t>(i)] == static_cast<uint16_t>(was));
                    CHECK(bytes[static_cast<size_t>(i)] == static_cast<uint8_t>(was));
                }
                const auto middle = seen.begin() + marks.n_marked;
                if (keep_order) {
                    CHECK(std::is_sorted(seen.begin(), middle));
                    CHECK(std::is_sorted(middle, seen.end()));
                }
                std::sort(seen.begin(), seen.end());
                CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
                for (int64_t i = n; i < n + kSparePadding; ++i)
                    CHECK(wide[static_cast<size_t>(i)] == static_cast<uint64_t>(i));
            }
        }
    }
}

TEST_CASE("blocks are moved in place, also where that does not pay") {
    std::mt19937_64 random(7);
    for (const int64_t n : {65, 96, 500, 5000}) {
        const Marked marks = some_marks(random, n, 3);
        std::vector<BlockMove> room(static_cast<size_t>(n / 32 + 2));
        const auto moves = plan_moves(n, marks.bits.data(), room.data());
        auto all = numbers<uint32_t>(n);
        move_blocks(all.data(), moves);
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t was = all[static_cast<size_t>(i)];
            CHECK((marks.bits[was / 64] >> (was % 64) & 1) == (i < marks.n_marked ? 1 : 0));
        }
        std::sort(all.begin(), all.begin() + n);
        CHECK(std::adjacent_find(all.begin(), all.begin() + n) == all.begin() + n);
    }
}
