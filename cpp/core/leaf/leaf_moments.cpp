#include "core/leaf/leaf_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace silva {
namespace {

constexpr int64_t kRowsBetweenStops = 4096;
constexpr int64_t kChunk = 8192;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double number(const Table& table, Term term, int64_t row) {
    const double x = table.columns[term.column].value(row);
    return std::isfinite(x) ? term.value(x) : kNaN;
}

// Calls visit(row, weight) for the rows of a leaf and hears a stop.
template <class Visit>
void each_row(const LeafRows& rows, int64_t leaf, const StopFlag& stop, Visit&& visit) {
    int64_t until_stop = 0;
    for (const uint32_t row : rows.of(leaf)) {
        if (until_stop-- == 0) {
            stop.check();
            until_stop = kRowsBetweenStops - 1;
        }
        visit(int64_t{row}, rows.weight(row));
    }
}

// The numbers whose scales are wanted: all terms, then the target if it is one.
class Columns {
  public:
    Columns(const LeafRows& rows, const std::vector<Term>& terms, const double* target)
        : rows_(rows), terms_(terms), target_(target) {}

    int64_t size() const { return static_cast<int64_t>(terms_.size()) + (target_ ? 1 : 0); }
    double value(int64_t j, int64_t row) const {
        const auto n_terms = static_cast<int64_t>(terms_.size());
        return j < n_terms ? rows_.value(terms_[j], row) : target_[row];
    }

  private:
    const LeafRows& rows_;
    const std::vector<Term>& terms_;
    const double* target_;
};

void find_ranges(const LeafRows& rows, int64_t leaf, const Columns& columns,
                 std::vector<Scale>& scales, const StopFlag& stop) {
    const double inf = std::numeric_limits<double>::infinity();
    std::vector<double> low(scales.size(), inf), high(scales.size(), -inf);
    each_row(rows, leaf, stop, [&](int64_t row, double) {
        for (int64_t j = 0; j < columns.size(); ++j) {
            const double x = columns.value(j, row);
            if (x < low[j]) low[j] = x;
            if (x > high[j]) high[j] = x;
        }
    });
    for (size_t j = 0; j < scales.size(); ++j) {
        if (!(low[j] <= high[j])) continue;
        scales[j].half = 0.5 * high[j] - 0.5 * low[j];
        scales[j].middle = scales[j].half > 0.0 ? low[j] + scales[j].half : low[j];
    }
}

// Inside [-1, 1]; NaN where the row has no number or the numbers do not vary.
double shifted(const Scale& scale, double x) { return (x - scale.middle) / scale.half; }

void find_means(const LeafRows& rows, int64_t leaf, const Columns& columns,
                std::vector<Scale>& scales, const StopFlag& stop) {
    std::vector<double> sum(scales.size(), 0.0), known(scales.size(), 0.0);
    each_row(rows, leaf, stop, [&](int64_t row, double weight) {
        for (int64_t j = 0; j < columns.size(); ++j) {
            const double u = shifted(scales[j], columns.value(j, row));
            if (std::isnan(u)) continue;
            sum[j] += weight * u;
            known[j] += weight;
        }
    });
    for (size_t j = 0; j < scales.size(); ++j)
        if (known[j] > 0.0) scales[j].mean = sum[j] / known[j];
}

void find_deviations(const LeafRows& rows, int64_t leaf, const Columns& columns, double total,
                     std::vector<Scale>& scales, const StopFlag& stop) {
    std::vector<double> squares(scales.size(), 0.0);
    each_row(rows, leaf, stop, [&](int64_t row, double weight) {
        for (int64_t j = 0; j < columns.size(); ++j) {
            const double v = shifted(scales[j], columns.value(j, row)) - scales[j].mean;
            if (!std::isnan(v)) squares[j] += weight * (v * v);
        }
    });
    for (size_t j = 0; j < scales.size(); ++j)
        if (squares[j] > 0.0) scales[j].deviation = std::sqrt(squares[j] / total);
}

void find_cross(const LeafRows& rows, int64_t leaf, const std::vector<Term>& terms,
                const LeafTarget& target, LeafSummary& found, const StopFlag& stop) {
    const auto n_terms = static_cast<int64_t>(terms.size());
    found.class_weight.assign(target.n_classes, 0.0);
    found.cross.assign(std::max<int64_t>(target.n_classes, 1) * n_terms, 0.0);
    each_row(rows, leaf, stop, [&](int64_t row, double weight) {
        double* into = found.cross.data();
        double times = weight;
        if (target.codes) {
            found.class_weight[target.codes[row]] += weight;
            into += target.codes[row] * n_terms;
        } else {
            times *= found.target(target.values[row]);
        }
        for (int64_t j = 0; j < n_terms; ++j)
            into[j] += times * found.scales[j](rows.value(terms[j], row));
    });
}

void find_size(const LeafRows& rows, int64_t leaf, const LeafTarget& target, LeafSummary& found,
               const StopFlag& stop) {
    found.low = std::numeric_limits<double>::infinity();
    found.high = -found.low;
    each_row(rows, leaf, stop, [&](int64_t row, double weight) {
        found.weight += weight;
        if (!target.values) return;
        found.low = std::min(found.low, target.values[row]);
        found.high = std::max(found.high, target.values[row]);
    });
}

LeafSummary summary(const LeafRows& rows, const std::vector<Term>& terms, const LeafTarget& target,
                    int64_t leaf, const StopFlag& stop) {
    LeafSummary found;
    const Columns columns(rows, terms, target.values);
    std::vector<Scale> scales(columns.size());
    find_size(rows, leaf, target, found, stop);
    find_ranges(rows, leaf, columns, scales, stop);
    find_means(rows, leaf, columns, scales, stop);
    find_deviations(rows, leaf, columns, found.weight, scales, stop);
    if (target.values) {
        found.target = scales.back();
        scales.pop_back();
    }
    found.scales = std::move(scales);
    find_cross(rows, leaf, terms, target, found, stop);
    return found;
}

void fill_upper(std::vector<double>& matrix, int64_t size) {
    for (int64_t i = 0; i < size; ++i)
        for (int64_t j = 0; j < i; ++j) matrix[j * size + i] = matrix[i * size + j];
}

// Adds times * z z' to the lower half of a matrix.
void add_square(const std::vector<double>& z, double times, std::vector<double>& matrix) {
    const auto size = static_cast<int64_t>(z.size());
    for (int64_t i = 0; i < size; ++i) {
        const double scaled = times * z[i];
        double* into = matrix.data() + i * size;
        for (int64_t j = 0; j <= i; ++j) into[j] += scaled * z[j];
    }
}

// log(1 + exp(x)) without overflow.
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }

