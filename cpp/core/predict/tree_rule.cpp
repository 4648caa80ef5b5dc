#include "core/predict/tree_rule.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/projections/projection.hpp"

namespace silva {
namespace {

// The place of a code in a part of an ascending list, counted from its begin; -1: it is not there.
int32_t place_of(double value, const std::vector<int32_t>& codes, int64_t begin, int64_t end) {
    const auto first = codes.begin() + begin, last = codes.begin() + end;
    const auto found = std::lower_bound(first, last, value);
    return found != last && *found == value ? static_cast<int32_t>(found - first) : -1;
}

}  // namespace

TreeRule::TreeRule(TreeArrays tree, const std::vector<Kind>& kinds) : tree_(std::move(tree)) {
    // Continuous columns have no unseen values, but a NaN of the user's may look like one.
    for (size_t at = 0; at < tree_.threshold_column.size(); ++at)
        if (kinds[tree_.threshold_column[at]] == Kind::continuous)
            tree_.threshold_unseen[at] = tree_.threshold_missing[at];
    const auto lists = {&tree_.threshold_column, &tree_.subset_column, &tree_.multiway_column,
                        &tree_.oblique_column, &tree_.distance_column};
    for (const auto* columns : lists)
        columns_.insert(columns_.end(), columns->begin(), columns->end());
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    std::vector<int32_t> place(kinds.size(), 0);
    for (size_t i = 0; i < columns_.size(); ++i) place[columns_[i]] = static_cast<int32_t>(i);
    for (auto* columns : lists)
        for (int32_t& column : *columns) column = place[column];
    tables_.resize(tree_.multiway_column.size());
    for (size_t node = 0; node < tree_.split_kind.size(); ++node)
        if (static_cast<SplitKind>(tree_.split_kind[node]) == SplitKind::multiway)
            add_table(static_cast<int32_t>(node));
}

// A search among hundreds of codes takes 2.5 times as long as a look into a table.
void TreeRule::add_table(int32_t node) {
    constexpr int64_t kMaxPlaces = 8;  // for each code
    const int64_t at = tree_.split_index[node];
    const int64_t begin = tree_.multiway_start[at], end = tree_.multiway_start[at + 1];
    const int64_t size = begin == end ? 0 : int64_t{tree_.multiway_codes[end - 1]} + 1;
    if (size > kMaxPlaces * (end - begin)) return;
    tables_[at] = {static_cast<int64_t>(table_.size()), size};
    table_.resize(table_.size() + static_cast<size_t>(size),
                  node_of(node, tree_.multiway_unseen[at]));
    for (int64_t i = begin; i < end; ++i)
        table_[tables_[at].begin + tree_.multiway_codes[i]] =
            node_of(node, static_cast<int32_t>(i - begin));
}

int32_t TreeRule::end_of(const double* values, std::vector<double>& scratch) const {
    for (int32_t node = 0;;) {
        const int32_t after = next(node, values, scratch);
        if (after == node) return node;
        node = after;
    }
}

int64_t TreeRule::bytes() const {
    int64_t sum = static_cast<int64_t>(tables_.size() * sizeof(CodeTable));
    const auto add = [&](const char*, const auto& array) {
        sum += static_cast<int64_t>(array.size() * sizeof(array[0]));
    };
    add("child_start", tree_.child_start);
    add("child", tree_.child);
    add("split_kind", tree_.split_kind);
    add("split_index", tree_.split_index);
    add("table", table_);
    each_split_array(tree_, add);
    return sum;
}

int32_t TreeRule::next(int32_t node, const double* values, std::vector<double>& scratch) const {
    const int64_t at = tree_.split_index[node];
    const auto kind = static_cast<SplitKind>(tree_.split_kind[node]);
    switch (kind) {
        case SplitKind::leaf: return node;
        case SplitKind::threshold:
            return after_threshold(node, at, values[tree_.threshold_column[at]]);
        case SplitKind::subset: return after_subset(node, at, values[tree_.subset_column[at]]);
        case SplitKind::multiway:
            return after_multiway(node, at, values[tree_.multiway_column[at]]);
        case SplitKind::oblique:
            return after_projection(node, projected(at, kind, values, scratch),
                                    tree_.oblique_threshold[at], tree_.oblique_missing[at]);
        case SplitKind::distance:
            return after_projection(node, projected(at, kind, values, scratch),
                                    tree_.distance_threshold[at], tree_.distance_missing[at]);
    }
    __builtin_unreachable();
}

int32_t TreeRule::after_threshold(int32_t node, int64_t at, double value) const {
    if (std::isnan(value))
        return node_of(node,
                       is_unseen(value) ? tree_.threshold_unseen[at] : tree_.threshold_missing[at]);
    return node_of(node, value < tree_.threshold_value[at] ? 0 : 1);
}

int32_t TreeRule::after_subset(int32_t node, int64_t at, double value) const {
    const int32_t unseen = tree_.subset_unseen[at];
    if (std::isnan(value))
        return node_of(node, is_unseen(value) ? unseen : tree_.subset_missing[at]);
    const int64_t begin = tree_.subset_start[at], end = tree_.subset_start[at + 1];
    if (place_of(value, tree_.subset_codes, begin, end) >= 0) return node_of(node, 1);
    const int64_t rest_begin = tree_.subset_rest_start[at],
                  rest_end = tree_.subset_rest_start[at + 1];
    const bool is_first =
        rest_begin == rest_end || place_of(value, tree_.subset_rest, rest_begin, rest_end) >= 0;
    return node_of(node, is_first ? 0 : unseen);
}

int32_t TreeRule::after_multiway(int32_t node, int64_t at, double value) const {
    const int32_t unseen = tree_.multiway_unseen[at];
    if (std::isnan(value))
        return node_of(node, is_unseen(value) ? unseen : tree_.multiway_missing[at]);
    const CodeTable& table = tables_[at];
    if (value < static_cast<double>(table.size))
        return table_[table.begin + static_cast<int64_t>(value)];
    const int32_t child = place_of(value, tree_.multiway_codes, tree_.multiway_start[at],
                                   tree_.multiway_start[at + 1]);
    return node_of(node, child >= 0 ? child : unseen);
}

int32_t TreeRule::after_projection(int32_t node, double value, double threshold,
                                   int32_t missing) const {
    return node_of(node, std::isnan(value) ? missing : value < threshold ? 0 : 1);
}

double TreeRule::projected(int64_t at, SplitKind kind, const double* values,
                           std::vector<double>& scratch) const {
    const bool oblique = kind == SplitKind::oblique;
    const std::vector<int64_t>& start = oblique ? tree_.oblique_start : tree_.distance_start;
    const int64_t begin = start[at];
    ProjectionView view;
    view.n = start[at + 1] - begin;
    view.columns = (oblique ? tree_.oblique_column : tree_.distance_column).data() + begin;
    view.weights = (oblique ? tree_.oblique_weight : tree_.distance_scale).data() + begin;
    scratch.resize(static_cast<size_t>(view.n));
    for (int64_t j = 0; j < view.n; ++j) scratch[j] = values[view.columns[j]];
    if (oblique) {
        view.codes = tree_.oblique_code.data() + begin;
        return oblique_value(view, scratch.data());
    }
    view.center = tree_.distance_center.data() + begin;
    view.matrix = tree_.distance_matrix.data() + tree_.distance_matrix_start[at];
    view.metric = static_cast<Metric>(tree_.distance_metric[at]);
    return distance_value(view, scratch.data());
}

}  // namespace silva
