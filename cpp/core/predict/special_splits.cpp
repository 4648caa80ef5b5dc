#include "core/predict/special_splits.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/projections/projection.hpp"

namespace silva {
namespace {

// Larger sets are looked up in a table, unless it had more than kTableShare places for each code.
constexpr int64_t kSearched = 8;
constexpr int64_t kTableShare = 8;
constexpr double kMaxCode = 2147483647.0;

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, int64_t begin, int64_t end) {
    to.insert(to.end(), from.begin() + begin, from.begin() + end);
}

}  // namespace

int32_t SpecialSplits::add(const SplitSource& source) {
    switch (static_cast<SplitKind>(source.tree.split_kind[source.node])) {
        case SplitKind::leaf: return -1;
        case SplitKind::threshold: return add_threshold(source);
        case SplitKind::subset: return add_subset(source);
        case SplitKind::multiway: return add_multiway(source);
        case SplitKind::oblique: return add_oblique(source);
        case SplitKind::distance: return add_distance(source);
    }
    __builtin_unreachable();
}

int64_t SpecialSplits::bytes() const {
    return static_cast<int64_t>(splits_.size() * sizeof(Split) + maps_.size() * sizeof(CodeMap) +
                                projections_.size() * sizeof(Projected) +
                                (table_.size() + slots_.size() + codes_.size()) * sizeof(int32_t) +
                                (weights_.size() + center_.size() + matrix_.size()) *
                                    sizeof(double));
}

int32_t SpecialSplits::push(Split split) {
    only_thresholds_ &= split.form == Form::threshold;
    splits_.push_back(split);
    return static_cast<int32_t>(splits_.size()) - 1;
}

// Continuous columns have no unseen values.
int32_t SpecialSplits::add_threshold(const SplitSource& source) {
    const TreeArrays& tree = source.tree;
    const int64_t at = source.at();
    const int32_t column = tree.threshold_column[at];
    const int32_t missing = tree.threshold_missing[at];
    const int32_t unseen =
        source.kinds[column] == Kind::continuous ? missing : tree.threshold_unseen[at];
    if (missing == unseen && (missing == 0 || missing == 1)) return -1;
    return push(
        {Form::threshold, source.slot_of[column], source.target(missing), source.target(unseen)});
}

int32_t SpecialSplits::add_subset(const SplitSource& source) {
    const TreeArrays& tree = source.tree;
    const int64_t at = source.at();
    Split split{Form::code_map, source.slot_of[tree.subset_column[at]],
                source.target(tree.subset_missing[at]), source.target(tree.subset_unseen[at])};
    Pairs pairs;
    for (int64_t i = tree.subset_start[at]; i < tree.subset_start[at + 1]; ++i)
        pairs.emplace_back(tree.subset_codes[i], source.target(1));
    const int64_t rest_begin = tree.subset_rest_start[at],
                  rest_end = tree.subset_rest_start[at + 1];
    for (int64_t i = rest_begin; i < rest_end; ++i)
        pairs.emplace_back(tree.subset_rest[i], source.target(0));
    split.other = rest_begin == rest_end ? source.target(0) : split.unseen;
    return add_codes(split, std::move(pairs));
}

int32_t SpecialSplits::add_multiway(const SplitSource& source) {
    const TreeArrays& tree = source.tree;
    const int64_t at = source.at(), begin = tree.multiway_start[at];
    Split split{Form::code_map, source.slot_of[tree.multiway_column[at]],
                source.target(tree.multiway_missing[at]), source.target(tree.multiway_unseen[at])};
    Pairs pairs;
    for (int64_t i = begin; i < tree.multiway_start[at + 1]; ++i)
        pairs.emplace_back(tree.multiway_codes[i], source.target(static_cast<int32_t>(i - begin)));
    split.other = split.unseen;
    return add_codes(split, std::move(pairs));
}

int32_t SpecialSplits::add_codes(Split split, Pairs pairs) {
    if (pairs.size() == 1) {
        split.form = Form::one_code;
        std::tie(split.code, split.listed) = pairs[0];
        return push(split);
    }
    std::sort(pairs.begin(), pairs.end());
    add_map(pairs, split.other);
    split.part = static_cast<int32_t>(maps_.size()) - 1;
    return push(split);
}

