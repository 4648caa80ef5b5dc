// Random trees of every split kind, and a slow router that follows the definitions word by word.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/predict/predict.hpp"
#include "tests/support.hpp"

namespace silva::test {

constexpr int32_t kCodes = 40;
constexpr double kMissingCode = -1, kUnseenCode = -2;

inline std::vector<int32_t> all_columns(const std::vector<Kind>& kinds) {
    std::vector<int32_t> columns(kinds.size());
    std::iota(columns.begin(), columns.end(), 0);
    return columns;
}

// The raw value of a cell; in columns of codes -1 is missing and -2 unseen.
using Cell = std::function<double(int64_t row, int32_t column)>;

// Trees over columns of `kinds`; thresholds and centers are drawn from `points`.
class TreeDraw {
  public:
    enum Splits { plain, own_ways, all };  // own_ways: of missing and unseen values, and stops

    TreeDraw(Draw& draw, std::vector<Kind> kinds, std::vector<double> points, Splits splits = plain)
        : draw_(draw), kinds_(std::move(kinds)), points_(std::move(points)), splits_(splits) {}

    TreeArrays tree(int depth) {
        tree_ = TreeArrays();
        children_.clear();
        tree_.child_start.push_back(0);
        grow(depth);
        for (const auto& children : children_) {
            tree_.child.insert(tree_.child.end(), children.begin(), children.end());
            tree_.child_start.push_back(static_cast<int64_t>(tree_.child.size()));
        }
        return tree_;
    }

  private:
    int64_t grow(int depth) {
        const size_t number = children_.size();
        children_.emplace_back();
        tree_.split_kind.push_back(0);
        tree_.split_index.push_back(-1);
        if (depth == 0 || draw_.chance(0.1)) return static_cast<int64_t>(number);
        const int64_t n_children = add_split(number);
        for (int64_t i = 0; i < n_children; ++i) {
            const int64_t child = grow(depth - 1);
            children_[number].push_back(child);
        }
        return static_cast<int64_t>(number);
    }

    // These return the number of children.
    int64_t add_split(size_t node) {
        const auto column = static_cast<int32_t>(draw_.below(static_cast<int64_t>(kinds_.size())));
        const Kind kind = kinds_[static_cast<size_t>(column)];
        const bool branch = splits_ != plain && draw_.chance(0.3);  // of missing values
        if (splits_ == all && draw_.chance(0.3)) {
            const bool oblique = draw_.chance(0.5);
            start_split(node, oblique ? 4 : 5,
                        oblique ? tree_.oblique_threshold : tree_.distance_threshold);
            oblique ? add_oblique(branch) : add_distance(branch);
            return 2 + branch;
        }
        const bool by_code = kind == Kind::categorical ||
                             (splits_ == all && kind != Kind::continuous && draw_.chance(0.5));
        if (by_code && splits_ == all && draw_.chance(0.4)) {
            start_split(node, 3, tree_.multiway_column);
            return add_multiway(column, branch);
        }
        if (by_code) {
            start_split(node, 2, tree_.subset_column);
            add_subset(column, branch);
        } else {
            start_split(node, 1, tree_.threshold_column);
            add_threshold(column, branch);
        }
        return 2 + branch;
    }

    template <class T>
    void start_split(size_t node, int8_t kind, const std::vector<T>& of_its_kind) {
        tree_.split_kind[node] = kind;
        tree_.split_index[node] = static_cast<int64_t>(of_its_kind.size());
    }

    void add_threshold(int32_t column, bool branch) {
        tree_.threshold_column.push_back(column);
        tree_.threshold_value.push_back(draw_.pick(points_));
        tree_.threshold_missing.push_back(static_cast<int8_t>(missing_child(2, branch)));
        tree_.threshold_unseen.push_back(static_cast<int8_t>(some_child(2 + branch)));
    }

    void add_subset(int32_t column, bool branch) {
        tree_.subset_column.push_back(column);
        const double listed = draw_.pick<double>({0.0, 0.02, 0.1, 0.5, 0.9});
        const double rest = splits_ == all && draw_.chance(0.5) ? 0.6 : 0.0;
        for (int32_t code = 0; code < kCodes; ++code) {
            if (draw_.chance(listed))
                tree_.subset_codes.push_back(code);
            else if (draw_.chance(rest))
                tree_.subset_rest.push_back(code);
        }
        tree_.subset_start.push_back(static_cast<int64_t>(tree_.subset_codes.size()));
        tree_.subset_rest_start.push_back(static_cast<int64_t>(tree_.subset_rest.size()));
        tree_.subset_missing.push_back(static_cast<int8_t>(missing_child(2, branch)));
        tree_.subset_unseen.push_back(static_cast<int8_t>(some_child(2 + branch)));
    }

