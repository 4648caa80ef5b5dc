#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "core/columns/marked_rows.hpp"

using namespace silva;

namespace {

struct Rows {
    std::vector<uint64_t> bits;
    std::vector<uint32_t> numbers;  // of those that count
};

// Some of n rows, about one of `every`; the last one counts, so that values end with it.
Rows some_rows(std::mt19937_64& random, int64_t n, uint64_t every) {
    Rows rows{std::vector<uint64_t>(static_cast<size_t>((n + 63) / 64)), {}};
    for (int64_t i = 0; i < n; ++i) {
        if (random() % every != 0 && i < n - 1) continue;
        rows.bits[static_cast<size_t>(i / 64)] |= uint64_t{1} << (i % 64);
        rows.numbers.push_back(static_cast<uint32_t>(i));
    }
    return rows;
}

constexpr int64_t kSizes[] = {1, 7, 16, 31, 63, 64, 65, 100, 129, 700};

template <class F>
void for_each_sample(F&& f) {
    std::mt19937_64 random(15);
    for (const int64_t n : kSizes)
        for (const uint64_t every : {1, 2, 3, 9, 40})
            for (const bool must_list : {false, true}) {
                const Rows rows = some_rows(random, n, every);
                Array<uint32_t> spare;
                f(random, n, rows,
                  MarkedCopy(rows.bits, std::ssize(rows.numbers), spare, must_list));
            }
}

template <class T>
void check_copies() {
    for_each_sample([](auto& random, int64_t n, const Rows& rows, const MarkedCopy& copy) {
        std::vector<T> values(static_cast<size_t>(n)), out(rows.numbers.size() + kSparePadding);
        for (T& value : values) value = static_cast<T>(random());
        copy(values.data(), out.data());
        for (size_t i = 0; i < rows.numbers.size(); ++i) REQUIRE(out[i] == values[rows.numbers[i]]);
    });
}

}  // namespace

TEST_CASE("values of marked rows are copied in their order, without a look beyond the last") {
    check_copies<uint8_t>();
    check_copies<uint16_t>();
    check_copies<uint32_t>();
    check_copies<uint64_t>();
}

TEST_CASE("bits of marked rows are copied, with zeros behind them") {
    for_each_sample([](auto& random, int64_t n, const Rows& rows, const MarkedCopy& copy) {
        std::vector<uint64_t> values(rows.bits.size()), wanted((rows.numbers.size() + 63) / 64);
        for (uint64_t& word : values) word = random();
        for (size_t i = 0; i < rows.numbers.size(); ++i) {
            const uint32_t row = rows.numbers[i];
            wanted[i / 64] |= (values[row / 64] >> (row % 64) & 1) << (i % 64);
        }
        std::vector<uint64_t> out(wanted.size(), ~uint64_t{0});
        copy.bits(values.data(), out.data());
        CHECK(out == wanted);
        CHECK(copy.size() <= n);
    });
}

TEST_CASE("marked rows are listed where they are few or must be, padded with numbers of rows") {
    for_each_sample([](auto&, int64_t n, const Rows& rows, const MarkedCopy& copy) {
        const auto listed = copy.listed();
        if (listed.empty()) return;
        REQUIRE(listed.size() == rows.numbers.size());
        for (size_t i = 0; i < listed.size(); ++i) REQUIRE(listed[i] == rows.numbers[i]);
        for (int64_t i = 0; i < kSparePadding; ++i) CHECK(listed.data()[listed.size() + i] < n);
    });
}
