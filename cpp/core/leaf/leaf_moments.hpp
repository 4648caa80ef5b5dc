// What the linear models of leaves need to know of the rows: scales, Gram matrices, Newton sums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/pool.hpp"
#include "core/columns/table.hpp"
#include "core/leaf/leaf_statistics.hpp"
#include "core/projections/design.hpp"

namespace silva {

// z = ((x - middle) / half - mean) / deviation. A missing or infinite x has z = 0, so it counts as
// the mean. `half` or `deviation` is 0 where the term does not vary: then z = 0 always.
struct Scale {
    double middle = 0.0, half = 0.0, mean = 0.0, deviation = 0.0;

    double operator()(double x) const;
};

// A scaled term of a model.
struct Entry {
    Term term;
    Scale scale;
};

// The rows of each leaf, in ascending order. Rows of weight 0 and of leaf -1 are left out.
// The table is borrowed, as are the weights (nullptr: all ones).
class LeafRows {
  public:
    LeafRows(Table table, const int64_t* leaf_of_row, int64_t n_leaves, const double* weights);

    const Table& table() const { return table_; }
    int64_t n_leaves() const { return static_cast<int64_t>(rows_.start.size()) - 1; }
    std::span<const uint32_t> of(int64_t leaf) const { return rows_.of(leaf); }
    double weight(int64_t row) const { return weights_ ? weights_[row] : 1.0; }
    // NaN where the row has no number.
    double value(Term term, int64_t row) const;

  private:
    Table table_;
    const double* weights_;
    RowsByLeaf rows_;
};

// The target of a fit: class codes, or numbers where n_classes is 0.
struct LeafTarget {
    const int32_t* codes = nullptr;
    const double* values = nullptr;
    int64_t n_classes = 0;
};

// Of one leaf: the scale of each term; the scale and the exact range of a target of numbers; and
// how terms and target go together. For numbers, cross[j] is the sum of w * z_j * z_target; for
// classes, cross[k * terms + j] is the sum of w * z_j over the rows of class k.
struct LeafSummary {
    double weight = 0.0;
    std::vector<Scale> scales;
    Scale target;
    double low = 0.0, high = 0.0;
    std::vector<double> class_weight;
    std::vector<double> cross;
};

// One summary a leaf of [first, last); the same for any number of threads.
std::vector<LeafSummary> leaf_summaries(const LeafRows& rows, const std::vector<Term>& terms,
                                        const LeafTarget& target, int64_t first, int64_t last,
                                        int threads, const StopFlag& stop);

// The matrix of sums of w * z_i * z_j over the rows of a leaf, whole, row by row.
std::vector<double> leaf_gram(const LeafRows& rows, int64_t leaf, const std::vector<Entry>& entries,
                              const StopFlag& stop);

// A logistic model of one class against the rest, in z: coefficients[0] is the intercept.
struct LogisticModel {
    int64_t leaf = 0;
    int32_t code = 0;
    std::vector<Entry> entries;
    std::vector<double> coefficients;
};

// The negative log-likelihood at the coefficients, its derivatives, and the range of the log-odds.
struct LogisticSums {
    double loss = 0.0;
    double low = 0.0, high = 0.0;
    std::vector<double> gradient;
    std::vector<double> hessian;
};

LogisticSums logistic_sums(const LeafRows& rows, const int32_t* codes, const LogisticModel& model,
                           const StopFlag& stop);

// Sparse linear models in raw values, as a tree stores them (borrowed arrays).
struct LinearModels {
    const int64_t* start = nullptr;
    const int32_t* column = nullptr;
    const int32_t* code = nullptr;
    const double* weight = nullptr;
    const double* center = nullptr;
    const double* intercept = nullptr;
    const double* low = nullptr;
    const double* high = nullptr;

    // intercept + sum of weight * (x - center) in stored order, clipped. Sums that have no value
    // (infinity less infinity) leave the intercept.
    double predict(const Table& table, int64_t model, int64_t row) const;
};

// out[row * width + i] is the prediction of model first_model[row] + i; rows with a negative
// first_model are left as they are.
void linear_predictions(const LinearModels& models, const Table& table, const int64_t* first_model,
                        int64_t width, double* out, int threads, const StopFlag& stop);

}  // namespace silva
