#include "core/projections/choose.hpp"

#include <algorithm>
#include <cmath>

#include "core/projections/oblique.hpp"
#include "core/projections/prototypes.hpp"

namespace silva {
namespace {

// No split of the node gains more; a little more than that because of rounding.
double most_gain(const SearchContext& context, const NodeStats& stats, const NodeRows& rows) {
    const double total = static_cast<double>(stats.weight);
    double squares = 0.0, entropy = 0.0, most = 0.0;
    for (const int64_t n : stats.classes) {
        const double share = static_cast<double>(n) / total;
        squares += share * share;
        entropy -= share > 0.0 ? share * std::log2(share) : 0.0;
        most = std::max(most, share);
    }
    constexpr double slack = 1 + 1e-9;
    switch (context.settings.criterion) {
        case Criterion::gini: return slack * (1 - squares);
        case Criterion::entropy: return slack * entropy;
        case Criterion::error: return slack * (1 - most);
        case Criterion::poisson: return INFINITY;
        case Criterion::squared_error: break;
    }
    const double mean = static_cast<double>(stats.sum) / total;
    for (int64_t i = 0; i < rows.size(); ++i) {
        const double deviation = static_cast<double>(rows.q[i]) - mean;
        squares += rows.weight_of(i) * deviation * deviation;
    }
    return slack * squares / total;
}

}  // namespace

template <class Id>
void consider_projections(const SearchContext& context, const Store<Id>& store, StoreNode& node) {
    const Settings& settings = context.settings;
    if (!settings.oblique && !settings.distance) return;
    if (node.rows() < 2 * kRowsForTerm) return;
    const double ordinary = std::max(0.0, node.best.score());
    const NodeRows rows = rows_of(context, store, node);
    const double most = most_gain(context, node.stats, rows);
    const auto has_room = [&](double margin) { return (1 + margin) * ordinary < most; };
    ProjectedColumn column(context, node, rows);
    Candidate best;
    if (settings.oblique && has_room(settings.oblique->margin))
        best = best_oblique(context, node, rows, column, (1 + settings.oblique->margin) * ordinary);
    if (settings.distance && has_room(settings.distance->margin)) {
        Candidate other =
            best_distance(context, node, rows, column, (1 + settings.distance->margin) * ordinary);
        if (other.gain > best.gain) best = std::move(other);
    }
    if (best.exists()) node.best = std::move(best);
}

template void consider_projections(const SearchContext&, const Store<uint16_t>&, StoreNode&);
template void consider_projections(const SearchContext&, const Store<uint32_t>&, StoreNode&);

}  // namespace silva
