#include "core/projections/surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace silva {

Surrogate::Surrogate(const NodeRows& rows, const std::vector<uint32_t>& sample, int64_t least)
    : least_(std::max<int64_t>(1, least)) {
    weight_.reserve(sample.size());
    for (const uint32_t i : sample) weight_.push_back(rows.weight_of(i));
    total_ = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    if (rows.n_classes > 0)
        set_classes(rows, sample);
    else
        set_values(rows, sample);
}

void Surrogate::set_classes(const NodeRows& rows, const std::vector<uint32_t>& sample) {
    std::vector<double> all(static_cast<size_t>(rows.n_classes), 0.0);
    for (size_t i = 0; i < sample.size(); ++i) all[rows.label[sample[i]]] += weight_[i];
    std::vector<int32_t> number(all.size(), -1);
    for (size_t k = 0; k < all.size(); ++k) {
        if (all[k] == 0.0) continue;
        number[k] = static_cast<int32_t>(counts_.size());
        counts_.push_back(all[k]);
    }
    for (const uint32_t i : sample) label_.push_back(number[rows.label[i]]);
    const auto indicator = [&](int32_t k) {
        std::vector<double> values;
        for (const int32_t label : label_) values.push_back(label == k ? 1.0 : 0.0);
        return values;
    };
    two_classes_ = counts_.size() == 2;
    if (two_classes_) {
        add_target(indicator(1));
        y_ = targets_[0];
        return;
    }
    std::vector<int32_t> heaviest(counts_.size());
    std::iota(heaviest.begin(), heaviest.end(), 0);
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [&](int32_t a, int32_t b) { return counts_[a] > counts_[b]; });
    heaviest.resize(std::min(heaviest.size(), kMaxClasses));
    for (const int32_t k : heaviest) add_target(indicator(k));
}

// The target itself, and on which side of its mean it is.
void Surrogate::set_values(const NodeRows& rows, const std::vector<uint32_t>& sample) {
    std::vector<double> values;
    double largest = 0.0;
    for (const uint32_t i : sample) {
        values.push_back(static_cast<double>(rows.q[i]));
        largest = std::max(largest, std::fabs(values.back()));
    }
    for (double& value : values) value /= std::max(largest, 1.0);
    add_target(std::move(values));
    y_ = targets_[0];
    std::vector<double> sides;
    for (const double y : y_) sides.push_back(y > 0.0 ? 1.0 : 0.0);
    add_target(std::move(sides));
}

void Surrogate::add_target(std::vector<double> values) {
    double sum = 0.0;
    for (size_t i = 0; i < values.size(); ++i) sum += weight_[i] * values[i];
    for (double& value : values) value -= sum / total_;
    targets_.push_back(std::move(values));
}

std::vector<std::vector<uint32_t>> Surrogate::groups() const {
    const bool halves = !y_.empty();
    std::vector<std::vector<uint32_t>> out(halves ? 2 : targets_.size());
    for (size_t k = 0; k < out.size(); ++k) {
        const std::vector<double>& target = targets_[halves ? 0 : k];
        for (size_t i = 0; i < target.size(); ++i)
            if ((target[i] > 0.0) == (!halves || k == 1))
                out[k].push_back(static_cast<uint32_t>(i));
    }
    return out;
}

namespace {

// The statistics of a cut while rows change sides, for targets that are one number.
class ValueSides {
  public:
    ValueSides(const std::vector<double>& weight, const std::vector<double>& y, double total)
        : weight_(weight.data()), y_(y.data()), total_(total) {}

    void move(uint32_t i, double sign) {
        const double w = sign * weight_[i];
        left_ += w;
        sum_ += w * y_[i];
    }
    double score() const { return sum_ * sum_ / (left_ * (total_ - left_)); }
    bool exceeds(double score) const { return sum_ * sum_ > score * left_ * (total_ - left_); }

