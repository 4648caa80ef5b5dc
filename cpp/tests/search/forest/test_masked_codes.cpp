#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "core/columns/marked_rows.hpp"
#include "core/columns/value_codes.hpp"
#include "core/search/forest/masked_codes.hpp"

using namespace silva;

namespace {

struct Sample {
    std::vector<uint16_t> codes;
    std::vector<uint64_t> rows;
    int64_t n = 0;

    bool counts(int64_t row) const { return (rows[row / 64] >> (row % 64) & 1) != 0; }
    int64_t span() const { return static_cast<int64_t>(codes.size()); }
};

// At least one row counts; one in `rarity`.
Sample sample(std::mt19937& random, size_t n_words, uint32_t rarity, uint32_t n_codes) {
    Sample made{std::vector<uint16_t>(64 * n_words), std::vector<uint64_t>(n_words)};
    for (uint16_t& code : made.codes) code = static_cast<uint16_t>(random() % n_codes);
    const int64_t sure = random() % made.codes.size();
    for (int64_t row = 0; row < made.span(); ++row) {
        if (row != sure && random() % rarity != 0) continue;
        made.rows[row / 64] |= uint64_t{1} << (row % 64);
        ++made.n;
    }
    return made;
}

template <class F>
void for_samples(F&& f) {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round)
        f(sample(random, 1 + random() % 4, 1 + random() % 12, round % 2 ? 65536 : 7), random);
}

}  // namespace

TEST_CASE("the range of the codes that count") {
    for_samples([](const Sample& made, std::mt19937&) {
        uint16_t low = 65535, high = 0;
        for (int64_t row = 0; row < made.span(); ++row) {
            if (!made.counts(row)) continue;
            low = std::min(low, made.codes[row]);
            high = std::max(high, made.codes[row]);
        }
        const Range<uint16_t> range = range_of(made.codes.data(), made.rows);
        CHECK(range.low == low);
        CHECK(range.high == high);
    });
}

TEST_CASE("the next row of a code, and the rows below some codes") {
    for_samples([](const Sample& made, std::mt19937& random) {
        const uint16_t code = made.codes[random() % made.codes.size()];
        const auto last = static_cast<uint16_t>(std::min<int>(code + random() % 3, 65535));
        const int64_t begin = random() % made.codes.size();
        int64_t found = -1;
        bool any = false;
        for (int64_t row = made.span() - 1; row >= 0; --row) {
            if (!made.counts(row)) continue;
            any |= code <= made.codes[row] && made.codes[row] <= last;
            if (row >= begin && made.codes[row] == code) found = row;
        }
        CHECK(find_equal(made.codes.data(), made.rows, begin, code) == found);
        CHECK(find_equal(made.codes.data(), made.rows, made.span(), code) == -1);
        std::vector<uint64_t> below(made.rows.size(), 77);
        CHECK(mark_below(made.codes.data(), made.rows, code, last, below.data()) == any);
        for (int64_t row = 0; row < made.span(); ++row)
            CHECK((below[row / 64] >> (row % 64) & 1) ==
                  (made.counts(row) && made.codes[row] < code ? 1 : 0));
    });
}

TEST_CASE("the rows with the lowest and the highest code") {
    for_samples([](const Sample& made, std::mt19937&) {
        const Range<uint16_t> range = range_of(made.codes.data(), made.rows);
        std::vector<int64_t> lows, highs;
        for (int64_t row = 0; row < made.span(); ++row) {
            if (!made.counts(row)) continue;
            if (made.codes[row] == range.low) lows.push_back(row);
            if (made.codes[row] == range.high) highs.push_back(row);
        }
        const Ends ends = find_ends(made.codes.data(), made.rows, range);
        CHECK(ends.low == lows.front());
        CHECK(ends.high == highs.front());
        CHECK(ends.one_low == (lows.size() == 1));
        CHECK(ends.one_high == (highs.size() == 1));
    });
}

