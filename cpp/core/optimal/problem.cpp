#include "core/optimal/problem.hpp"

#include <algorithm>
#include <bit>

#include "core/base/random.hpp"

namespace silva::optimal {
namespace {

// The ranks of each row side by side in words: the same for rows that no test separates.
class RowKeys {
  public:
    explicit RowKeys(const Problem::Input& input) {
        int used = 0;
        for (int64_t c = 0; c < input.columns; ++c) {
            const int bits = std::bit_width(static_cast<uint32_t>(input.levels[c] - 1));
            if (bits == 0) continue;
            if (words_.empty() || used + bits > 64) words_.emplace_back(input.rows, 0), used = 0;
            const int32_t* ranks = input.ranks + c * input.rows;
            uint64_t* word = words_.back().data();
            for (int64_t row = 0; row < input.rows; ++row)
                word[row] |= static_cast<uint64_t>(static_cast<uint32_t>(ranks[row])) << used;
            used += bits;
        }
    }

    uint64_t hash(int64_t row) const {
        uint64_t hash = 0;
        for (const std::vector<uint64_t>& word : words_) hash = mix(hash ^ word[row]);
        return hash;
    }

    int compare(int64_t a, int64_t b) const {
        for (const std::vector<uint64_t>& word : words_)
            if (word[a] != word[b]) return word[a] < word[b] ? -1 : 1;
        return 0;
    }

  private:
    std::vector<std::vector<uint64_t>> words_;
};

struct HashedRow {
    uint64_t hash;
    int64_t row;
};

// The rows in the order of their hashes, ranks and classes, and which of them begin another row of
// the problem.
struct RowOrder {
    explicit RowOrder(const Problem::Input& input) {
        const RowKeys keys(input);
        const auto compare = [&](const HashedRow& a, const HashedRow& b) {
            if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
            if (const int order = keys.compare(a.row, b.row); order != 0) return order;
            return static_cast<int>(input.labels[a.row]) - static_cast<int>(input.labels[b.row]);
        };
        std::vector<HashedRow> order(input.rows);
        for (int64_t row = 0; row < input.rows; ++row) order[row] = {keys.hash(row), row};
        std::sort(order.begin(), order.end(),
                  [&](const HashedRow& a, const HashedRow& b) { return compare(a, b) < 0; });
        for (size_t i = 0; i < order.size(); ++i) {
            rows.push_back(order[i].row);
            begins.push_back(i == 0 || compare(order[i - 1], order[i]) != 0);
        }
    }

    std::vector<int64_t> rows;
    std::vector<bool> begins;
};

}  // namespace

Problem::Problem(const Input& input)
    : columns(input.columns),
      classes(input.classes),
      is_plain(true),
      is_unit(true),
      levels(input.levels, input.levels + input.columns) {
    take_costs(input);
    merge_rows(input);
    set_floors();
    for (const int64_t one : reach) is_unit &= one == 1;
}

// Two classes have two costs, which the weights of the rows can hold.
void Problem::take_costs(const Input& input) {
    costs.assign(input.costs, input.costs + static_cast<int64_t>(classes) * classes);
    if (classes <= 2)
        for (int32_t k = 0; k < classes; ++k)
            for (int32_t c = 0; c < classes; ++c) costs[k * classes + c] = k != c;
    for (int32_t k = 0; k < classes; ++k) {
        int64_t least = classes > 1 ? kInfinite : 0;
        for (int32_t c = 0; c < classes; ++c) {
            is_plain &= cost(k, c) == (k != c);
            if (c != k) least = std::min(least, cost(k, c));
        }
        least_error.push_back(least);
    }
}

// By a hash of their ranks and class, so that the order of the input does not matter.
void Problem::merge_rows(const Input& input) {
    const RowOrder order(input);
    std::vector<int64_t> kept;
    for (size_t i = 0; i < order.rows.size(); ++i) {
        if (order.begins[i]) {
            kept.push_back(order.rows[i]);
            label.push_back(static_cast<uint16_t>(input.labels[order.rows[i]]));
            weight.push_back(0), count.push_back(0), reach.push_back(0);
        }
        add_row(input, order.rows[i]);
    }
    ranks.resize(static_cast<size_t>(columns) * kept.size());
    for (int64_t c = 0; c < columns; ++c)
        for (size_t i = 0; i < kept.size(); ++i)
            ranks[c * kept.size() + i] = input.ranks[c * input.rows + kept[i]];
}

// To the last row of the merged ones.
void Problem::add_row(const Input& input, int64_t row) {
    const int32_t k = label.back();
    const int64_t* paid = input.costs + static_cast<int64_t>(k) * classes;
    const int64_t most = *std::max_element(paid, paid + classes);
    const int64_t added = input.weights[row] * (classes == 2 ? most : 1);
    const int64_t reached = input.weights[row] * most;
    weight.back() += added, count.back() += 1, reach.back() += reached;
    total_count += 1, total_weight += added, total_reach += reached;
}

int64_t Problem::bytes() const {
    return static_cast<int64_t>(ranks.size() * sizeof(int32_t)) +
           rows() * static_cast<int64_t>(sizeof(uint16_t) + 4 * sizeof(int64_t));
}

// Rows that no test separates stand side by side; the first of them holds what they cost.
void Problem::set_floors() {
    floor.assign(label.size(), 0);
    const auto same_point = [&](int64_t a, int64_t b) {
        for (int32_t c = 0; c < columns; ++c)
            if (rank(c, a) != rank(c, b)) return false;
        return true;
    };
    std::vector<int64_t> by_class(classes, 0);
    for (int64_t first = 0, last; first < rows(); first = last) {
        std::fill(by_class.begin(), by_class.end(), 0);
        by_class[label[first]] += weight[first];
        for (last = first + 1; last < rows() && same_point(first, last); ++last)
            by_class[label[last]] += weight[last];
        floor[first] = leaf_cost(by_class.data());
    }
}

}  // namespace silva::optimal
