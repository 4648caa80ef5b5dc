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
        split_values(values.data(), n, bits.data(), spare.data(), true);
        CHECK(values == split_slowly(before, n, bits));
        values.assign(before.begin(), before.begin() + n);  // nothing beyond is touched
        values.shrink_to_fit();
        split_values(values.data(), n, bits.data(), spare.data(), true);
        CHECK(values == split_slowly(std::vector<T>(before.begin(), before.begin() + n), n, bits));
    }
}

void check_columns(int64_t n, bool keep_rest, std::mt19937& random) {
    std::vector<uint64_t> bits(static_cast<size_t>(n / 64 + 2));
    for (uint64_t& word : bits) word = (uint64_t{random()} << 32) | random();
    std::vector<std::vector<uint16_t>> columns(5), wanted;
    std::vector<uint16_t*> starts;
    auto spare = numbers<uint16_t>(n, 1, random);
    for (auto& column : columns) {
        column = numbers<uint16_t>(n, 65535, random);
        wanted.push_back(split_slowly(column, n, bits));
        starts.push_back(column.data());
    }
    split_columns_of(starts, n, bits.data(), spare.data(), keep_rest);
    const auto lefts = [&] {
        int64_t marked = 0;
        for (int64_t i = 0; i < n; ++i) marked += bit(bits, i) ? 1 : 0;
        return marked;
    }();
    for (size_t c = 0; c < columns.size(); ++c) {
        CHECK(std::equal(wanted[c].begin(), wanted[c].begin() + lefts, columns[c].begin()));
        if (keep_rest) CHECK(wanted[c] == columns[c]);
        CHECK(std::equal(wanted[c].begin() + n, wanted[c].end(), columns[c].begin() + n));
    }
}

template <class T>
void check_picks() {
    std::mt19937 random(3);
    const auto values = numbers<T>(32, 250, random);
    for (int round = 0; round < 50; ++round) {
        const uint32_t rows = random();
        std::vector<T> out(64), wanted;
        pick(values.data(), rows, out.data());
        for (int i = 0; i < 32; ++i)
            if ((rows >> i & 1) != 0) wanted.push_back(values[i]);
        CHECK(std::equal(wanted.begin(), wanted.end(), out.begin()));
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

TEST_CASE("some of 32 values") {
    check_picks<uint16_t>();
    check_picks<uint64_t>();
    CHECK(spread_bits(0b101, 0b11010) == 0b10010);
    CHECK(spread_bits(0b11, 0x80000001u) == 0x80000001u);
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

TEST_CASE("columns are split together as one by one") {
    std::mt19937 random(4);
    for (const int64_t n : kSizes)
        for (const bool keep_rest : {true, false}) check_columns(n, keep_rest, random);
}
