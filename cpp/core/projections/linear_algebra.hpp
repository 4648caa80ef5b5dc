// Small symmetric systems.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace silva {

// The factor L of a positive definite matrix (row by row, size n * n), with A = L L'. A pivot that
// rounding makes zero or negative counts as 1.
class Cholesky {
  public:
    explicit Cholesky(std::vector<double> matrix, size_t n) : l_(std::move(matrix)), n_(n) {
        for (size_t i = 0; i < n_; ++i)
            for (size_t j = 0; j <= i; ++j) factor(i, j);
    }

    // b becomes the solution x of A x = b.
    void solve(double* b) const {
        for (size_t i = 0; i < n_; ++i) {
            for (size_t k = 0; k < i; ++k) b[i] -= at(i, k) * b[k];
            b[i] /= at(i, i);
        }
        for (size_t i = n_; i-- > 0;) {
            for (size_t k = i + 1; k < n_; ++k) b[i] -= at(k, i) * b[k];
            b[i] /= at(i, i);
        }
    }

    // out = L' x, so that the squares of out add up to x' A x.
    void multiply_transposed(const double* x, double* out) const {
        for (size_t i = 0; i < n_; ++i) {
            out[i] = 0.0;
            for (size_t k = i; k < n_; ++k) out[i] += at(k, i) * x[k];
        }
    }

    std::vector<double> inverse() const {
        std::vector<double> out(n_ * n_, 0.0);
        for (size_t i = 0; i < n_; ++i) {
            out[i * n_ + i] = 1.0;
            solve(out.data() + i * n_);
        }
        return out;
    }

  private:
    double& at(size_t i, size_t j) { return l_[i * n_ + j]; }
    double at(size_t i, size_t j) const { return l_[i * n_ + j]; }

    void factor(size_t i, size_t j) {
        double sum = at(i, j);
        for (size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
        if (i != j) {
            at(i, j) = sum / at(j, j);
            return;
        }
        at(i, i) = sum > 0.0 ? std::sqrt(sum) : 1.0;
    }

    std::vector<double> l_;
    size_t n_;
};

}  // namespace silva