    int64_t add_multiway(int32_t column, bool branch) {
        const double share = draw_.pick<double>({0.05, 0.3});
        const auto sure = static_cast<int32_t>(draw_.below(kCodes - 1));
        int32_t n = 0;
        for (int32_t code = 0; code < kCodes; ++code)
            if (code == sure || code == sure + 1 || draw_.chance(share)) {
                tree_.multiway_codes.push_back(code);
                ++n;
            }
        tree_.multiway_column.push_back(column);
        tree_.multiway_start.push_back(static_cast<int64_t>(tree_.multiway_codes.size()));
        tree_.multiway_missing.push_back(missing_child(n, branch));
        tree_.multiway_unseen.push_back(some_child(n + branch));
        return n + branch;
    }

    void add_oblique(bool branch) {
        for (int64_t n = draw_.between(1, 4); n-- > 0;) {
            const auto c = static_cast<int32_t>(draw_.below(static_cast<int64_t>(kinds_.size())));
            const bool level = kinds_[static_cast<size_t>(c)] == Kind::categorical;
            tree_.oblique_column.push_back(c);
            tree_.oblique_code.push_back(level ? static_cast<int32_t>(draw_.below(kCodes)) : -1);
            tree_.oblique_weight.push_back(draw_.unit() * 4 - 2);
        }
        tree_.oblique_start.push_back(static_cast<int64_t>(tree_.oblique_column.size()));
        tree_.oblique_threshold.push_back(draw_.unit() * 2 - 1);
        tree_.oblique_missing.push_back(static_cast<int8_t>(missing_child(2, branch)));
    }

    void add_distance(bool branch) {
        const auto metric = static_cast<int8_t>(draw_.below(4));
        int64_t p = 0;
        for (size_t c = 0; c < kinds_.size(); ++c) {
            if (draw_.chance(0.5) && c + 1 < kinds_.size()) continue;
            tree_.distance_column.push_back(static_cast<int32_t>(c));
            tree_.distance_center.push_back(draw_.unit() * 4 - 2);
            tree_.distance_scale.push_back(draw_.unit() * 3);
            ++p;
        }
        tree_.distance_start.push_back(static_cast<int64_t>(tree_.distance_column.size()));
        for (int64_t i = 0; metric == 3 && i < p * p; ++i)
            tree_.distance_matrix.push_back(draw_.unit() * 2 - 0.7);
        tree_.distance_matrix_start.push_back(static_cast<int64_t>(tree_.distance_matrix.size()));
        tree_.distance_metric.push_back(metric);
        tree_.distance_threshold.push_back(draw_.unit() * (metric == 2 ? 2 : 6));
        tree_.distance_missing.push_back(static_cast<int8_t>(missing_child(2, branch)));
    }

    int32_t missing_child(int32_t known_children, bool branch) {
        return branch ? known_children : some_child(known_children);
    }
    int32_t some_child(int32_t n_children) {
        if (splits_ != plain && draw_.chance(0.3)) return kStop;
        return static_cast<int32_t>(draw_.below(n_children));
    }

    Draw& draw_;
    std::vector<Kind> kinds_;
    std::vector<double> points_;
    Splits splits_;
    TreeArrays tree_;
    std::vector<std::vector<int64_t>> children_;
};

// Where one row goes from each node.
class SlowRouter {
  public:
    SlowRouter(const TreeArrays& tree, const std::vector<Kind>& kinds, const Cell& cell)
        : tree_(tree), kinds_(kinds), cell_(cell) {}

    int64_t leaf(int64_t row) const {
        int64_t node = 0;
        while (tree_.split_kind[node] != 0) {
            const int32_t child = child_of(node, row);
            if (child == kStop) break;
            node = tree_.child[tree_.child_start[node] + child];
        }
        return node;
    }

  private:
    bool coded(int32_t column) const { return kinds_[column] != Kind::continuous; }
    bool missing(int64_t row, int32_t column) const {
        const double x = cell_(row, column);
        return std::isnan(x) || (coded(column) && x == kMissingCode);
    }
    bool unseen(int64_t row, int32_t column) const {
        return coded(column) && cell_(row, column) == kUnseenCode;
    }

    int32_t child_of(int64_t node, int64_t row) const {
        const int64_t at = tree_.split_index[node];
        switch (tree_.split_kind[node]) {
            case 1: return by_threshold(at, row);
            case 2: return by_subset(at, row);
            case 3: return by_code(at, row);
            case 4: return side(z(at, row), tree_.oblique_threshold[at], tree_.oblique_missing[at]);
            default:
                return side(d(at, row), tree_.distance_threshold[at], tree_.distance_missing[at]);
        }
    }

