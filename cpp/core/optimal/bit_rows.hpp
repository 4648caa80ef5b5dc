// Rows in bits, for tables of few tests: a node is a matrix of bits, a word of rows after the
// other, and the best tree of two levels comes from counts of all pairs of tests.
#pragma once

#include <functional>

#include "core/optimal/bit_table.hpp"

namespace silva::optimal {

// What one thread needs to search nodes of rows in bits. Count holds every sum of costs.
template <class Count>
class BitRows {
  public:
    using Table = BitTable;
    static constexpr bool kHasChildCosts = true;

    struct Node {
        NodeFacts facts;
        int32_t tests = 0;
        int64_t stride = 0, words = 0;
        std::vector<uint64_t> bits;              // [word * stride + test]
        std::vector<simd::BitSegment> segments;  // in the order of the table
        int32_t searched = 0;                    // segments without floors
        std::vector<int32_t> name;               // of each test: its number in the table
        std::vector<Count> ones, totals;         // [label * stride + test]; by label
        std::vector<Count> right, left;          // best stumps of the children of each test
        bool has_stumps = false;
        int64_t min_rows = 0;  // of the leaves of these stumps
    };

    BitRows(const Problem& problem, const BitTable& table, const Bounds& bounds);

    void root(Node& node);
    static int64_t bytes(const Node& node);
    // Which rows go to one side; then everything else about them.
    void start_child(const Node& node, int32_t column, int64_t place, bool right, Node& out);
    void finish_child(const Node& node, int32_t column, int64_t place, bool right, Node& out);
    // The best tree within the limits: its root, where its value is below `upper`.
    RootTest shallow(Node& node, const ShallowQuestion& question);
    // As leaves and, after `shallow` with two levels, as stumps.
    ChildCosts child_costs(const Node& node, int32_t column) const;

    // A test is a column of two places, with the one split between them.
    int32_t columns(const Node& node) const { return node.tests; }
    int64_t places(const Node&, int32_t) const { return 2; }
    bool is_right_larger(const Node& node, int32_t column, int64_t place) const;
    int64_t split_place(const Node& node, int32_t column, int64_t, int64_t, int64_t, int64_t,
                        int64_t min_rows) const {
        return is_allowed(node, column, min_rows) ? 1 : -1;
    }
    int64_t distance(const Node&, int32_t, int64_t, int64_t) const { return kInfinite; }
    std::pair<int32_t, int32_t> test(const Node& node, int32_t column, int64_t) const {
        return table_->names[node.name[column]];
    }
    int64_t work() const { return work_; }
    // Long work asks this whether to stop; then `was_late`, and what it returned means nothing.
    void set_late(const std::function<bool()>* is_late) { is_late_ = is_late, was_late_ = false; }
    bool was_late() const { return was_late_; }

  private:
    int32_t labels() const { return problem_->classes + 2; }
    void fill(Node& node);
    void count_ones(Node& node);
    void drop_tests(Node& node);
    void hash_tests(const Node& node);
    bool is_new(const Node& node, int32_t test);
    bool same_split(const Node& node, int32_t a, int32_t b) const;
    void keep_tests(Node& node);
    void gather(const simd::BitSegment& facts, const std::vector<int64_t>& rows, Node& node);
    void compress(const Node& node, const simd::BitSegment& segment, int32_t test, bool right,
                  Node& out);
    int64_t leaf_of(const Node& node, int32_t test, bool right) const;
    bool is_allowed(const Node& node, int32_t test, int64_t min_rows) const;
    void find_stumps(Node& node, int64_t min_rows);
    int64_t least_value(const Node& node, int32_t test, const ShallowQuestion& question,
                        int& splits) const;

    const Problem* problem_;
    const BitTable* table_;
    Bounds bounds_;
    std::vector<Count> costs_;
    int64_t work_ = 0;
    const std::function<bool()>* is_late_ = nullptr;
    bool was_late_ = false;
    std::vector<uint64_t> hash_, counted_, set_bits_;
    uint64_t all_hash_ = 0;
    std::vector<int32_t> slot_, kept_;
    mutable std::vector<int64_t> weights_;
};

}  // namespace silva::optimal