void SpecialSplits::add_map(const Pairs& pairs, int32_t other) {
    const auto n = static_cast<int64_t>(pairs.size());
    const int64_t range = n == 0 ? 0 : int64_t{pairs.back().first} - pairs.front().first + 1;
    const bool dense = n > kSearched && range <= kTableShare * n;
    const auto begin = static_cast<int64_t>(table_.size());
    if (dense) {
        const int32_t low = pairs.front().first;
        maps_.push_back({begin, static_cast<int32_t>(range), low, true});
        table_.resize(table_.size() + static_cast<size_t>(range), other);
        for (const auto& [code, node] : pairs) table_[begin + (code - low)] = node;
    } else {
        maps_.push_back({begin, static_cast<int32_t>(n), 0, false});
        for (const auto& pair : pairs) table_.push_back(pair.first);
        for (const auto& pair : pairs) table_.push_back(pair.second);
    }
}

int32_t SpecialSplits::add_oblique(const SplitSource& source) {
    const TreeArrays& tree = source.tree;
    const int64_t at = source.at();
    const int64_t begin = tree.oblique_start[at], end = tree.oblique_start[at + 1];
    const auto place = static_cast<int64_t>(slots_.size());
    add_slots(source, tree.oblique_column, begin, end);
    append(codes_, tree.oblique_code, begin, end);
    append(weights_, tree.oblique_weight, begin, end);
    center_.resize(slots_.size());
    return add_projection(source,
                          {place, end - begin, 0, tree.oblique_threshold[at], source.target(0),
                           source.target(1), Metric::euclidean, true},
                          tree.oblique_missing[at]);
}

int32_t SpecialSplits::add_distance(const SplitSource& source) {
    const TreeArrays& tree = source.tree;
    const int64_t at = source.at();
    const int64_t begin = tree.distance_start[at], end = tree.distance_start[at + 1];
    const auto place = static_cast<int64_t>(slots_.size());
    const auto matrix_place = static_cast<int64_t>(matrix_.size());
    add_slots(source, tree.distance_column, begin, end);
    codes_.resize(slots_.size());
    append(weights_, tree.distance_scale, begin, end);
    append(center_, tree.distance_center, begin, end);
    append(matrix_, tree.distance_matrix, tree.distance_matrix_start[at],
           tree.distance_matrix_start[at + 1]);
    return add_projection(
        source,
        {place, end - begin, matrix_place, tree.distance_threshold[at], source.target(0),
         source.target(1), static_cast<Metric>(tree.distance_metric[at]), false},
        tree.distance_missing[at]);
}

void SpecialSplits::add_slots(const SplitSource& source, const std::vector<int32_t>& columns,
                              int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) slots_.push_back(source.slot_of[columns[i]]);
    scratch_size_ = std::max(scratch_size_, end - begin);
}

int32_t SpecialSplits::add_projection(const SplitSource& source, Projected projected,
                                      int32_t missing_child) {
    projections_.push_back(projected);
    const int32_t missing = source.target(missing_child);
    return push(
        {Form::projection, 0, missing, missing, static_cast<int32_t>(projections_.size()) - 1});
}

int32_t SpecialSplits::look_up(const Split& split, double value) const {
    if (!(value < kMaxCode)) return split.other;
    const auto code = static_cast<int32_t>(value);
    const CodeMap& map = maps_[split.part];
    const int32_t* table = table_.data() + map.begin;
    if (map.dense) {
        const auto place = static_cast<uint32_t>(code) - static_cast<uint32_t>(map.low);
        return place < static_cast<uint32_t>(map.size) ? table[place] : split.other;
    }
    const int32_t* found = std::lower_bound(table, table + map.size, code);
    return found != table + map.size && *found == code ? found[map.size] : split.other;
}

int32_t SpecialSplits::project(const Split& split, const RowValues& row) const {
    const Projected& p = projections_[split.part];
    const ProjectionView view{p.size,
                              slots_.data() + p.begin,
                              codes_.data() + p.begin,
                              weights_.data() + p.begin,
                              center_.data() + p.begin,
                              matrix_.data() + p.matrix_begin,
                              p.metric};
    for (int64_t j = 0; j < p.size; ++j) row.scratch[j] = row[view.columns[j]];
    const double value =
        p.oblique ? oblique_value(view, row.scratch) : distance_value(view, row.scratch);
    if (std::isnan(value)) return split.missing;
    return value < p.threshold ? p.first : p.second;
}

}  // namespace silva