double logistic(double x) {
    const double e = std::exp(-std::fabs(x));
    return x >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

}  // namespace

double Scale::operator()(double x) const {
    const double z = ((x - middle) / half - mean) / deviation;
    return std::isfinite(z) ? z : 0.0;
}

LeafRows::LeafRows(Table table, const int64_t* leaf_of_row, int64_t n_leaves, const double* weights)
    : table_(std::move(table)), weights_(weights), rows_(table_.n_rows, n_leaves, [&](int64_t row) {
          return weight(row) > 0.0 ? leaf_of_row[row] : -1;
      }) {}

double LeafRows::value(Term term, int64_t row) const { return number(table_, term, row); }

std::vector<LeafSummary> leaf_summaries(const LeafRows& rows, const std::vector<Term>& terms,
                                        const LeafTarget& target, int64_t first, int64_t last,
                                        int threads, const StopFlag& stop) {
    std::vector<LeafSummary> found(last - first);
    Team(threads).for_each(last - first, [&](int64_t i, int) {
        found[i] = summary(rows, terms, target, first + i, stop);
    });
    return found;
}

std::vector<double> leaf_gram(const LeafRows& rows, int64_t leaf, const std::vector<Entry>& entries,
                              const StopFlag& stop) {
    const auto size = static_cast<int64_t>(entries.size());
    std::vector<double> gram(size * size, 0.0), z(size);
    each_row(rows, leaf, stop, [&](int64_t row, double weight) {
        for (int64_t j = 0; j < size; ++j)
            z[j] = entries[j].scale(rows.value(entries[j].term, row));
        add_square(z, weight, gram);
    });
    fill_upper(gram, size);
    return gram;
}

LogisticSums logistic_sums(const LeafRows& rows, const int32_t* codes, const LogisticModel& model,
                           const StopFlag& stop) {
    const auto size = static_cast<int64_t>(model.coefficients.size());
    LogisticSums sums;
    sums.low = std::numeric_limits<double>::infinity();
    sums.high = -sums.low;
    sums.gradient.assign(size, 0.0);
    sums.hessian.assign(size * size, 0.0);
    std::vector<double> z(size, 1.0);
    each_row(rows, model.leaf, stop, [&](int64_t row, double weight) {
        double odds = model.coefficients[0];
        for (int64_t j = 1; j < size; ++j) {
            const Entry& entry = model.entries[j - 1];
            z[j] = entry.scale(rows.value(entry.term, row));
            odds += model.coefficients[j] * z[j];
        }
        const bool is_class = codes[row] == model.code;
        const double share = logistic(odds), rest = logistic(-odds);
        sums.loss += weight * softplus(is_class ? -odds : odds);
        const double residual = is_class ? -rest : share;
        for (int64_t j = 0; j < size; ++j) sums.gradient[j] += weight * residual * z[j];
        add_square(z, weight * share * rest, sums.hessian);
        sums.low = std::min(sums.low, odds);
        sums.high = std::max(sums.high, odds);
    });
    fill_upper(sums.hessian, size);
    return sums;
}

double LinearModels::predict(const Table& table, int64_t model, int64_t row) const {
    double sum = intercept[model];
    for (int64_t i = start[model]; i < start[model + 1]; ++i) {
        const double x = number(table, {column[i], code[i]}, row);
        if (!std::isnan(x)) sum += weight[i] * (x - center[i]);
    }
    if (std::isnan(sum)) sum = intercept[model];
    return std::min(std::max(sum, low[model]), high[model]);
}

void linear_predictions(const LinearModels& models, const Table& table, const int64_t* first_model,
                        int64_t width, double* out, int threads, const StopFlag& stop) {
    const int64_t chunks = (table.n_rows + kChunk - 1) / kChunk;
    Team(chunks > 1 ? threads : 1).for_each(chunks, [&](int64_t chunk, int) {
        stop.check();
        const int64_t end = std::min(table.n_rows, (chunk + 1) * kChunk);
        for (int64_t row = chunk * kChunk; row < end; ++row)
            for (int64_t i = 0; first_model[row] >= 0 && i < width; ++i)
                out[row * width + i] = models.predict(table, first_model[row] + i, row);
    });
}

}  // namespace silva
