// Rows in the order of each column, for tables of many thresholds.
#pragma once

#include <functional>
#include <utility>

#include "core/optimal/node.hpp"
#include "core/optimal/sorted_engine.hpp"

namespace silva::optimal {

// What all threads share.
struct SortedTable {
    SortedTable(const Problem& problem, const Bounds&, int64_t min_rows)
        : counts_rows(min_rows > 1 && problem.total_count != problem.rows()) {}
    int64_t bytes() const { return 0; }

    bool counts_rows;  // rows of the problem differ in what they count
};

// What one thread needs to search nodes of sorted rows.
class SortedRows {
  public:
    using Table = SortedTable;
    static constexpr bool kHasChildCosts = false;

    struct Node {
        NodeFacts facts;
        int32_t columns = 0;
        std::vector<uint32_t> order;   // rows by each column
        std::vector<uint8_t> ends;     // 1 where a split after this row is possible
        std::vector<int32_t> name;     // of each column: its number in the problem
        std::vector<int64_t> reached;  // [column * (rows + 1) + place]: reach of the rows before
        std::vector<int64_t> counted;  // the same for counts; both only where rows differ
    };

    SortedRows(const Problem& problem, const SortedTable& table, const Bounds& bounds);

    void root(Node& node);
    static int64_t bytes(const Node& node);
    // Which rows go to one side; then everything else about them.
    void start_child(const Node& node, int32_t column, int64_t place, bool right, Node& out);
    void finish_child(const Node& node, int32_t column, int64_t place, bool right, Node& out);
    RootTest shallow(Node& node, const ShallowQuestion& question);

    int32_t columns(const Node& node) const { return node.columns; }
    int64_t places(const Node& node, int32_t) const { return node.facts.rows; }
    bool is_right_larger(const Node& node, int32_t, int64_t place) const {
        return 2 * place < node.facts.rows;
    }
    // A place between low and high, further than given from both, near the middle; -1: there is
    // none.
    int64_t split_place(const Node& node, int32_t column, int64_t low, int64_t high,
                        int64_t from_low, int64_t from_high, int64_t min_rows) const;
    // The most that the rows between two places can cost.
    int64_t distance(const Node& node, int32_t column, int64_t low, int64_t high) const;
    std::pair<int32_t, int32_t> test(const Node& node, int32_t column, int64_t place) const;
    int64_t work() const { return work_ + engine_.work(); }
    // Long work asks this whether to stop; then `was_late`, and what it returned means nothing.
    void set_late(const std::function<bool()>* is_late) { engine_.set_late(is_late); }
    bool was_late() const { return engine_.was_late(); }

  private:
    void sort(Node& node, int32_t column) const;
    void fill(Node& node);
    void sum_along(const Node& node, const std::vector<int64_t>& of_row,
                   std::vector<int64_t>& sums) const;
    int64_t counted_before(const Node& node, int32_t column, int64_t place) const;

    const Problem* problem_;
    const SortedTable* table_;
    SortedEngine engine_;
    int64_t work_ = 0;
};

}  // namespace silva::optimal
