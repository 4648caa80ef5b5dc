#include "core/projections/oblique.hpp"

#include <algorithm>
#include <cmath>

#include "core/projections/rounding.hpp"

namespace silva {
namespace {

constexpr int kDigits = 6;

// Weights of raw values as fraction * 2^exponent, whose range has no end.
struct RawWeight {
    double fraction;
    int64_t exponent;
};

RawWeight raw_weight(double weight, const Scaling& scaling) {
    int exponent;
    const double fraction = std::frexp(weight / scaling.deviation, &exponent);
    return {fraction, int64_t{exponent} - scaling.exponent};
}

bool smaller(const RawWeight& a, const RawWeight& b) {
    if (a.fraction == 0.0 || b.fraction == 0.0) return b.fraction != 0.0;
    if (a.exponent != b.exponent) return a.exponent < b.exponent;
    return std::fabs(a.fraction) < std::fabs(b.fraction);
}

int64_t n_columns(const Projection& projection) {
    int64_t n = 0;
    for (size_t i = 0; i < projection.columns.size(); ++i)
        n += i == 0 || projection.columns[i] != projection.columns[i - 1] ? 1 : 0;
    return n;
}

// The fewest terms among those of almost the best gain.
const std::pair<Candidate, Direction>* preferred(
    const std::vector<std::pair<Candidate, Direction>>& found) {
    const std::pair<Candidate, Direction>* chosen = nullptr;
    double best = 0.0;
    for (const auto& one : found) best = std::max(best, one.first.gain);
    for (const auto& one : found) {
        if (one.first.gain < (1 - kSparseTolerance) * best) continue;
        const size_t size = one.first.detail->projection.columns.size();
        const size_t before =
            chosen == nullptr ? 0 : chosen->first.detail->projection.columns.size();
        if (chosen == nullptr || size < before ||
            (size == before && better(one.first, chosen->first)))
            chosen = &one;
    }
    return chosen;
}

}  // namespace

Projection raw_projection(const Design& design, const Direction& direction, int digits) {
    std::vector<RawWeight> raw;
    for (size_t k = 0; k < direction.terms.size(); ++k)
        raw.push_back(raw_weight(direction.weights[k], design.scalings[direction.terms[k]]));
    const RawWeight largest = *std::max_element(raw.begin(), raw.end(), smaller);
    Projection out;
    double sign = 0.0;
    for (size_t k = 0; k < raw.size(); ++k) {
        const auto shift = std::max<int64_t>(raw[k].exponent - largest.exponent, -1000);
        const double ratio =
            std::ldexp(raw[k].fraction / std::fabs(largest.fraction), static_cast<int>(shift));
        const double weight = rounded(ratio, digits);
        if (weight == 0.0 || !std::isfinite(weight) || shift == -1000) continue;
        if (sign == 0.0) sign = weight > 0.0 ? 1.0 : -1.0;
        const Term& term = design.terms[direction.terms[k]];
        out.columns.push_back(term.column);
        out.codes.push_back(term.code);
        out.weights.push_back(sign * weight);
    }
    return out;
}

Candidate best_oblique(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                       ProjectedColumn& column, double to_beat) {
    const ObliqueSettings& settings = *context.settings.oblique;
    const std::vector<uint32_t> sample = sample_of(rows.size(), kSampleRows, node.path);
    const auto sampled = static_cast<int64_t>(sample.size());
    Surrogate surrogate(rows, sample, context.settings.min_rows_leaf * sampled / rows.size());
    const Design design = design_of(context, node, rows, sample, surrogate.weight(), settings);
    const DirectionLimits limits{settings.max_columns, rows.size() / kRowsForTerm};
    std::vector<std::pair<Candidate, Direction>> found;
    for (Direction& direction : propose_directions(design, surrogate, limits, context.stop)) {
        Projection projection = raw_projection(design, direction, kDigits);
        if (n_columns(projection) < 2) continue;
        Candidate candidate = column.search(SplitKind::oblique, std::move(projection));
        if (candidate.gain > to_beat)
            found.emplace_back(std::move(candidate), std::move(direction));
    }
    const auto* chosen = preferred(found);
    if (chosen == nullptr) return {};
    for (const int digits : {2, 3}) {
        Projection shorter = raw_projection(design, chosen->second, digits);
        if (n_columns(shorter) < 2) continue;
        Candidate candidate = column.search(SplitKind::oblique, std::move(shorter));
        if (candidate.gain >= chosen->first.gain) return candidate;
    }
    return chosen->first;
}

}  // namespace silva
