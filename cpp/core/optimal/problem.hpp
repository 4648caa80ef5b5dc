// What the exact search is about: rows, the tests that can separate them, and what errors cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace silva::optimal {

// Larger than every value, and small enough that two of them can be added.
constexpr int64_t kInfinite = INT64_MAX / 4;

// Parts of the search that save work and never change the result. Each can be switched off.
struct Bounds {
    bool equivalent_rows = true;  // rows that no test separates share a prediction
    bool class_count = true;      // a tree of L leaves predicts L classes at most
    bool leaf_count = true;       // j splits cost at least the floor and j penalties
    bool look_ahead = true;       // the best tree of depth 2 bounds what its root's children cost
    bool interval = true;         // neighbouring thresholds cost about the same
    bool similarity = true;       // similar sets of rows cost about the same
    bool slack = true;            // children are solved a bit further than needed
    bool table = true;            // sets of rows that were met before are looked up
    bool duplicates = true;       // tests that split a node alike are tried once
};

// The limits of a question, and the value of a tree: unit * cost of its rows + penalty * splits.
struct Question {
    int64_t max_depth = kInfinite, max_splits = kInfinite, min_rows = 1;
    int64_t unit = 1, penalty = 0;
    int64_t upper = kInfinite;  // only trees of a lower value are looked for
};

// Rows of the same ranks and class are one row. A test (column, position) sends the rows whose rank
// is below the position to the left. Immutable.
class Problem {
  public:
    struct Input {
        const int32_t* ranks;   // column after column
        const int32_t* levels;  // ranks of each column: 0 to levels - 1
        const int32_t* labels;
        const int64_t* weights;
        const int64_t* costs;  // [class * classes + prediction], 0 on the diagonal
        int64_t rows;
        int32_t columns, classes;
    };
    explicit Problem(const Input& input);

    int64_t rows() const { return static_cast<int64_t>(label.size()); }
    int32_t rank(int32_t column, int64_t row) const { return ranks[column * rows() + row]; }
    int64_t cost(int32_t label_, int32_t prediction) const {
        return costs[static_cast<size_t>(label_ * classes + prediction)];
    }
    int64_t bytes() const;
    // The least cost of one prediction for rows of these class weights.
    template <class Weight>
    int64_t leaf_cost(const Weight* by_class) const;

    int32_t columns, classes;
    bool is_plain;  // an error costs the weight of its row
    bool is_unit;   // and every row weighs 1
    std::vector<int32_t> levels, ranks;
    std::vector<uint16_t> label;
    std::vector<int64_t> weight;  // of two classes: times what an error costs
    std::vector<int64_t> count;   // rows of the input
    std::vector<int64_t> reach;   // the most that the row can cost
    std::vector<int64_t> floor;   // sums to the least cost of rows that no test separates
    std::vector<int64_t> costs;
    std::vector<int64_t> least_error;  // of each class: the least cost of a wrong prediction
    int64_t total_reach = 0, total_weight = 0, total_count = 0;

  private:
    void take_costs(const Input& input);
    void merge_rows(const Input& input);
    void add_row(const Input& input, int64_t row);
    void set_floors();
};

template <class Weight>
int64_t Problem::leaf_cost(const Weight* by_class) const {
    int64_t total = 0, most = 0;
    if (is_plain) {
        for (int32_t k = 0; k < classes; ++k) {
            total += by_class[k];
            most = by_class[k] > most ? static_cast<int64_t>(by_class[k]) : most;
        }
        return total - most;
    }
    int64_t least = kInfinite;
    for (int32_t c = 0; c < classes; ++c) {
        int64_t sum = 0;
        for (int32_t k = 0; k < classes; ++k) sum += by_class[k] * cost(k, c);
        least = sum < least ? sum : least;
    }
    return least;
}

}  // namespace silva::optimal
