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
    std::vector<double> counts(static_cast<size_t>(rows.n_classes), 0.0);
    for (size_t i = 0; i < sample.size(); ++i) counts[rows.label[sample[i]]] += weight_[i];
    std::vector<int32_t> number(counts.size(), -1);
    for (size_t k = 0; k < counts.size(); ++k) {
        if (counts[k] == 0.0) continue;
        number[k] = static_cast<int32_t>(node_counts_.size());
        node_counts_.push_back(counts[k]);
    }
    for (const uint32_t i : sample) label_.push_back(number[rows.label[i]]);
    left_counts_.resize(node_counts_.size());
    for (const double n : node_counts_) node_squares_ += n * n;

    const auto indicator = [&](int32_t k) {
        std::vector<double> values;
        for (const int32_t label : label_) values.push_back(label == k ? 1.0 : 0.0);
        return values;
    };
    two_classes_ = node_counts_.size() == 2;
    if (two_classes_) {
        add_target(indicator(1));
        y_ = targets_[0];
        return;
    }
    std::vector<int32_t> heaviest(node_counts_.size());
    std::iota(heaviest.begin(), heaviest.end(), 0);
    std::stable_sort(heaviest.begin(), heaviest.end(),
                     [&](int32_t a, int32_t b) { return node_counts_[a] > node_counts_[b]; });
    heaviest.resize(std::min(heaviest.size(), kMostClasses));
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

void Surrogate::clear() {
    left_weight_ = left_sum_ = 0.0;
    left_rows_ = 0;
    std::fill(left_counts_.begin(), left_counts_.end(), 0.0);
    left_squares_ = 0.0;
    right_squares_ = node_squares_;
}

void Surrogate::move(uint32_t i, double sign) {
    const double w = sign * weight_[i];
    left_weight_ += w;
    left_rows_ += sign > 0 ? 1 : -1;
    if (!y_.empty()) {
        left_sum_ += w * y_[i];
        return;
    }
    double& left = left_counts_[label_[i]];
    const double right = node_counts_[label_[i]] - left;
    left_squares_ += w * (2 * left + w);
    right_squares_ -= w * (2 * right - w);
    left += w;
}

double Surrogate::score() const {
    if (std::min(left_rows_, size() - left_rows_) < least_) return 0.0;
    const double right_weight = total_ - left_weight_;
    if (!y_.empty()) return left_sum_ * left_sum_ / (left_weight_ * right_weight);
    return (left_squares_ / left_weight_ + right_squares_ / right_weight - node_squares_ / total_) /
           total_;
}

Cut Surrogate::best_cut(const double* z) {
    const std::vector<uint32_t>& order = order_.of(z, size());
    Cut best;
    clear();
    for (size_t i = 1; i < order.size() && !std::isnan(z[order[i]]); ++i) {
        move(order[i - 1], 1.0);
        const double before = z[order[i - 1]], here = z[order[i]];
        if (before == here) continue;
        const double found = score();
        if (found > best.score) best = {found, threshold_between(before, here)};
    }
    return best;
}

Cut Surrogate::best_weight(const double* rest, const double* term) {
    constexpr double flat = 1e-9;
    const int64_t n = size();
    switches_.resize(static_cast<size_t>(n));
    clear();
    for (int64_t i = 0; i < n; ++i) {
        const bool moves = std::fabs(term[i]) > flat;
        switches_[i] = moves ? -rest[i] / term[i] : std::numeric_limits<double>::quiet_NaN();
        if (moves ? term[i] > 0.0 : rest[i] < 0.0) move(static_cast<uint32_t>(i), 1.0);
    }
    const std::vector<uint32_t>& order = order_.of(switches_.data(), n);
    Cut best;
    for (size_t i = 1; i < order.size() && !std::isnan(switches_[order[i]]); ++i) {
        const uint32_t moved = order[i - 1];
        move(moved, term[moved] > 0.0 ? -1.0 : 1.0);
        const double before = switches_[moved], here = switches_[order[i]];
        if (before == here) continue;
        const double found = score();
        if (found > best.score) best = {found, before / 2 + here / 2};
    }
    return best;
}

}  // namespace silva
