// Linear models of a standardised sample, for any choice among its terms.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/projections/design.hpp"
#include "core/projections/linear_algebra.hpp"
#include "core/projections/surrogate.hpp"

namespace silva {

constexpr int kPowerSteps = 20;
constexpr int kNewtonSteps = 20;

inline double weighted_dot(const std::vector<double>& w, const std::vector<double>& a,
                           const std::vector<double>& b) {
    double sum = 0.0;
    for (size_t i = 0; i < w.size(); ++i) sum += w[i] * a[i] * b[i];
    return sum;
}

inline std::vector<double> finite_or_none(std::vector<double> weights) {
    for (const double w : weights)
        if (!std::isfinite(w)) return {};
    return weights;
}

// Length 1, or no weights.
inline std::vector<double> normalised(std::vector<double> weights) {
    double squares = 0.0;
    for (const double w : weights) squares += w * w;
    for (double& w : weights) w /= std::sqrt(squares);
    return finite_or_none(std::move(weights));
}

// All models have a ridge penalty on the standardised weights. No weights are given where a system
// cannot be solved in finite numbers. `terms` of all calls are among those of the constructor.
class LinearSolver {
  public:
    LinearSolver(const Design& design, const Surrogate& surrogate, const std::vector<int>& terms)
        : design_(design),
          surrogate_(surrogate),
          penalty_(1e-3 + 1.0 / static_cast<double>(surrogate.size())),
          n_(terms.size()),
          place_(design.terms.size(), -1),
          gram_(n_ * n_) {
        const std::vector<double>& w = surrogate.weight();
        std::vector<double> weighted(w.size());
        for (size_t i = 0; i < n_; ++i) {
            place_[terms[i]] = static_cast<int>(i);
            const std::vector<double>& u = design.values[terms[i]];
            for (size_t j = 0; j <= i; ++j)
                gram_[i * n_ + j] = gram_[j * n_ + i] =
                    weighted_dot(w, u, design.values[terms[j]]) / surrogate.total();
        }
        for (const std::vector<double>& target : surrogate.targets()) {
            std::vector<double>& covariance = covariance_.emplace_back();
            for (const int term : terms)
                covariance.push_back(weighted_dot(w, design.values[term], target) /
                                     surrogate.total());
            double above = 0.0;
            for (size_t i = 0; i < w.size(); ++i) above += target[i] > 0.0 ? w[i] : 0.0;
            share_.push_back(above / surrogate.total());
        }
    }

    std::vector<double> ridge(size_t target, const std::vector<int>& terms) const {
        const Cholesky factor(gram(terms), terms.size());
        std::vector<double> weights;
        for (const int term : terms) weights.push_back(covariance_[target][place_[term]]);
        factor.solve(weights.data());
        return normalised(std::move(weights));
    }

    // The direction of largest spread between the classes in units of the spread within them.
    std::vector<double> discriminant(const std::vector<int>& terms) const {
        const Cholesky factor(gram(terms), terms.size());
        const size_t n = terms.size();
        std::vector<double> direction(n, 1.0);
        for (int step = 0; step < kPowerSteps; ++step) {
            std::vector<double> next(n, 0.0);
            for (size_t target = 0; target < covariance_.size(); ++target) {
                double along = 0.0;
                for (size_t i = 0; i < n; ++i)
                    along += covariance_[target][place_[terms[i]]] * direction[i];
                for (size_t i = 0; i < n; ++i)
                    next[i] += along / share_[target] * covariance_[target][place_[terms[i]]];
            }
            factor.solve(next.data());
            direction = normalised(std::move(next));
            if (direction.empty()) break;
        }
        return direction;
    }

    // A few Newton steps of logistic regression of the first target. Two classes.
    std::vector<double> logistic(const std::vector<int>& terms) const {
        const size_t k = terms.size(), size = k + 1;  // the last entry is the intercept
        const std::vector<double>& w = surrogate_.weight();
        const std::vector<double>& target = surrogate_.targets()[0];
        std::vector<double> beta(size, 0.0), row(size, 1.0);
        for (int step = 0; step < kNewtonSteps; ++step) {
            std::vector<double> hessian(size * size, 0.0), gradient(size, 0.0);
            for (size_t i = 0; i < w.size(); ++i) {
                double z = beta[k];
                for (size_t j = 0; j < k; ++j)
                    z += beta[j] * (row[j] = design_.values[terms[j]][i]);
                const double p = 1.0 / (1.0 + std::exp(-z));
                const double error = w[i] * ((target[i] > 0.0 ? 1.0 : 0.0) - p);
                const double curvature = w[i] * std::max(p * (1 - p), 1e-9);
                for (size_t a = 0; a < size; ++a) {
                    gradient[a] += error * row[a];
                    for (size_t b = 0; b <= a; ++b)
                        hessian[a * size + b] += curvature * row[a] * row[b];
                }
            }
            const double ridge = 1e-4 * penalty_ * surrogate_.total();
            for (size_t a = 0; a < size; ++a) {
                hessian[a * size + a] += a < k ? ridge : 1e-9 * surrogate_.total();
                if (a < k) gradient[a] -= ridge * beta[a];
                for (size_t b = a + 1; b < size; ++b) hessian[a * size + b] = hessian[b * size + a];
            }
            const Cholesky factor(hessian, size);
            factor.solve(gradient.data());
            double change = 0.0, length = 0.0;
            for (size_t a = 0; a < size; ++a) {
                beta[a] += gradient[a];
                change += gradient[a] * gradient[a];
                length += beta[a] * beta[a];
            }
            if (finite_or_none(beta).empty()) return {};
            if (change < 1e-4 * length) break;
        }
        beta.pop_back();
        return normalised(std::move(beta));
    }

  private:
    std::vector<double> gram(const std::vector<int>& terms) const {
        std::vector<double> out(terms.size() * terms.size());
        for (size_t i = 0; i < terms.size(); ++i)
            for (size_t j = 0; j < terms.size(); ++j)
                out[i * terms.size() + j] =
                    gram_[place_[terms[i]] * n_ + place_[terms[j]]] + (i == j ? penalty_ : 0.0);
        return out;
    }

    const Design& design_;
    const Surrogate& surrogate_;
    double penalty_;
    size_t n_;
    std::vector<int> place_;                       // term -> place among the terms of the solver
    std::vector<double> gram_;                     // mean of u u', n * n
    std::vector<std::vector<double>> covariance_;  // by target: mean of u * target
    std::vector<double> share_;  // by target: share of the weight that is above its mean
};

}  // namespace silva