    int32_t by_threshold(int64_t at, int64_t row) const {
        const int32_t column = tree_.threshold_column[at];
        if (missing(row, column)) return tree_.threshold_missing[at];
        if (unseen(row, column)) return tree_.threshold_unseen[at];
        return cell_(row, column) < tree_.threshold_value[at] ? 0 : 1;
    }

    int32_t by_subset(int64_t at, int64_t row) const {
        const int32_t column = tree_.subset_column[at];
        if (missing(row, column)) return tree_.subset_missing[at];
        if (unseen(row, column)) return tree_.subset_unseen[at];
        const double code = cell_(row, column);
        for (int64_t i = tree_.subset_start[at]; i < tree_.subset_start[at + 1]; ++i)
            if (tree_.subset_codes[i] == code) return 1;
        const int64_t begin = tree_.subset_rest_start[at], end = tree_.subset_rest_start[at + 1];
        if (begin == end) return 0;
        for (int64_t i = begin; i < end; ++i)
            if (tree_.subset_rest[i] == code) return 0;
        return tree_.subset_unseen[at];
    }

    int32_t by_code(int64_t at, int64_t row) const {
        const int32_t column = tree_.multiway_column[at];
        if (missing(row, column)) return tree_.multiway_missing[at];
        const int64_t begin = tree_.multiway_start[at], end = tree_.multiway_start[at + 1];
        for (int64_t i = begin; i < end; ++i)
            if (tree_.multiway_codes[i] == cell_(row, column))
                return static_cast<int32_t>(i - begin);
        return tree_.multiway_unseen[at];
    }

    static int32_t side(double value, double threshold, int32_t missing_child) {
        if (!std::isfinite(value)) return missing_child;
        return value < threshold ? 0 : 1;
    }

    // NaN where a value is missing or unseen.
    double z(int64_t at, int64_t row) const {
        double sum = 0;
        for (int64_t i = tree_.oblique_start[at]; i < tree_.oblique_start[at + 1]; ++i) {
            const int32_t column = tree_.oblique_column[i], code = tree_.oblique_code[i];
            if (missing(row, column) || unseen(row, column)) return kNaN;
            double x = cell_(row, column);
            if (code >= 0) x = x == code ? 1.0 : 0.0;
            const double term = tree_.oblique_weight[i] * x;
            sum = i == tree_.oblique_start[at] ? term : sum + term;
        }
        return sum;
    }

    double d(int64_t at, int64_t row) const {
        std::vector<double> u, xs, cs;
        for (int64_t i = tree_.distance_start[at]; i < tree_.distance_start[at + 1]; ++i) {
            const int32_t column = tree_.distance_column[i];
            if (missing(row, column) || unseen(row, column)) return kNaN;
            const double x = cell_(row, column), scale = tree_.distance_scale[i];
            u.push_back((x - tree_.distance_center[i]) * scale);
            xs.push_back(x * scale);
            cs.push_back(tree_.distance_center[i] * scale);
        }
        switch (tree_.distance_metric[at]) {
            case 0: return std::sqrt(product(u, u));
            case 1: {
                double sum = 0;
                for (const double x : u) sum += std::fabs(x);
                return sum;
            }
            case 2: {
                const double x_norm = std::sqrt(product(xs, xs)),
                             c_norm = std::sqrt(product(cs, cs));
                return x_norm == 0 || c_norm == 0 ? 1.0 : 1.0 - product(xs, cs) / (x_norm * c_norm);
            }
            default: {
                double sum = 0;
                const double* m = tree_.distance_matrix.data() + tree_.distance_matrix_start[at];
                for (size_t i = 0; i < u.size(); ++i)
                    for (size_t j = 0; j < u.size(); ++j) sum += u[i] * m[i * u.size() + j] * u[j];
                return std::sqrt(sum < 0 ? 0 : sum);
            }
        }
    }

    static double product(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }

    const TreeArrays& tree_;
    const std::vector<Kind>& kinds_;
    const Cell& cell_;
};

inline std::vector<int64_t> expected_leaves(const TreeArrays& tree, const std::vector<Kind>& kinds,
                                            int64_t n_rows, const Cell& cell) {
    std::vector<int64_t> leaves;
    const SlowRouter router(tree, kinds, cell);
    for (int64_t row = 0; row < n_rows; ++row) leaves.push_back(router.leaf(row));
    return leaves;
}

inline std::vector<int64_t> routed(const Router& router, const Table& table, int threads = 1) {
    std::vector<int64_t> leaves(static_cast<size_t>(table.n_rows), -1);
    router.leaves(table, leaves.data(), threads, StopFlag());
    return leaves;
}

}  // namespace silva::test
