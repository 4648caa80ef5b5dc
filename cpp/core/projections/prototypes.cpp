#include "core/projections/prototypes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.hpp"
#include "core/projections/design.hpp"
#include "core/projections/linear_algebra.hpp"
#include "core/projections/oblique.hpp"
#include "core/projections/rounding.hpp"
#include "core/projections/surrogate.hpp"

namespace silva {
namespace {

constexpr int kScaleDigits = 6;
constexpr int64_t kCorrelationRows = 1 << 16;
constexpr double kCorrelationRidge = 0.01;
constexpr size_t kExactSweeps = 2;  // prototypes that are judged on all rows of the node

double weight_of(const Target& target, int64_t id) {
    return target.weight.empty() ? 1.0 : static_cast<double>(target.weight[id]);
}

double scale_of(const Scaling& scaling) {
    const double scale =
        rounded(1.0 / std::ldexp(scaling.deviation, scaling.exponent), kScaleDigits);
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
            inverse[i * p + j] = inverse[j * p + i] = rounded(inverse[i * p + j], kScaleDigits);
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

// The rows of a sample in a space where a metric is the plain one: scaled, and for Mahalanobis
// turned and stretched so that its distance is the Euclidean one.
class Coordinates {
  public:
    Coordinates(const SampleMatrix& raw, size_t n_rows, Metric metric, const DistanceSpace& space)
        : metric_(metric), width_(raw.width()), values_(n_rows * raw.width()) {
        std::vector<double> scaled(width_);
        const bool turned = metric == Metric::mahalanobis;
        const Cholesky root(turned ? space.matrix : std::vector<double>(), turned ? width_ : 0);
        for (size_t i = 0; i < n_rows; ++i) {
            for (size_t j = 0; j < width_; ++j) scaled[j] = raw.row(i)[j] * space.scale[j];
            double* out = values_.data() + i * width_;
            if (turned)
                root.multiply_transposed(scaled.data(), out);
            else
                std::copy(scaled.begin(), scaled.end(), out);
        }
    }

    // NaN where a value is missing or a number is not finite.
    double distance(const double* a, size_t i) const {
        const double* b = row(i);
        double sum = 0.0, a_squares = 0.0, b_squares = 0.0;
        for (size_t j = 0; j < width_; ++j) {
            const double step = a[j] - b[j];
            sum += metric_ == Metric::manhattan ? std::fabs(step)
                   : metric_ == Metric::cosine  ? a[j] * b[j]
                                                : step * step;
            a_squares += a[j] * a[j];
            b_squares += b[j] * b[j];
        }
        if (metric_ == Metric::cosine)
            sum = a_squares * b_squares > 0.0 ? 1.0 - sum / std::sqrt(a_squares * b_squares) : 1.0;
        return std::isfinite(sum) ? sum : std::numeric_limits<double>::quiet_NaN();
    }
    const double* row(size_t i) const { return values_.data() + i * width_; }

    // The mean of some rows, or their median in each coordinate.
    std::vector<double> center(const std::vector<uint32_t>& rows,
                               const std::vector<double>& weight) const {
        return metric_ == Metric::manhattan ? median(rows) : mean(rows, weight);
    }

  private:
    std::vector<double> mean(const std::vector<uint32_t>& rows,
                             const std::vector<double>& weight) const {
        std::vector<double> out(width_, 0.0);
        double total = 0.0;
        for (const uint32_t i : rows) total += weight[i];
        for (const uint32_t i : rows)
            for (size_t j = 0; j < width_; ++j) out[j] += row(i)[j] * (weight[i] / total);
        return out;
    }
    std::vector<double> median(const std::vector<uint32_t>& rows) const {
        std::vector<double> out, values(rows.size());
        for (size_t j = 0; j < width_; ++j) {
            for (size_t i = 0; i < rows.size(); ++i) values[i] = row(rows[i])[j];
            const auto middle = values.begin() + static_cast<int64_t>((values.size() - 1) / 2);
            std::nth_element(values.begin(), middle, values.end());
            out.push_back(*middle);
        }
        return out;
    }

    Metric metric_;
    size_t width_;
    std::vector<double> values_;
};

struct Proposal {
    double score;
    Metric metric;
    uint32_t prototype;
};

class PrototypeSearch {
  public:
    PrototypeSearch(const SearchContext& context, const StoreNode& node, const NodeRows& rows)
        : context_(context),
          settings_(*context.settings.distance),
          sample_(sample_of(rows.size(), kSampleRows, node.path)),
          surrogate_(
              rows, sample_,
              context.settings.min_rows_leaf * static_cast<int64_t>(sample_.size()) / rows.size()),
          matrix_(context, rows, sample_, settings_.columns),
          groups_(surrogate_.groups()),
          z_(sample_.size()) {
        std::vector<uint32_t> complete;
        for (uint32_t i = 0; i < sample_.size(); ++i)
            if (matrix_.complete(i)) complete.push_back(i);
        for (auto& group : groups_)
            std::erase_if(group, [&](uint32_t i) { return !matrix_.complete(i); });
        const uint64_t hash = mix(mix(node.path, context.settings.seed), 0x70726F746F73u);
        for (int64_t draw = 0; draw < settings_.prototypes && !complete.empty(); ++draw)
            drawn_.push_back(complete[mix(hash, static_cast<uint64_t>(draw)) % complete.size()]);
    }

    // The most promising first.
    std::vector<Projection> run(size_t most) {
        std::vector<Proposal> found;
        for (const Metric metric : settings_.metrics) {
            const Coordinates space(matrix_, sample_.size(), metric, *context_.distances);
            for (const uint32_t prototype : prototypes(space)) {
                context_.stop.check();
                for (size_t i = 0; i < z_.size(); ++i)
                    z_[i] = space.distance(space.row(prototype), i);
                const double score = surrogate_.best_cut(z_.data()).score;
                if (score > 0.0) found.push_back({score, metric, prototype});
            }
        }
        std::stable_sort(found.begin(), found.end(),
                         [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
        found.resize(std::min(found.size(), most));
        std::vector<Projection> out;
        for (const Proposal& proposal : found) out.push_back(projection(proposal));
        return out;
    }

  private:
    Projection projection(const Proposal& proposal) const {
        Projection out;
        const double* center = matrix_.row(proposal.prototype);
        out.columns = settings_.columns;
        out.weights = context_.distances->scale;
        out.center.assign(center, center + matrix_.width());
        out.metric = proposal.metric;
        if (out.metric == Metric::mahalanobis) out.matrix = context_.distances->matrix;
        return out;
    }

    std::vector<uint32_t> prototypes(const Coordinates& space) const {
        std::vector<uint32_t> out;
        const auto add = [&](uint32_t i) {
            if (std::find(out.begin(), out.end(), i) == out.end()) out.push_back(i);
        };
        for (const auto& group : groups_)
            if (!group.empty()) add(medoid(space, group));
        for (const uint32_t i : drawn_) add(i);
        return out;
    }

    uint32_t medoid(const Coordinates& space, const std::vector<uint32_t>& group) const {
        const std::vector<double> center = space.center(group, surrogate_.weight());
        uint32_t nearest = group[0];
        double least = INFINITY;
        for (const uint32_t i : group) {
            const double distance = space.distance(center.data(), i);
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
    std::vector<uint32_t> drawn_;
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

Candidate best_distance(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                        ProjectedColumn& column, double to_beat) {
    Candidate best;
    PrototypeSearch search(context, node, rows);
    for (Projection& projection : search.run(kExactSweeps)) {
        Candidate found = column.search(SplitKind::distance, std::move(projection));
        if (found.gain > to_beat && better(found, best)) best = std::move(found);
    }
    return best;
}

}  // namespace silva
