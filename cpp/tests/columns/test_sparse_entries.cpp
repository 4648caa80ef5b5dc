#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "core/columns/sparse_entries.hpp"
#include "tests/support.hpp"

using namespace silva;
using namespace silva::test;

namespace {

// Entries with the values that they stand for.
struct Sample {
    std::vector<SparseEntry> entries;
    std::vector<int> values;
};

Sample sample_of(Draw& draw, int64_t n_rows, int32_t n_columns) {
    Sample sample;
    for (int32_t c = 0; c < n_columns; ++c)
        for (const int sign : {-1, 1}) {
            int value = 0;
            std::vector<uint32_t> ids;
            for (int64_t id = 0; id < n_rows; ++id)
                if (draw.chance(0.2)) ids.push_back(static_cast<uint32_t>(id));
            draw.shuffle(ids);
            for (size_t i = 0; i < ids.size(); ++i) {
                const bool is_new = i == 0 || draw.chance(0.5);
                value += is_new ? 1 : 0;
                const auto of_value = sign < 0 ? EntryClass::negative : EntryClass::positive;
                sample.entries.push_back(SparseEntry::of(c, of_value, ids[i], is_new));
                sample.values.push_back(sign < 0 ? value - 1000 : value);
            }
        }
    return sample;
}

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
        SparseEntries indexed;
        renumber_entries(sample.entries, number.data(), indexed.entries);
        indexed.index(n_columns);
        REQUIRE(indexed.stay());
        for (int32_t c = 0; c < n_columns; ++c) {
            const Entries run = kept.run(c, 0, kept.entries.size());
            const Entries same = indexed.run(c, 0, 0);
            REQUIRE(run.size() == same.size());
            REQUIRE(std::ssize(run) ==
                    std::count_if(expected.begin(), expected.end(),
                                  [&](const SparseEntry& entry) { return entry.column() == c; }));
        }
    }
}
