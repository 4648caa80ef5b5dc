#include "core/projections/prototypes.hpp"

#include <algorithm>
#include <cmath>

#include "core/projection.hpp"
#include "core/projections/design.hpp"
#include "core/projections/linear_algebra.hpp"
#include "core/projections/oblique.hpp"
#include "core/projections/rounding.hpp"
#include "core/projections/surrogate.hpp"
#include "core/random.hpp"

namespace silva {
namespace {

constexpr int kDigits = 6;
constexpr int64_t kCorrelationRows = 1 << 16;
constexpr double kCorrelationRidge = 0.01;
constexpr size_t kExactSweeps = 2;  // prototypes that are judged on all rows of the node

double weight_of(const Target& target, int64_t id) {
    return target.weight.empty() ? 1.0 : static_cast<double>(target.weight[id]);
}

double scale_of(const Scaling& scaling) {
    const double scale = rounded(1.0 / std::ldexp(scaling.deviation, scaling.exponent), kDigits);
    return std::isfinite(scale) && scale > 0.0 ? scale : 1.0;
}

// The standardised values of some rows, zero where there are none.
std::vector<double> standardised(const ColumnView& column, const Target& target,
                                 const std::vector<uint32_t>& ids, Scaling& scaling) {
    std::vector<double> values, weight;
    for (const uint32_t id : ids) {
        values.push_back(column.value(target.row_of(id)));
        weight.push_back(weight_of(target, id));
    }
    scaling = standardise(values, weight);
    if (!scaling.varies()) std::fill(values.begin(), values.end(), 0.0);
    return values;
}

std::vector<double> inverse_correlation(const Table& table, const Target& target,
                                        const std::vector<int32_t>& columns, const StopFlag& stop) {
    const std::vector<uint32_t> ids = sample_of(target.n_rows, kCorrelationRows, 0);
    const size_t p = columns.size();
    std::vector<std::vector<double>> values;
    Scaling scaling;
    for (const int32_t column : columns)
        values.push_back(standardised(table.columns[column], target, ids, scaling));
    double total = 0.0;
    for (const uint32_t id : ids) total += weight_of(target, id);
    std::vector<double> matrix(p * p);
    for (size_t i = 0; i < p; ++i) {
        stop.check();
        matrix[i * p + i] = 1.0 + kCorrelationRidge;
        for (size_t j = 0; j < i; ++j) {
            double sum = 0.0;
            for (size_t k = 0; k < ids.size(); ++k)
                sum += weight_of(target, ids[k]) * values[i][k] * values[j][k];
            matrix[i * p + j] = matrix[j * p + i] = sum / total;
        }
    }
    std::vector<double> inverse = Cholesky(std::move(matrix), p).inverse();
    for (size_t i = 0; i < p; ++i)
        for (size_t j = 0; j <= i; ++j)
            inverse[i * p + j] = inverse[j * p + i] = rounded(inverse[i * p + j], kDigits);
    return inverse;
}

// Raw values of the rows of a sample, row by row.
class SampleMatrix {
  public:
    SampleMatrix(const SearchContext& context, const NodeRows& rows,
                 const std::vector<uint32_t>& sample, const std::vector<int32_t>& columns)
        : width_(columns.size()), values_(sample.size() * columns.size()) {
        for (size_t j = 0; j < width_; ++j) {
            const ColumnView& view = context.table.columns[columns[j]];
            for (size_t i = 0; i < sample.size(); ++i)
                values_[i * width_ + j] = view.value(rows.row[sample[i]]);
        }
    }
    const double* row(size_t i) const { return values_.data() + i * width_; }
    bool complete(size_t i) const {
        return std::all_of(row(i), row(i) + width_, [](double x) { return std::isfinite(x); });
    }
    size_t width() const { return width_; }

  private:
    size_t width_;
    std::vector<double> values_;
};

std::vector<double> mean_of(const SampleMatrix& matrix, const std::vector<uint32_t>& rows,
                            const std::vector<double>& weight) {
    std::vector<double> mean(matrix.width(), 0.0);
    double total = 0.0;
    for (const uint32_t i : rows) total += weight[i];
    for (const uint32_t i : rows)
        for (size_t j = 0; j < mean.size(); ++j) mean[j] += matrix.row(i)[j] * (weight[i] / total);
    return mean;
}

std::vector<double> median_of(const SampleMatrix& matrix, const std::vector<uint32_t>& rows) {
    std::vector<double> median, values(rows.size());
    for (size_t j = 0; j < matrix.width(); ++j) {
        for (size_t i = 0; i < rows.size(); ++i) values[i] = matrix.row(rows[i])[j];
        const auto middle = values.begin() + static_cast<int64_t>((values.size() - 1) / 2);
        std::nth_element(values.begin(), middle, values.end());
        median.push_back(*middle);
    }
    return median;
}

struct Proposal {
    double score;
    Projection projection;
};

class PrototypeSearch {
  public:
    PrototypeSearch(const SearchContext& context, const OpenNode& node, const NodeRows& rows)
        : context_(context),
          settings_(*context.settings.distance),
          sample_(sample_of(rows.size(), kSampleRows, node.path)),
          surrogate_(
              rows, sample_,
              context.settings.min_rows_leaf * static_cast<int64_t>(sample_.size()) / rows.size()),
          matrix_(context, rows, sample_, settings_.columns),
          groups_(surrogate_.groups()) {
        for (uint32_t i = 0; i < sample_.size(); ++i)
            if (matrix_.complete(i)) complete_.push_back(i);
        for (auto& group : groups_)
            std::erase_if(group, [&](uint32_t i) { return !matrix_.complete(i); });
        const uint64_t hash = mix(mix(node.path, context.settings.seed), 0x70726F746F73u);
        for (int64_t draw = 0; draw < settings_.prototypes && !complete_.empty(); ++draw)
            drawn_.push_back(complete_[mix(hash, draw) % complete_.size()]);
    }

