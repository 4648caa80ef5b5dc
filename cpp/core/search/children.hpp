// The documented gain of a split into any number of children.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/search/criterion.hpp"
#include "core/search/stats.hpp"
#include "core/search/sweeps/values.hpp"

namespace silva {

// Children are added in their order, each as a group of a sweep: the weights of its classes, or its
// weight and the two halves of its sum.
class ChildrenGain {
  public:
    ChildrenGain(Criterion criterion, const NodeStats& node) : criterion_(criterion), node_(node) {}

    void add(const int64_t* group) {
        const int64_t weight = weight_of(group);
        add_gain(group, weight);
        split_info_ -= split_info_part(weight, node_.weight);
        lightest_ = std::min(lightest_, weight);
        ++n_children_;
    }
    int64_t weight_of(const int64_t* group) const {
        if (node_.classes.empty()) return group[0];
        int64_t weight = 0;
        for (size_t k = 0; k < node_.classes.size(); ++k) weight += group[k];
        return weight;
    }

    // Minus one when the criterion does not allow such children.
    double gain() const {
        const double total = static_cast<double>(node_.weight);
        switch (criterion_) {
            case Criterion::gini:
            case Criterion::squared_error:
                if (n_children_ == 2) return spread_gain(first_, first_weight_, node_.weight);
                return spread_gain_of_many(sum_, node_.weight);
            case Criterion::error: {
                const auto most = std::max_element(node_.classes.begin(), node_.classes.end());
                return static_cast<double>(majorities_ - *most) / total;
            }
            case Criterion::poisson:
                if (without_events_) return -1.0;
                [[fallthrough]];
            case Criterion::entropy: return std::max(0.0, sum_ / total);
        }
        __builtin_unreachable();
    }
    int64_t lightest() const { return lightest_; }
    double split_info() const { return split_info_; }

  private:
    void add_gain(const int64_t* group, int64_t weight) {
        switch (criterion_) {
            case Criterion::gini:
                return add_spread(child_imbalance({group, node_.classes.size()}, node_.classes,
                                                  weight, node_.weight),
                                  weight);
            case Criterion::squared_error: {
                const double d =
                    static_cast<double>(group_sum(group) * node_.weight - node_.sum * weight);
                return add_spread(d * d, weight);
            }
            case Criterion::entropy:
                for (size_t k = 0; k < node_.classes.size(); ++k)
                    sum_ += information(group[k], weight, node_.classes[k], node_.weight);
                return;
            case Criterion::error:
                majorities_ += *std::max_element(group, group + node_.classes.size());
                return;
            case Criterion::poisson:
                without_events_ |= group_sum(group) <= 0;
                if (!without_events_)
                    sum_ += poisson_part(group_sum(group), node_.sum, weight, node_.weight);
                return;
        }
    }
    void add_spread(double squares, int64_t weight) {
        if (n_children_ == 0) {
            first_ = squares;
            first_weight_ = weight;
        }
        sum_ += squares / static_cast<double>(weight);
    }

    Criterion criterion_;
    const NodeStats& node_;
    int n_children_ = 0;
    double sum_ = 0.0, first_ = 0.0, split_info_ = 0.0;
    int64_t first_weight_ = 0, majorities_ = 0;
    int64_t lightest_ = std::numeric_limits<int64_t>::max();
    bool without_events_ = false;
};

}  // namespace silva
