#include "core/projections/directions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/projections/linear_algebra.hpp"
#include "core/projections/solver.hpp"

namespace silva {
namespace {

constexpr size_t kMaxTerms = 32;  // those of highest single score enter the linear models
constexpr size_t kPairTerms = 4;
constexpr int kDescentPasses = 3;
constexpr double kWorthwhile = 1e-3;  // a pass that gains a smaller share is the last one

class Proposer {
  public:
    Proposer(const Design& design, Surrogate& surrogate, const DirectionLimits& limits,
             const StopFlag& stop)
        : design_(design), surrogate_(surrogate), limits_(limits), stop_(stop) {}

    std::vector<Direction> run() {
        rank_terms();
        if (ranked_.size() < 2) return {};
        add_pairs();
        add_models();
        std::vector<Direction> best = shortlist();
        for (Direction& direction : best) descend(direction);
        return best;
    }

  private:
    void rank_terms() {
        std::vector<double> scores;
        for (const auto& values : design_.values) {
            stop_.check();
            scores.push_back(surrogate_.best_cut(values.data()).score);
        }
        ranked_.resize(scores.size());
        std::iota(ranked_.begin(), ranked_.end(), 0);
        std::stable_sort(ranked_.begin(), ranked_.end(),
                         [&](int a, int b) { return scores[a] > scores[b]; });
    }

    int32_t column(int term) const { return design_.terms[term].column; }

    void add_pairs() {
        const size_t n = std::min(ranked_.size(), kPairTerms);
        for (size_t a = 0; a < n; ++a)
            for (size_t b = a + 1; b < n; ++b)
                for (const double sign : {1.0, -1.0}) {
                    const auto [i, j] = std::minmax(ranked_[a], ranked_[b]);
                    if (column(i) != column(j)) add({{i, j}, {1.0, sign}});
                }
    }

    void add_models() {
        std::vector<int> terms(ranked_.begin(),
                               ranked_.begin() + std::min(ranked_.size(), kMaxTerms));
        std::sort(terms.begin(), terms.end());
        const LinearSolver solver(design_, surrogate_, terms);
        for (size_t target = 0; target < surrogate_.targets().size(); ++target)
            thin_out(terms,
                     [&](const std::vector<int>& some) { return solver.ridge(target, some); });
        if (surrogate_.targets().size() > 2)
            thin_out(terms,
                     [&](const std::vector<int>& some) { return solver.discriminant(some); });
        if (surrogate_.two_classes()) add_logistic(solver);
    }

    // Of the terms of the best directions so far.
    void add_logistic(const LinearSolver& solver) {
        for (const Direction& direction : shortlist()) {
            stop_.check();
            add({direction.terms, solver.logistic(direction.terms)});
        }
    }

    template <class Solve>
    void thin_out(std::vector<int> terms, Solve&& solve) {
        while (terms.size() > 1) {
            stop_.check();
            std::vector<double> weights = solve(terms);
            if (weights.empty()) return;
            if (allowed(terms)) add({terms, weights});
            const auto smallest =
                std::min_element(weights.begin(), weights.end(),
                                 [](double a, double b) { return std::fabs(a) < std::fabs(b); });
            terms.erase(terms.begin() + (smallest - weights.begin()));
        }
    }

    bool allowed(const std::vector<int>& terms) const {
        int64_t columns = 0;
        for (size_t i = 0; i < terms.size(); ++i)
            columns += i == 0 || column(terms[i]) != column(terms[i - 1]) ? 1 : 0;
        return columns > 1 && columns <= limits_.max_columns &&
               static_cast<int64_t>(terms.size()) <= limits_.max_terms;
    }

    const std::vector<double>& project(const Direction& direction) {
        z_.assign(static_cast<size_t>(surrogate_.size()), 0.0);
        for (size_t k = 0; k < direction.terms.size(); ++k) {
            const std::vector<double>& u = design_.values[direction.terms[k]];
            for (size_t i = 0; i < z_.size(); ++i) z_[i] += direction.weights[k] * u[i];
        }
        return z_;
    }

    void set_cut(Direction& direction) {
        const SampleCut cut = surrogate_.best_cut(project(direction).data());
        direction.score = cut.score;
        direction.cut = cut.at;
    }

    void add(Direction direction) {
        if (direction.weights.empty()) return;
        set_cut(direction);
        if (direction.exists()) found_.push_back(std::move(direction));
    }

    // The best, the sparsest within the tolerance, and the best of two terms.
    std::vector<Direction> shortlist() const {
        double best = 0.0;
        for (const Direction& d : found_) best = std::max(best, d.score);
        const auto pick = [&](auto&& preferred) {
            const Direction* chosen = nullptr;
            for (const Direction& d : found_)
                if (chosen == nullptr || preferred(d, *chosen)) chosen = &d;
            return chosen;
        };
        const auto key = [&](const Direction& d) {
            const bool close = d.score >= (1 - kSparseTolerance) * best;
            return std::pair(close ? -static_cast<double>(d.terms.size()) : -INFINITY, d.score);
        };
        const Direction* picks[] = {
            pick([](const Direction& a, const Direction& b) { return a.score > b.score; }),
            pick([&](const Direction& a, const Direction& b) { return key(a) > key(b); }),
            pick([](const Direction& a, const Direction& b) {
                return std::pair(a.terms.size() == 2, a.score) >
                       std::pair(b.terms.size() == 2, b.score);
            })};
        std::vector<Direction> out;
        for (const Direction* d : picks)
            if (d != nullptr && std::none_of(out.begin(), out.end(), [&](const Direction& other) {
                    return other.weights == d->weights && other.terms == d->terms;
                }))
                out.push_back(*d);
        return out;
    }

    // One weight at a time takes the best of all its values; then the cut is chosen anew.
    void descend(Direction& direction) {
        for (int pass = 0; pass < kDescentPasses; ++pass) {
            const double before = direction.score;
            for (size_t k = 0; k < direction.terms.size(); ++k) {
                stop_.check();
                improve_weight(direction, k);
            }
            if (!(direction.score > before * (1 + kWorthwhile))) return;
        }
    }

    void improve_weight(Direction& direction, size_t k) {
        constexpr double far = 1e3;  // a weight so much larger than the others ends in one column
        const std::vector<double>& u = design_.values[direction.terms[k]];
        rest_ = project(direction);
        double others = 0.0;
        for (size_t j = 0; j < direction.weights.size(); ++j)
            if (j != k) others = std::max(others, std::fabs(direction.weights[j]));
        for (size_t i = 0; i < rest_.size(); ++i)
            rest_[i] -= direction.weights[k] * u[i] + direction.cut;
        const SampleCut better = surrogate_.best_weight(rest_.data(), u.data());
        if (!(better.score > direction.score * (1 + 1e-9)) || std::fabs(better.at) > far * others)
            return;
        Direction changed = direction;
        changed.weights[k] = better.at;
        set_cut(changed);
        if (changed.score > direction.score) direction = std::move(changed);
    }

    const Design& design_;
    Surrogate& surrogate_;
    DirectionLimits limits_;
    const StopFlag& stop_;
    std::vector<int> ranked_;
    std::vector<Direction> found_;
    std::vector<double> z_, rest_;
};

}  // namespace

std::vector<Direction> propose_directions(const Design& design, Surrogate& surrogate,
                                          const DirectionLimits& limits, const StopFlag& stop) {
    if (limits.max_columns < 2 || limits.max_terms < 2) return {};
    return Proposer(design, surrogate, limits, stop).run();
}

}  // namespace silva