    // Best first.
    std::vector<Proposal> run() {
        std::vector<Proposal> out;
        for (const Metric metric : settings_.metrics)
            for (const uint32_t prototype : prototypes(metric)) {
                context_.stop.check();
                Projection projection = around(metric, matrix_.row(prototype));
                const double score = surrogate_.best_cut(distances(projection).data()).score;
                if (score > 0.0) out.push_back({score, std::move(projection)});
            }
        std::stable_sort(out.begin(), out.end(),
                         [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
        return out;
    }

  private:
    Projection around(Metric metric, const double* center) const {
        Projection projection;
        projection.columns = settings_.columns;
        projection.weights = context_.distances->scale;
        projection.center.assign(center, center + matrix_.width());
        projection.metric = metric;
        if (metric == Metric::mahalanobis) projection.matrix = context_.distances->matrix;
        return projection;
    }

    const std::vector<double>& distances(const Projection& projection) {
        const ProjectionView view = view_of(projection);
        z_.resize(sample_.size());
        for (size_t i = 0; i < z_.size(); ++i) z_[i] = distance_value(view, matrix_.row(i));
        return z_;
    }

    std::vector<uint32_t> prototypes(Metric metric) const {
        std::vector<uint32_t> out;
        for (const auto& group : groups_)
            if (!group.empty()) out.push_back(medoid(metric, group));
        out.insert(out.end(), drawn_.begin(), drawn_.end());
        std::vector<uint32_t> distinct;
        for (const uint32_t i : out)
            if (std::find(distinct.begin(), distinct.end(), i) == distinct.end())
                distinct.push_back(i);
        return distinct;
    }

    uint32_t medoid(Metric metric, const std::vector<uint32_t>& group) const {
        const std::vector<double> center = metric == Metric::manhattan
                                               ? median_of(matrix_, group)
                                               : mean_of(matrix_, group, surrogate_.weight());
        const Projection projection = around(metric, center.data());
        const ProjectionView view = view_of(projection);
        uint32_t nearest = group[0];
        double least = INFINITY;
        for (const uint32_t i : group) {
            const double distance = distance_value(view, matrix_.row(i));
            if (!(distance < least)) continue;
            least = distance;
            nearest = i;
        }
        return nearest;
    }

    const SearchContext& context_;
    const DistanceSettings& settings_;
    std::vector<uint32_t> sample_;
    Surrogate surrogate_;
    SampleMatrix matrix_;
    std::vector<std::vector<uint32_t>> groups_;
    std::vector<uint32_t> complete_, drawn_;
    std::vector<double> z_;
};

}  // namespace

DistanceSpace distance_space(const Table& table, const Target& target,
                             const DistanceSettings& settings, const StopFlag& stop) {
    DistanceSpace space;
    const std::vector<uint32_t> all = sample_of(target.n_rows, target.n_rows, 0);
    for (const int32_t column : settings.columns) {
        stop.check();
        Scaling scaling;
        standardised(table.columns[column], target, all, scaling);
        space.scale.push_back(scale_of(scaling));
    }
    if (std::count(settings.metrics.begin(), settings.metrics.end(), Metric::mahalanobis) > 0)
        space.matrix = inverse_correlation(table, target, settings.columns, stop);
    return space;
}

Projected best_distance(const SearchContext& context, const OpenNode& node, const NodeRows& rows,
                        ProjectedColumn& column, double to_beat) {
    Projected best;
    std::vector<Proposal> proposals = PrototypeSearch(context, node, rows).run();
    for (size_t i = 0; i < std::min(proposals.size(), kExactSweeps); ++i) {
        Projected found = column.search(SplitKind::distance, std::move(proposals[i].projection));
        if (found.candidate.gain > to_beat && better(found.candidate, best.candidate))
            best = std::move(found);
    }
    return best;
}

}  // namespace silva