TEST_CASE("columns of few rows together are as one by one") {
    std::mt19937 random(12);
    const CodeScale even = CodeScale::even(0.0, 10.0), rough = CodeScale::by_exponent(1.0, 1e9);
    int64_t n_clear = 0, n_missing = 0;
    for (int round = 0; round < 200; ++round) {
        const size_t n_words = 1 + random() % kFewWords;
        std::vector<Sample> samples;
        std::array<SmallNodeColumn, 3> columns;
        for (SmallNodeColumn& column : columns) {
            column.may_miss = random() % 3 == 0;
            samples.push_back(sample(random, n_words, 1 + random() % 5, round % 2 ? 65536 : 7));
            column.slack = (random() % 4 == 0 ? rough : even).slack();
            column.share = static_cast<double>(1 + random() % 1000) / 1000;
        }
        for (size_t c = 0; c < columns.size(); ++c) columns[c].codes = samples[c].codes.data();
        const std::vector<uint64_t> all_rows = samples[0].rows;
        for (size_t c = 0; c < columns.size(); ++c)
            for (uint16_t& code : samples[c].codes)
                if (columns[c].may_miss && random() % 4 == 0) code = kMissingCode;
        const bool any_may_miss =
            std::ranges::any_of(columns, [](const auto& column) { return column.may_miss; });
        cut_few(columns, all_rows);
        for (const SmallNodeColumn& column : columns) {
            std::vector<uint64_t> rows = all_rows;
            if (column.may_miss) {
                mark_below(column.codes, all_rows, kMissingCode, kMissingCode, rows.data());
                n_missing += count_marked(column.missing, 64 * std::ssize(rows));
            }
            for (size_t word = 0; any_may_miss && word < n_words; ++word)
                CHECK(column.missing[word] == (all_rows[word] & ~rows[word]));
            if (count_marked(rows.data(), 64 * std::ssize(rows)) == 0) {
                CHECK(!column.is_clear);
                continue;
            }
            const Range<uint16_t> range = range_of(column.codes, rows);
            CHECK(column.range.low == range.low);
            CHECK(column.range.high == range.high);
            std::vector<uint64_t> below(n_words);
            const auto window =
                simd::code_window(range.low, range.high, column.share, column.slack);
            const bool any_inside =
                mark_below(column.codes, rows, window.first, window.last, below.data());
            CHECK(column.is_clear == (!any_inside && column.slack < 0.5));
            CHECK(std::equal(below.begin(), below.end(), column.below));
            CHECK(column.n_below == count_marked(below.data(), 64 * std::ssize(below)));
            n_clear += column.is_clear ? 1 : 0;
        }
    }
    CHECK(n_clear > 50);
    CHECK(n_clear < 550);
    CHECK(n_missing > 500);
}

TEST_CASE("the bits of the rows that count side by side") {
    for_samples([](const Sample& made, std::mt19937& random) {
        std::vector<uint64_t> values(made.rows.size());
        for (uint64_t& word : values) word = random() | static_cast<uint64_t>(random()) << 32;
        Array<uint32_t> spare;
        std::vector<uint64_t> found(static_cast<size_t>(made.n + 63) / 64, 99),
            wanted(found.size());
        MarkedCopy(made.rows, made.n, spare).bits(values.data(), found.data());
        int64_t n = 0;
        for (int64_t row = 0; row < made.span(); ++row) {
            if (!made.counts(row)) continue;
            wanted[n / 64] |= (values[row / 64] >> (row % 64) & 1) << (n % 64);
            ++n;
        }
        CHECK(found == wanted);
    });
}

TEST_CASE_TEMPLATE("the rows that count side by side", T, uint8_t, uint16_t, uint32_t, uint64_t) {
    for_samples([](const Sample& made, std::mt19937&) {
        std::vector<T> values(made.codes.begin(), made.codes.end()), wanted;
        values.push_back(0);  // may be read
        for (int64_t row = 0; row < made.span(); ++row)
            if (made.counts(row)) wanted.push_back(values[row]);
        for (const bool must_list : {false, true}) {
            Array<uint32_t> spare;
            std::vector<T> out(values.size() + 64), listed(wanted.size());
            const MarkedCopy copy(made.rows, made.n, spare, must_list);
            copy(values.data(), out.data());
            out.resize(wanted.size());
            CHECK(out == wanted);
            CHECK(copy.size() == made.n);
            if (!must_list) continue;
            copy.pick_listed(values.data(), listed.data());
            CHECK(std::ssize(copy.listed()) == made.n);
            CHECK(listed == wanted);
        }
    });
}
