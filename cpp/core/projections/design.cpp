#include "core/projections/design.hpp"

#include <algorithm>
#include <cmath>

namespace silva {
namespace {

// x * 2^exponent, where 2^exponent itself may be beyond the range of float64.
class PowerOfTwo {
  public:
    explicit PowerOfTwo(int exponent)
        : half_(std::ldexp(1.0, exponent / 2)), rest_(std::ldexp(1.0, exponent - exponent / 2)) {}
    double operator*(double x) const { return x * half_ * rest_; }

  private:
    double half_, rest_;
};

int exponent_of(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double x : values)
        if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
    return largest > 0.0 ? std::ilogb(largest) : 0;
}

struct Moments {
    double weight = 0.0, mean = 0.0, deviation = 0.0;
};

Moments moments_of(const std::vector<double>& values, const std::vector<double>& weight) {
    Moments out;
    for (size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        out.weight += weight[i];
        out.mean += weight[i] * values[i];
    }
    if (out.weight == 0.0) return {};
    out.mean /= out.weight;
    double squares = 0.0;
    for (size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i]))
            squares += weight[i] * (values[i] - out.mean) * (values[i] - out.mean);
    out.deviation = std::sqrt(squares / out.weight);
    return out;
}

class DesignBuilder {
  public:
    DesignBuilder(const std::vector<double>& weight, Design& out) : weight_(weight), out_(out) {}

    void add(Term term, const std::vector<double>& raw) {
        std::vector<double> values(raw.size());
        for (size_t i = 0; i < raw.size(); ++i) values[i] = term.value(raw[i]);
        const Scaling scaling = standardise(values, weight_);
        if (!scaling.varies()) return;
        out_.terms.push_back(term);
        out_.scalings.push_back(scaling);
        out_.values.push_back(std::move(values));
    }
    // Two levels need one indicator.
    void add_levels(int32_t column, const std::vector<double>& raw, int64_t n_levels) {
        std::vector<uint8_t> occurs(static_cast<size_t>(n_levels), 0);
        for (const double x : raw)
            if (x >= 0.0 && x < static_cast<double>(n_levels)) occurs[static_cast<size_t>(x)] = 1;
        bool spare = std::count(occurs.begin(), occurs.end(), 1) == 2;
        for (int32_t code = 0; code < n_levels; ++code) {
            if (occurs[code] == 0) continue;
            if (!spare) add({column, code}, raw);
            spare = false;
        }
    }

  private:
    const std::vector<double>& weight_;
    Design& out_;
};

}  // namespace

Scaling standardise(std::vector<double>& values, const std::vector<double>& weight) {
    Scaling scaling;
    scaling.exponent = exponent_of(values);
    const PowerOfTwo shrink(-scaling.exponent);
    for (double& x : values) x = shrink * x;
    const Moments moments = moments_of(values, weight);
    scaling.mean = moments.mean;
    scaling.deviation = moments.deviation;
    if (!scaling.varies()) return scaling;
    for (double& x : values) x = std::isfinite(x) ? (x - scaling.mean) / scaling.deviation : 0.0;
    return scaling;
}

Design design_of(const SearchContext& context, const StoreNode& node, const NodeRows& rows,
                 const std::vector<uint32_t>& sample, const std::vector<double>& weight,
                 const ObliqueSettings& settings) {
    Design design;
    DesignBuilder builder(weight, design);
    std::vector<double> raw(sample.size());
    for (const int32_t column : *node.alive) {
        if (!std::binary_search(settings.columns.begin(), settings.columns.end(), column)) continue;
        const ColumnView& view = context.table.columns[column];
        const bool categorical = view.kind == Kind::categorical;
        if (categorical && view.n_levels > settings.max_levels) continue;
        context.stop.check();
        for (size_t i = 0; i < sample.size(); ++i) raw[i] = view.value(rows.row[sample[i]]);
        if (categorical)
            builder.add_levels(column, raw, view.n_levels);
        else
            builder.add({column, -1}, raw);
    }
    return design;
}

}  // namespace silva
