#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

#include "core/grow/forest/drawn_sets.hpp"

using namespace silva;

namespace {

// Rows of a column, some of them marked, each of weight 1.
struct Sample {
    int32_t n_codes;
    std::vector<uint16_t> codes;
    std::vector<uint64_t> marks;
    ColumnSettings asked;

    DrawnSets::Rows rows() const {
        return {{nullptr, n_codes, false, true, asked}, codes.data(), marks};
    }
    bool is_marked(size_t i) const { return (marks[i / 64] >> (i % 64) & 1) != 0; }
    std::set<int32_t> levels() const {
        std::set<int32_t> known;
        for (size_t i = 0; i < codes.size(); ++i)
            if (is_marked(i) && codes[i] < n_codes) known.insert(codes[i]);
        return known;
    }
};

Sample some_sample(std::mt19937& random, int32_t n_codes, size_t n_words, int density) {
    Sample sample{n_codes, {}, std::vector<uint64_t>(n_words), {}};
    sample.asked.form = random() % 3 == 0 ? SplitForm::onevsrest : SplitForm::subset;
    sample.asked.missing = random() % 2 == 0 ? Fallback::learn : Fallback::majority;
    sample.asked.unseen = Fallback::stop;
    for (size_t i = 0; i < 64 * n_words; ++i) {
        sample.codes.push_back(static_cast<uint16_t>(random() % (n_codes + 1)));
        if (random() % 10 < static_cast<uint32_t>(density))
            sample.marks[i / 64] |= uint64_t{1} << (i % 64);
    }
    return sample;
}

int64_t count(std::span<const uint64_t> marks) {
    return count_marked(marks.data(), 64 * std::ssize(marks));
}

// All rows of a level go one way, the rule lists the levels of the right side, and the lighter side
// of the known levels is right.
void check_question(const Sample& sample, DrawnSets& sets, const std::vector<uint64_t>& left) {
    const Candidate rule = sets.describe(sample.rows(), left);
    const std::set<int32_t> listed(rule.detail->codes.begin(), rule.detail->codes.end());
    int64_t n_known[2] = {0, 0};
    for (size_t i = 0; i < sample.codes.size(); ++i) {
        const bool is_left = (left[i / 64] >> (i % 64) & 1) != 0;
        if (!sample.is_marked(i)) {
            CHECK(!is_left);
            continue;
        }
        const bool is_missing = sample.codes[i] == sample.n_codes;
        CHECK(is_left == (is_missing ? rule.missing_left : listed.count(sample.codes[i]) == 0));
        n_known[is_left ? 0 : 1] += is_missing ? 0 : 1;
    }
    const bool is_set = sample.asked.form == SplitForm::subset;
    if (is_set && sample.asked.missing == Fallback::majority) CHECK(n_known[1] <= n_known[0]);
    std::set<int32_t> named = listed;
    named.insert(rule.detail->rest.begin(), rule.detail->rest.end());
    if (is_set) CHECK(named == sample.levels());
    if (!is_set) CHECK(listed.size() <= 1);
}

}  // namespace

TEST_CASE("every question divides the marked rows by level, as its rule says") {
    std::mt19937 random(7);
    DrawnSets sets;
    int n_asked = 0;
    for (int i = 0; i < 2000; ++i) {
        const int32_t n_codes = i % 2 == 0 ? 2 + static_cast<int32_t>(random() % 61)
                                           : 63 + static_cast<int32_t>(random() % 200);
        const Sample sample = some_sample(random, n_codes, 1 + random() % 3, 1 + i % 10);
        std::vector<uint64_t> left;
        const bool varies = sets.ask(
            sample.rows(), random(), count,
            [&](std::span<const uint64_t> rows) { left.assign(rows.begin(), rows.end()); });
        if (sample.levels().size() >= 2) CHECK(varies);
        if (left.empty()) continue;
        ++n_asked;
        CHECK(count(left) > 0);
        CHECK(count(left) < count(sample.marks));
        check_question(sample, sets, left);
    }
    CHECK(n_asked > 1000);
}
