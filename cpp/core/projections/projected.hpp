// A projection as a temporary sorted column: the exact sweep that every column gets.
#pragma once

#include <memory>
#include <vector>

#include "core/projections/node_rows.hpp"
#include "core/projections/order.hpp"
#include "core/tree/settings.hpp"

namespace silva {

// The number of each row, by the expressions that prediction uses; NaN where it counts as missing.
std::vector<double> evaluate(const SearchContext& context, const NodeRows& rows, SplitKind kind,
                             const Projection& projection);

// What is asked of the candidate's column; for a projection the strictest of its columns decides.
ColumnSettings asked_of(const Settings& settings, const Candidate& candidate);

// The rows of a node with one column, which can be searched again and again.
class ProjectedColumn {
  public:
    ProjectedColumn(const SearchContext& context, const StoreNode& node, const NodeRows& rows);

    // The best threshold. The candidate has the projection; its column is the first one of it.
    Candidate search(SplitKind kind, Projection projection);

  private:
    // Fills the list of the temporary store; false when all known numbers are equal.
    bool set_list();

    const SearchContext& context_;
    const NodeRows& rows_;
    Settings settings_;
    Table table_;
    Target target_;
    std::vector<ColumnForm> forms_;
    std::vector<std::vector<int32_t>> block_columns_;
    Store<uint32_t> store_;
    StoreNode node_;
    Team solo_{1};
    std::vector<SearchScratch> scratch_;
    Order order_;
    std::vector<double> z_;
};

}  // namespace silva
