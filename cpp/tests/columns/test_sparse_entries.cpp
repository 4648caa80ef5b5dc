#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "core/columns/sparse_entries.hpp"
#include "tests/sparse_sample.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// The entries of some rows, one by one: new where the value differs from that of the one before.
template <class IsIn, class NumberOf>
std::vector<SparseEntry> picked(const Sample& sample, IsIn&& is_in, NumberOf&& number_of) {
    std::vector<SparseEntry> out;
    int64_t before = -1;
    for (size_t i = 0; i < sample.entries.size(); ++i) {
        const SparseEntry& entry = sample.entries[i];
        if (!is_in(entry.id())) continue;
        const bool is_new = before < 0 || sample.entries[before].key != entry.key ||
                            sample.values[before] != sample.values[i];
        out.push_back({entry.key, number_of(entry.id()) | (is_new ? SparseEntry::kNew : 0)});
        before = static_cast<int64_t>(i);
    }
    return out;
}

void require_equal(const SparseEntry* found, const std::vector<SparseEntry>& expected) {
    for (size_t i = 0; i < expected.size(); ++i) {
        REQUIRE(found[i].key == expected[i].key);
        REQUIRE(found[i].low == expected[i].low);
    }
}

}  // namespace

TEST_CASE("sparse entries: children get their entries in order, new where their values differ") {
    Draw draw(91);
    for (int round = 0; round < 300; ++round) {
        const int64_t n_rows = draw.between(1, 40);
        const Sample sample = sample_of(draw, n_rows, 6);
        std::vector<uint8_t> side;
        std::vector<uint32_t> child;
        for (int64_t id = 0; id < n_rows; ++id) {
            side.push_back(draw.chance(0.4) ? 1 : 0);
            child.push_back(static_cast<uint32_t>(draw.between(0, 3)));  // 3: of no child
        }
        const auto same = [](uint32_t id) { return id; };
        Array<SparseEntry> spare;
        std::vector<SparseEntry> list = sample.entries;
        const int64_t n_left = partition_entries(std::span(list), side.data(), spare);
        const auto left = picked(sample, [&](uint32_t id) { return side[id] == 1; }, same);
        REQUIRE(n_left == std::ssize(left));
        require_equal(list.data(), left);
        require_equal(list.data() + n_left,
                      picked(sample, [&](uint32_t id) { return side[id] == 0; }, same));
        list = sample.entries;
        std::vector<int64_t> starts(4);
        partition_entries(std::span(list), [&](uint32_t id) { return child[id]; }, starts, spare);
        for (uint32_t c = 0; c < 3; ++c) {
            const auto own = picked(sample, [&](uint32_t id) { return child[id] == c; }, same);
            REQUIRE(starts[c + 1] - starts[c] == std::ssize(own));
            require_equal(list.data() + starts[c], own);
        }
    }
}

TEST_CASE("sparse entries: those of some rows, numbered anew, and the run of a column") {
    Draw draw(92);
    for (int round = 0; round < 300; ++round) {
        const int64_t n_rows = draw.between(1, 40);
        constexpr int32_t n_columns = 7;
        const Sample sample = sample_of(draw, n_rows, n_columns);
        std::vector<uint32_t> number;
        uint32_t n_kept = 0;
        for (int64_t id = 0; id < n_rows; ++id)
            number.push_back(draw.chance(0.6) ? n_kept++ : kNoRow);
        SparseEntries kept;
        renumber_entries(sample.entries, number.data(), kept.entries);
        const auto expected = picked(
            sample, [&](uint32_t id) { return number[id] != kNoRow; },
            [&](uint32_t id) { return number[id]; });
        REQUIRE(kept.entries.size() == std::ssize(expected));
        require_equal(kept.entries.data(), expected);
        Team team(1);
        const EntryIndex index(kept.all(), n_columns, n_kept, team, StopFlag());
        REQUIRE(index.n_columns() == n_columns);
        for (int32_t c = 0; c < n_columns; ++c) {
            const Entries run = kept.run(c, 0, kept.entries.size());
            const auto lows = index.column(c);
            REQUIRE(run.size() == lows.size());
            for (size_t i = 0; i < run.size(); ++i) {
                REQUIRE(lows[i] == run[i].low);
                const auto same = index.run(run[i].key);
                REQUIRE(&lows[i] >= same.data());
                REQUIRE(&lows[i] < same.data() + same.size());
            }
            REQUIRE(std::ssize(run) ==
                    std::count_if(expected.begin(), expected.end(),
                                  [&](const SparseEntry& entry) { return entry.column() == c; }));
        }
    }
}

TEST_CASE("sparse entries: the items of a row, by column, with equal ranks for equal values") {
    Draw draw(93);
    Team team(2);
    for (int round = 0; round < 200; ++round) {
        const bool are_many = round % 50 == 0;
        const int64_t n_rows = are_many ? draw.between(4'000, 13'000) : draw.between(1, 40);
        const Sample sample = sample_of(draw, n_rows, 6);
        const SparseRows rows(sample.entries, n_rows, team, StopFlag());
        std::vector<size_t> next(static_cast<size_t>(n_rows), 0);
        std::map<std::pair<uint32_t, uint32_t>, int> value_of;
        for (size_t i = 0; i < sample.entries.size(); ++i) {
            const SparseEntry& entry = sample.entries[i];
            const auto keys = rows.keys_of(entry.id());
            const size_t at = next[entry.id()]++;
            REQUIRE(at < keys.size());
            REQUIRE(keys[at] == entry.key);
            const auto [known, is_new] =
                value_of.try_emplace({entry.key, rows.rank(keys[at])}, sample.values[i]);
            REQUIRE(known->second == sample.values[i]);
            REQUIRE(is_new == entry.is_new());
        }
        for (int64_t row = 0; row < n_rows; ++row)
            REQUIRE(rows.keys_of(row).size() == next[static_cast<size_t>(row)]);
    }
}
