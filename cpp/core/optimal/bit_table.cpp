#include "core/optimal/bit_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace silva::optimal {
namespace {

// The rows whose rank is not below the position.
RowSet rows_from(const int32_t* ranks, int64_t rows, int32_t position) {
    RowSet set((rows + 63) / 64);
    for (int64_t first = 0; first < rows; first += 64) {
        uint64_t word = 0;
        const int64_t last = std::min<int64_t>(64, rows - first);
        for (int64_t i = 0; i < last; ++i) word |= uint64_t{ranks[first + i] >= position} << i;
        set[first / 64] = word;
    }
    return set;
}

}  // namespace

BitTable::BitTable(const Problem& problem, const Bounds& bounds, int64_t min_rows) {
    list_tests(problem);
    for (int32_t k = 0; k < problem.classes; ++k) {
        std::vector<int64_t> rows;
        for (int64_t row = 0; row < problem.rows(); ++row)
            if (problem.label[row] == k) rows.push_back(row);
        add_segments(k, rows, problem.weight);
    }
    std::vector<int64_t> all(problem.rows());
    std::iota(all.begin(), all.end(), 0);
    if (min_rows > 1) add_segments(problem.classes, all, problem.count);
    searched = static_cast<int32_t>(segments.size());
    if (bounds.equivalent_rows) add_segments(problem.classes + 1, all, problem.floor);
}

void BitTable::list_tests(const Problem& problem) {
    for (int32_t c = 0; c < problem.columns; ++c)
        for (int32_t position = 1; position < problem.levels[c]; ++position) {
            names.emplace_back(c, position);
            const int32_t* ranks = problem.ranks.data() + c * problem.rows();
            tests.push_back(rows_from(ranks, problem.rows(), position));
        }
}

void BitTable::add_segments(int32_t label, const std::vector<int64_t>& rows,
                            const std::vector<int64_t>& weights) {
    constexpr size_t kMostWeights = 8;
    std::map<int64_t, std::vector<int64_t>> by_factor;
    for (const int64_t row : rows)
        if (weights[row] > 0) by_factor[weights[row]].push_back(row);
    if (by_factor.size() > kMostWeights) {
        by_factor.clear();
        for (const int64_t row : rows)
            for (int bit = 0; bit < 62; ++bit)
                if (weights[row] >> bit & 1) by_factor[int64_t{1} << bit].push_back(row);
    }
    for (auto& [factor, members] : by_factor) {
        const auto n_rows = static_cast<int64_t>(members.size());
        const int64_t n_words = (n_rows + 63) / 64;
        segments.push_back({{label, factor, words, words + n_words, n_rows}, std::move(members)});
        words += n_words;
    }
}

int64_t BitTable::bytes() const {
    const int64_t set = tests.empty() ? 0 : static_cast<int64_t>(tests[0].size());
    return static_cast<int64_t>(tests.size()) * (set + words) * 8;
}

}  // namespace silva::optimal
