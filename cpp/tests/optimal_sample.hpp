// Small random problems of the exact search, and the slow way to solve them.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include "core/optimal/problem.hpp"
#include "tests/support.hpp"

namespace silva::test {

struct OptimalSample {
    int64_t rows;
    int32_t columns, classes;
    std::vector<int32_t> ranks, levels, labels;
    std::vector<int64_t> weights, costs;

    optimal::Problem problem() const {
        return optimal::Problem({ranks.data(), levels.data(), labels.data(), weights.data(),
                                 costs.data(), rows, columns, classes});
    }
};

// Ranks without gaps, so that every position splits.
inline void dense_ranks(OptimalSample& sample, int32_t column) {
    int32_t* ranks = sample.ranks.data() + column * sample.rows;
    std::vector<int32_t> seen(ranks, ranks + sample.rows);
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (int64_t i = 0; i < sample.rows; ++i)
        ranks[i] = static_cast<int32_t>(std::lower_bound(seen.begin(), seen.end(), ranks[i]) -
                                        seen.begin());
    sample.levels.push_back(static_cast<int32_t>(seen.size()));
}

inline OptimalSample optimal_sample(Draw& draw, int64_t max_rows) {
    OptimalSample made{draw.between(1, max_rows),
                       static_cast<int32_t>(draw.between(1, 4)),
                       static_cast<int32_t>(draw.between(1, 4)),
                       {},
                       {},
                       {},
                       {},
                       {}};
    for (int32_t c = 0; c < made.columns; ++c) {
        const int64_t range = draw.between(1, 5);
        for (int64_t i = 0; i < made.rows; ++i)
            made.ranks.push_back(static_cast<int32_t>(draw.below(range)));
        dense_ranks(made, c);
    }
    const int64_t heaviest = draw.pick<int64_t>({1, 4, int64_t{1} << 34});
    const bool is_plain = draw.chance(0.7);
    for (int64_t i = 0; i < made.rows; ++i) {
        made.labels.push_back(static_cast<int32_t>(draw.below(made.classes)));
        made.weights.push_back(draw.between(1, heaviest));
    }
    for (int32_t k = 0; k < made.classes; ++k)
        for (int32_t c = 0; c < made.classes; ++c)
            made.costs.push_back(k == c ? 0 : is_plain ? 1 : draw.below(5));
    return made;
}

// Every tree, by recursion over sets of rows (bit masks), without any bound.
class EveryTree {
  public:
    EveryTree(const OptimalSample& sample, const optimal::Question& question)
        : sample_(&sample), question_(question) {}

    int64_t best() {
        return best((uint64_t{1} << sample_->rows) - 1, question_.max_depth, question_.max_splits);
    }

  private:
    int64_t leaf(uint64_t rows) const {
        int64_t least = optimal::kInfinite;
        for (int32_t c = 0; c < sample_->classes; ++c) {
            int64_t sum = 0;
            for (int64_t i = 0; i < sample_->rows; ++i)
                if (rows >> i & 1)
                    sum += sample_->weights[i] *
                           sample_->costs[sample_->labels[i] * sample_->classes + c];
            least = std::min(least, sum);
        }
        return question_.unit * least;
    }

    int64_t best(uint64_t rows, int64_t depth, int64_t splits) {
        depth = std::min(depth, sample_->rows), splits = std::min(splits, sample_->rows);
        const auto key = std::make_tuple(rows, depth, splits);
        if (const auto known = known_.find(key); known != known_.end()) return known->second;
        int64_t least = leaf(rows);
        for (int32_t c = 0; c < sample_->columns && depth > 0 && splits > 0; ++c)
            for (int32_t position = 1; position < sample_->levels[c]; ++position)
                least = std::min(least, split(rows, c, position, depth, splits));
        return known_[key] = least;
    }

    int64_t split(uint64_t rows, int32_t column, int32_t position, int64_t depth, int64_t splits) {
        uint64_t left = 0;
        for (int64_t i = 0; i < sample_->rows; ++i)
            if ((rows >> i & 1) && sample_->ranks[column * sample_->rows + i] < position)
                left |= uint64_t{1} << i;
        const uint64_t right = rows & ~left;
        const int64_t smaller = std::min(std::popcount(left), std::popcount(right));
        if (smaller < std::max<int64_t>(1, question_.min_rows)) return optimal::kInfinite;
        int64_t least = optimal::kInfinite;
        for (int64_t i = 0; i < splits; ++i)
            least = std::min(least, question_.penalty + best(left, depth - 1, i) +
                                        best(right, depth - 1, splits - 1 - i));
        return least;
    }

    const OptimalSample* sample_;
    optimal::Question question_;
    std::map<std::tuple<uint64_t, int64_t, int64_t>, int64_t> known_;
};

}  // namespace silva::test
