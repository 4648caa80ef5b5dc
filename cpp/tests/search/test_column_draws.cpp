#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/search/column_draws.hpp"

using namespace silva;

namespace {

// Columns in the order in which a node draws them: of a narrow table by their hashes, of a wide one
// as the hashes of the numbers of the draws say, each column once.
std::vector<int32_t> order_of(uint64_t seed, int64_t n) {
    std::vector<int32_t> order;
    if (n <= kMostNarrowColumns) {
        std::vector<std::pair<uint64_t, int32_t>> hashes;
        for (int32_t c = 0; c < n; ++c) hashes.push_back({mix(seed, static_cast<uint64_t>(c)), c});
        std::sort(hashes.begin(), hashes.end());
        for (const auto& [hash, c] : hashes) order.push_back(c);
        return order;
    }
    std::vector<bool> drawn(static_cast<size_t>(n), false);
    for (uint64_t number = 0; std::ssize(order) < n; ++number) {
        const auto wide_hash = static_cast<unsigned __int128>(mix(seed, number));
        const auto c = static_cast<int32_t>((wide_hash * static_cast<uint64_t>(n)) >> 64);
        if (!drawn[static_cast<size_t>(c)]) order.push_back(c);
        drawn[static_cast<size_t>(c)] = true;
    }
    return order;
}

}  // namespace

TEST_CASE("the first columns of an order, and then one after the other") {
    for (const int64_t n : {2, 5, 8, 20, 31, 54, 64, 65, 200, 256, 257, 300, 3000}) {
        ColumnDraws draws(n);
        for (uint64_t seed = 0; seed < 30; ++seed) {
            const std::vector<int32_t> order = order_of(seed, n);
            const int64_t limit = 1 + static_cast<int64_t>(seed * seed) % (n - 1);
            std::vector<int32_t> wanted(order.begin(), order.begin() + limit);
            std::sort(wanted.begin(), wanted.end());
            const auto first = draws.first(seed, limit);
            CHECK(std::vector<int32_t>(first.begin(), first.end()) == wanted);
            for (int64_t i = limit; i < n; ++i) CHECK(draws.next() == order[i]);
            CHECK(draws.next() == -1);
            const uint64_t alive = mix(seed);
            const auto is_alive = [&](int32_t c) { return c >= 64 || (alive >> c & 1) != 0; };
            std::erase_if(wanted, [&](int32_t c) { return !is_alive(c); });
            const auto living = draws.first(seed, limit, alive);
            CHECK(std::vector<int32_t>(living.begin(), living.end()) == wanted);
            for (int64_t i = limit; i < n; ++i)
                if (is_alive(order[i])) CHECK(draws.next(alive) == order[i]);
            CHECK(draws.next(alive) == -1);
        }
    }
}
