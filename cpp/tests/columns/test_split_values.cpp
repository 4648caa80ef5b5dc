#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/columns/reductions.hpp"
#include "core/columns/split_values.hpp"

using namespace silva;

namespace {

constexpr int64_t kSizes[] = {1, 2, 7, 16, 31, 32, 33, 63, 64, 65, 100, 128, 300, 1001};

template <class T>
std::vector<T> numbers(int64_t n, int64_t highest, std::mt19937& random) {
    std::vector<T> values(static_cast<size_t>(n + kSparePadding));
    for (T& value : values)
        value = static_cast<T>(std::uniform_int_distribution<int64_t>(0, highest)(random));
    return values;
}

bool bit(const std::vector<uint64_t>& bits, int64_t i) { return (bits[i / 64] >> i % 64 & 1) != 0; }

template <class T>
void check_marks_and_ranges() {
    std::mt19937 random(1);
    for (const int64_t n : kSizes) {
        const auto values = numbers<T>(n, 50, random);
        std::vector<uint64_t> bits(static_cast<size_t>(n / 64 + 1), ~uint64_t{0});
        mark_below(values.data(), n, T(20), bits.data());
        int64_t marked = 0;
        for (int64_t i = 0; i < n; ++i) {
            CHECK(bit(bits, i) == (values[i] < T(20)));
            marked += bit(bits, i) ? 1 : 0;
        }
        CHECK(count_marked(bits.data(), n) == marked);
        const Range<T> range = range_of(values.data(), n);
        CHECK(range.low == *std::min_element(values.begin(), values.begin() + n));
        CHECK(range.high == *std::max_element(values.begin(), values.begin() + n));
    }
}

// Marked values first, both parts in their order; what lies beyond n stays.
template <class T>
std::vector<T> split_slowly(const std::vector<T>& values, int64_t n,
                            const std::vector<uint64_t>& bits) {
    std::vector<T> parts;
    for (const bool side : {true, false})
        for (int64_t i = 0; i < n; ++i)
            if (bit(bits, i) == side) parts.push_back(values[i]);
    parts.insert(parts.end(), values.begin() + n, values.end());
    return parts;
}

template <class T>
void check_splits() {
    std::mt19937 random(2);
    for (const int64_t n : kSizes) {
        auto values = numbers<T>(n, 250, random);
        const std::vector<T> before = values;
        auto spare = numbers<T>(n, 1, random);
        std::vector<uint64_t> bits(static_cast<size_t>(n / 64 + 1));
        for (uint64_t& word : bits) word = (uint64_t{random()} << 32) | random();
        split_values(values.data(), n, bits.data(), spare.data());
        CHECK(values == split_slowly(before, n, bits));
    }
}

}  // namespace

TEST_CASE("values below a cut are marked, their range is known") {
    check_marks_and_ranges<uint16_t>();
    check_marks_and_ranges<uint32_t>();
}

TEST_CASE("marked values come first, both parts in their order") {
    check_splits<uint8_t>();
    check_splits<uint16_t>();
    check_splits<uint32_t>();
    check_splits<uint64_t>();
}

TEST_CASE("one bit of words is marked, either way round") {
    std::mt19937 random(4);
    for (const int64_t n : kSizes) {
        const auto words = numbers<uint64_t>(n, 1 << 20, random);
        std::vector<uint64_t> bits(static_cast<size_t>(n / 64 + 1));
        for (const bool value : {true, false}) {
            mark_bit(words.data(), n, 3, value, bits.data());
            for (int64_t i = 0; i < n; ++i) CHECK(bit(bits, i) == ((words[i] >> 3 & 1) == value));
        }
    }
}