  private:
    const double* weight_;
    const double* y_;
    double total_, left_ = 0.0, sum_ = 0.0;
};

// The same for classes.
class ClassSides {
  public:
    ClassSides(const std::vector<double>& weight, const std::vector<int32_t>& label,
               const std::vector<double>& counts, double total)
        : weight_(weight.data()),
          label_(label.data()),
          right_counts_(counts),
          left_counts_(counts.size(), 0.0),
          total_(total) {
        for (const double n : counts) right_squares_ += n * n;
        node_squares_ = right_squares_;
    }

    void move(uint32_t i, double sign) {
        const double w = sign * weight_[i];
        double& left = left_counts_[label_[i]];
        double& right = right_counts_[label_[i]];
        left_squares_ += w * (2 * left + w);
        right_squares_ -= w * (2 * right - w);
        left += w;
        right -= w;
        left_ += w;
    }
    double score() const {
        return (left_squares_ / left_ + right_squares_ / (total_ - left_) -
                node_squares_ / total_) /
               total_;
    }
    bool exceeds(double score_before) const { return score() > score_before; }

  private:
    const double* weight_;
    const int32_t* label_;
    std::vector<double> right_counts_, left_counts_;
    double total_, left_ = 0.0;
    double node_squares_ = 0.0, left_squares_ = 0.0, right_squares_ = 0.0;
};

template <class Sides>
SampleCut sweep_cuts(Sides sides, const std::vector<uint32_t>& order, const double* z,
                     int64_t least) {
    const auto n = static_cast<int64_t>(order.size());
    SampleCut best;
    for (int64_t i = 1; i < n && !std::isnan(z[order[i]]); ++i) {
        sides.move(order[i - 1], 1.0);
        if (!sides.exceeds(best.score) || std::min(i, n - i) < least) continue;
        const double before = z[order[i - 1]], here = z[order[i]];
        if (before != here) best = {sides.score(), threshold_between(before, here)};
    }
    return best;
}

// `switches`: the weight at which a row changes sides, NaN where it never does.
template <class Sides>
SampleCut sweep_weights(Sides sides, const std::vector<uint32_t>& order, const double* rest,
                        const double* term, const double* switches, int64_t least) {
    const auto n = static_cast<int64_t>(order.size());
    SampleCut best;
    int64_t left = 0;
    for (uint32_t i = 0; i < n; ++i)
        if (std::isnan(switches[i]) ? rest[i] < 0.0 : term[i] > 0.0) {
            sides.move(i, 1.0);
            ++left;
        }
    for (int64_t i = 1; i < n && !std::isnan(switches[order[i]]); ++i) {
        const uint32_t moved = order[i - 1];
        const int step = term[moved] > 0.0 ? -1 : 1;
        sides.move(moved, step);
        left += step;
        if (!sides.exceeds(best.score) || std::min(left, n - left) < least) continue;
        const double before = switches[moved], here = switches[order[i]];
        if (before != here) best = {sides.score(), before / 2 + here / 2};
    }
    return best;
}

}  // namespace

SampleCut Surrogate::best_cut(const double* z) {
    const std::vector<uint32_t>& order = order_.of(z, size());
    if (!y_.empty()) return sweep_cuts(ValueSides(weight_, y_, total_), order, z, least_);
    return sweep_cuts(ClassSides(weight_, label_, counts_, total_), order, z, least_);
}

SampleCut Surrogate::best_weight(const double* rest, const double* term) {
    constexpr double flat = 1e-9;
    switches_.resize(weight_.size());
    for (size_t i = 0; i < switches_.size(); ++i)
        switches_[i] = std::fabs(term[i]) > flat ? -rest[i] / term[i]
                                                 : std::numeric_limits<double>::quiet_NaN();
    const double* switches = switches_.data();
    const std::vector<uint32_t>& order = order_.of(switches, size());
    if (!y_.empty())
        return sweep_weights(ValueSides(weight_, y_, total_), order, rest, term, switches, least_);
    return sweep_weights(ClassSides(weight_, label_, counts_, total_), order, rest, term, switches,
                         least_);
}

}  // namespace silva
