#include "core/base/bit_row.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

TEST_CASE("bit_row: bits are the bytes they were made from, also after some were put") {
    Draw draw(70);
    for (const int64_t n : {1, 31, 32, 33, 64, 500}) {
        std::vector<uint8_t> bytes(static_cast<size_t>(n));
        for (uint8_t& byte : bytes) byte = draw.chance(0.5) ? 1 : 0;
        BitRow bits;
        fill_bits(bytes.data(), n, bits);
        REQUIRE(bits.size() == bit_row_words(n));
        for (int round = 0; round < 50; ++round) {
            for (int64_t id = 0; id < n; ++id) REQUIRE(bit_at(bits.data(), id) == (bytes[id] != 0));
            const int64_t id = draw.below(n);
            bytes[id] = draw.chance(0.5) ? 1 : 0;
            put_bit(bits.data(), id, bytes[id] != 0);
        }
    }
}
