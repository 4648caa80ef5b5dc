#include "core/projections/projected.hpp"

#include <algorithm>
#include <cmath>

#include "core/projections/projection.hpp"
#include "core/projections/rounding.hpp"

namespace silva {
namespace {

using Local = Store<uint32_t>;

void set_targets(const NodeRows& rows, Local& store) {
    const int64_t n = rows.size();
    store.n_rows = n;
    store.n_classes = rows.n_classes;
    const auto copy = [n](const auto& from, auto& to) {
        if (from.empty()) return;
        to.resize(n);
        std::copy(from.begin(), from.end(), to.data());
    };
    copy(rows.label, store.label);
    if (rows.n_classes == 2) fill_bits(store.label.data(), n, store.ones);
    copy(rows.q, store.q);
    copy(rows.weight, store.weight);
    store.weighted.resize(rows.q.empty() || rows.weight.empty() ? 0 : n);
    fill_weighted(store, 0, store.weighted.size());
    store.rows.resize(n);
    for (int64_t i = 0; i < n; ++i) store.rows[i] = static_cast<uint32_t>(i);
    store.lists.resize(1);
    store.lists[0].resize(n);
    store.missing.resize(1);
    store.missing[0].resize(n);
    store.codes.resize(1);
}

// Policies are in order of strictness; `stop` and `error` are alike while a tree grows.
ColumnSettings strictest(const Settings& settings, const Projection& projection) {
    ColumnSettings out;
    out.asks_missing = false;  // which of the columns would be meant?
    for (const int32_t column : projection.columns)
        out.missing = std::max(out.missing, settings.column(column).missing);
    return out;
}

}  // namespace

ColumnSettings asked_of(const Settings& settings, const Candidate& candidate) {
    const bool projected =
        candidate.kind == SplitKind::oblique || candidate.kind == SplitKind::distance;
    return projected ? strictest(settings, candidate.detail->projection)
                     : settings.column(candidate.column);
}

std::vector<double> evaluate(const SearchContext& context, const NodeRows& rows, SplitKind kind,
                             const Projection& projection) {
    constexpr int64_t stop_interval = 4096;
    const ProjectionView view = view_of(projection);
    std::vector<double> z(rows.row.size()), x(projection.columns.size());
    for (size_t i = 0; i < z.size(); ++i) {
        if (i % stop_interval == 0) context.stop.check();
        for (size_t j = 0; j < x.size(); ++j)
            x[j] = context.table.columns[projection.columns[j]].value(rows.row[i]);
        z[i] = kind == SplitKind::oblique ? oblique_value(view, x.data())
                                          : distance_value(view, x.data());
    }
    return z;
}

ProjectedColumn::ProjectedColumn(const SearchContext& context, const StoreNode& node,
                                 const NodeRows& rows)
    : context_(context), rows_(rows), settings_(context.settings), scratch_(1) {
    settings_.oblique.reset();
    settings_.distance.reset();
    settings_.max_columns = 1;
    settings_.random_splitter = false;
    target_.n_rows = rows.size();
    target_.n_classes = rows.n_classes;
    target_.wide = context.target.wide;
    set_targets(rows, store_);
    node_.end = rows.size();
    node_.path = node.path;
    node_.stats = node.stats;
    table_.n_rows = rows.size();
    table_.columns.resize(1);
    table_.columns[0].stride = sizeof(double);
    forms_.resize(1);
    forms_[0].form = Form::sorted;
}

bool ProjectedColumn::set_list() {
    const std::vector<uint32_t>& order = order_.of(z_.data(), rows_.size());
    uint32_t* list = store_.lists[0].data();
    uint8_t* missing = store_.missing[0].data();
    int64_t distinct = 0;
    forms_[0].has_missing = false;
    for (size_t i = 0; i < order.size(); ++i) {
        const double z = z_[order[i]];
        const bool unknown = std::isnan(z);
        const bool is_new =
            i == 0 || (unknown ? !std::isnan(z_[order[i - 1]]) : z != z_[order[i - 1]]);
        list[i] = order[i] | (is_new ? Local::kNew : 0);
        missing[order[i]] = unknown ? 1 : 0;
        forms_[0].has_missing |= unknown;
        distinct += is_new && !unknown ? 1 : 0;
    }
    return distinct > 1;
}

Candidate ProjectedColumn::search(SplitKind kind, Projection projection) {
    z_ = evaluate(context_, rows_, kind, projection);
    if (!set_list()) return {};
    settings_.set_columns({strictest(context_.settings, projection)});
    table_.columns[0].data = reinterpret_cast<const char*>(z_.data());
    node_.alive = std::make_shared<const std::vector<int32_t>>(1, 0);
    node_.best = Candidate();
    const SearchContext context{table_,         target_,   forms_,
                                block_columns_, settings_, context_.min_leaf_weight,
                                context_.stop};
    silva::search(context, store_, node_, solo_, scratch_);
    Candidate best = node_.best;
    if (!best.exists()) return best;
    const auto value = [&](int64_t i) { return z_[store_.lists[0][i] & Local::kIdMask]; };
    best.threshold = short_threshold(value(best.position - 1), value(best.position));
    best.kind = kind;
    best.column = projection.columns[0];
    best.detail = std::make_shared<const SplitDetail>(SplitDetail{{}, {}, std::move(projection)});
    return best;
}

}  // namespace silva
