// Random tables with a column of every form, and a root node over them.
#pragma once

#include <deque>
#include <memory>
#include <numeric>

#include "core/columns/presort.hpp"
#include "core/grow/splitter.hpp"
#include "core/search/search.hpp"
#include "tests/support.hpp"

namespace silva::test {

// Owns the memory that its table shows.
class RandomTable {
  public:
    RandomTable(Draw& draw, int64_t n_rows) : draw_(draw) { table_.n_rows = n_rows; }

    // Numbers from a grid of `n_distinct` points.
    RandomTable& numbers(int64_t n_distinct, double missing = 0.0) {
        std::vector<double>& column = reals_.emplace_back(table_.n_rows);
        for (double& x : column) {
            x = static_cast<double>(draw_.below(n_distinct)) * 0.1 - 3.0;
            if (draw_.chance(missing)) x = kNaN;
        }
        table_.columns.push_back(view(column));
        return *this;
    }
    RandomTable& codes(Kind kind, int32_t n_levels, double missing = 0.0) {
        std::vector<int32_t>& column = codes_.emplace_back(table_.n_rows);
        for (int32_t& code : column)
            code = draw_.chance(missing) ? -1 : static_cast<int32_t>(draw_.below(n_levels));
        table_.columns.push_back(view(column, kind));
        table_.columns.back().n_levels = n_levels;
        return *this;
    }
    // One column of every form and kind; sorted ones only from some hundred rows on.
    RandomTable& all_forms() {
        numbers(1000).numbers(700, 0.1).numbers(1).numbers(9).numbers(7, 0.2).numbers(2);
        codes(Kind::categorical, 5).codes(Kind::categorical, 400).codes(Kind::categorical, 4, 0.3);
        codes(Kind::categorical, 2).codes(Kind::ordinal, 6, 0.1).codes(Kind::binary, 2);
        return codes(Kind::categorical, 500, 0.1);
    }

    const Table& table() const { return table_; }
    int64_t n_rows() const { return table_.n_rows; }

    // Classes that follow some of the columns, with noise.
    std::vector<int32_t> labels(int64_t n_classes) {
        std::vector<int32_t> labels;
        for (int64_t row = 0; row < n_rows(); ++row) {
            const double sum = signal(row) + 2 * draw_.unit();
            labels.push_back(static_cast<int32_t>(static_cast<int64_t>(sum) % n_classes));
        }
        return labels;
    }
    std::vector<double> values() {
        std::vector<double> values;
        for (int64_t row = 0; row < n_rows(); ++row)
            values.push_back(signal(row) + 3 * draw_.unit());
        return values;
    }
    std::vector<double> weights(int64_t most) {
        std::vector<double> weights;
        for (int64_t row = 0; row < n_rows(); ++row)
            weights.push_back(static_cast<double>(draw_.below(most + 1)));
        weights[0] = 1.0;
        return weights;
    }

  private:
    double signal(int64_t row) const {
        double sum = 0;
        for (size_t c = 0; c < table_.columns.size(); c += 3) {
            const double x = table_.columns[c].value(row);
            sum += std::isnan(x) ? 5 : std::fabs(x) / static_cast<double>(c + 1);
        }
        return sum;
    }

    Draw& draw_;
    std::deque<std::vector<double>> reals_;
    std::deque<std::vector<int32_t>> codes_;
    Table table_;
};

// A prepared table with its root, ready to be searched. The table and the target must outlive it.
struct Root {
    Root(const Table& table, const Target& target, const Settings& settings)
        : team(1),
          prepared(prepare(table, target, settings, team, stop)),
          context{table, target, prepared.forms(), prepared.block_columns, settings, 0.0, stop},
          scratch(1) {
        const int64_t n = prepared.store.n_rows;
        node.end = n;
        node.path = 1;
        node.stats = stats_of(prepared.store, 0, n, prepared.store.n_classes);
        std::vector<int32_t> alive(table.columns.size());
        std::iota(alive.begin(), alive.end(), 0);
        std::erase_if(alive, [&](int32_t c) { return prepared.forms()[c].form == Form::constant; });
        node.alive = std::make_shared<const std::vector<int32_t>>(std::move(alive));
    }
    void search() { silva::search(context, prepared.store, node, team, scratch); }

    StopFlag stop;
    Team team;
    Prepared prepared;
    SearchContext context;
    std::vector<SearchScratch> scratch;
    StoreNode node;
};

// Thresholds of ordered columns, and of categories what is asked for.
inline Settings settings_for(const Table& table, Criterion criterion,
                             SplitForm form = SplitForm::onevsrest,
                             Fallback missing = Fallback::learn,
                             Fallback unseen = Fallback::majority) {
    Settings settings;
    settings.criterion = criterion;
    settings.max_columns = static_cast<int64_t>(table.columns.size());
    std::vector<ColumnSettings> columns;
    for (const ColumnView& column : table.columns) {
        const bool categories = column.kind == Kind::categorical;
        columns.push_back({categories ? form : SplitForm::threshold, missing, unseen});
    }
    settings.set_columns(std::move(columns));
    return settings;
}

}  // namespace silva::test
