#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "core/search/finders/own_branch.hpp"

namespace silva {

namespace {

Candidate candidate_of(const ChildrenGain& gain, int32_t column, int64_t position) {
    Candidate candidate;
    candidate.gain = gain.gain();
    candidate.lighter = gain.lightest();
    candidate.split_info = gain.split_info();
    candidate.column = column;
    candidate.position = position;
    return candidate;
}

}  // namespace

// The sum of squared class weights, or of the squared sum, over the weight.
double ColumnSearch::squares_of(const int64_t* group) const {
    if (layout_ == GroupLayout::values) {
        const auto sum = static_cast<double>(group_sum(group));
        return sum * sum / static_cast<double>(group[0]);
    }
    double squares = 0.0, weight = 0.0;
    for (int64_t k = 0; k < width_; ++k) {
        const auto own = static_cast<double>(group[k]);
        squares += own * own;
        weight += own;
    }
    return squares / weight;
}

// Whether some children may gain as much as the best candidate: by Gini and squared error that is
// what their squares are above those of the node. Forgives every rounding.
bool ColumnSearch::may_be_best(std::span<const ChildGroup> children) {
    const Criterion criterion = context_.settings.criterion;
    if (criterion != Criterion::gini && criterion != Criterion::squared_error) return true;
    if (!node_squares_) {
        std::vector<int64_t> all(static_cast<size_t>(width_), 0);
        add_node_to(all.data());
        node_squares_ = squares_of(all.data());
    }
    double squares = 0.0;
    for (const ChildGroup& child : children) squares += squares_of(child.group);
    const double least = *node_squares_ + best_.score() * static_cast<double>(node_.stats.weight);
    return squares >= least - 1e-9 * (std::fabs(least) + *node_squares_);
}

// Two children and, as the third, the missing values.
bool ColumnSearch::consider_own_branch(int32_t column, int64_t position,
                                       std::span<const ChildGroup> children, double threshold) {
    context_.stop.check();
    if (!may_be_best(children)) return false;
    ChildrenGain gain(context_.settings.criterion, node_.stats);
    for (size_t i = 0; i < 2; ++i)
        if (!is_large(children[i].rows, gain.weight_of(children[i].group))) return false;
    for (const ChildGroup& child : children) gain.add(child.group);
    Candidate candidate = candidate_of(gain, column, position);
    if (candidate.gain < 0.0) return false;
    candidate.missing_chosen = candidate.own_branch = true;
    candidate.threshold = threshold;
    return keep_if_better(std::move(candidate));
}

KnownPart ColumnSearch::known_part(const int64_t* known, const int64_t* absent,
                                   int64_t rows) const {
    const Criterion criterion = context_.settings.criterion;
    ChildrenGain apart(criterion, node_.stats);
    apart.add(known);
    apart.add(absent);
    const auto weight = static_cast<double>(node_.stats.weight);
    KnownPart part{node_.stats, apart.gain(), 1.0, 0.0};
    part.stats.rows = rows;
    part.stats.weight = apart.weight_of(known);
    part.node_per_known = weight / static_cast<double>(part.stats.weight);
    if (layout_ == GroupLayout::values)
        part.stats.sum = group_sum(known);
    else
        part.stats.classes.assign(known, known + width_);
    if (criterion == Criterion::entropy) part.rounding = 1e-12;
    if (criterion == Criterion::poisson)
        part.rounding = 1e-12 * static_cast<double>(node_.stats.sum) / weight;
    return part;
}

// Leaves all groups empty, as count_codes expects them.
void ColumnSearch::clear_codes(int missing_code) {
    scratch_.occupied.push_back(missing_code);
    for (int code : scratch_.occupied) {
        std::fill_n(group(code), group_width(), 0);
        scratch_.group_rows[code] = 0;
    }
}

// The gain of three children at each position, one by one.
void ColumnSearch::sweep_codes_own_branch(int32_t column, const std::vector<int>& occupied,
                                          int missing_code) {
    const int64_t width = group_width();
    int64_t* left = child_groups(2);
    int64_t* right = left + width;
    int64_t left_rows = 0, right_rows = 0;
    for (int code : occupied) {
        merge(right, group(code), 1);
        right_rows += scratch_.group_rows[code];
    }
    for (size_t i = 0; i + 1 < occupied.size(); ++i) {
        const int64_t rows = scratch_.group_rows[occupied[i]];
        merge(left, group(occupied[i]), 1);
        merge(right, group(occupied[i]), -1);
        left_rows += rows;
        right_rows -= rows;
        if (!is_breakpoint(occupied[i + 1])) continue;
        const ChildGroup children[] = {{left, left_rows},
                                       {right, right_rows},
                                       {group(missing_code), scratch_.group_rows[missing_code]}};
        consider_own_branch(column, occupied[i + 1], children);
    }
}

std::optional<Categories> ColumnSearch::arrange(int32_t column, Absent absent) {
    auto& [missing, lone] = absent;
    const std::vector<Level>& levels = scratch_.level.levels;
    const ColumnSettings asked = context_.settings.column(column);
    if (missing.rows > 0 && lone.rows > 0 && asked.lone_follow_missing())
        join(missing, std::exchange(lone, Level{}));
    const auto n_known = static_cast<int64_t>(levels.size());
    const bool lone_against_missing = lone.rows > 0 && missing.rows > 0;
    if (n_known + (missing.rows > 0 ? 1 : 0) < 2 && !lone_against_missing) return std::nullopt;
    const bool apart = missing.rows > 0 && asked.missing != Fallback::learn;
    const int64_t weight = node_.stats.weight - lone.weight - (apart ? missing.weight : 0);
    const int32_t lowest = n_known > 0 ? levels[0].code : 0;
    return Categories{column, asked,  missing,
                      lone,   apart,  n_known,
                      lowest, weight, context_.settings.random_splitter};
}

void ColumnSearch::add_level_to(const Level& level, int64_t* group, int sign) const {
    if (layout_ == GroupLayout::entries) {
        for (int64_t e = level.begin; e < level.end; ++e)
            group[scratch_.level.entries[e].label] += sign * scratch_.level.entries[e].weight;
    } else {
        merge(group, scratch_.level.level_groups.data() + level.begin, sign);
    }
}

// Adds the rows of one level to another.
void ColumnSearch::join(Level& to, const Level& from) {
    LevelScratch& scratch = scratch_.level;
    to.rows += from.rows;
    to.weight += from.weight;
    to.squares += from.squares;
    if (layout_ == GroupLayout::entries) {
        std::map<int32_t, int64_t> weights;
        for (const Level& level : {to, from})
            for (int64_t e = level.begin; e < level.end; ++e)
                weights[scratch.entries[e].label] += scratch.entries[e].weight;
        to.begin = static_cast<int32_t>(scratch.entries.size());
        for (const auto& [label, weight] : weights) scratch.entries.push_back({label, weight});
        to.end = static_cast<int32_t>(scratch.entries.size());
    } else {
        merge(scratch.level_groups.data() + to.begin, scratch.level_groups.data() + from.begin, 1);
    }
}

// The set of levels whose group is given against the other levels, missing values apart.
bool ColumnSearch::offer_own_branch(const Categories& c, const int64_t* group, int64_t rows,
                                    bool listed, int64_t position) {
    int64_t* rest = child_groups(3);
    int64_t* list = rest + group_width();
    int64_t* absent = list + group_width();
    add_level_to(c.missing, absent);
    int64_t list_rows = rows;
    if (listed) {
        merge(list, group, 1);
    } else {
        add_node_to(list);
        for (const int64_t* other : {static_cast<const int64_t*>(absent), group})
            merge(list, other, -1);
        if (c.lone.rows > 0) add_level_to(c.lone, list, -1);
        list_rows = node_.rows() - rows - c.missing.rows - c.lone.rows;
    }
    add_node_to(rest);
    for (const int64_t* other : {absent, list}) merge(rest, other, -1);
    const int64_t rest_rows = node_.rows() - list_rows - c.missing.rows;
    const ChildGroup children[] = {{rest, rest_rows}, {list, list_rows}, {absent, c.missing.rows}};
    return consider_own_branch(c.column, position, children);
}

// A child for each level, in order of their codes. Missing values join the heaviest one or are the
// last child; lone levels join the heaviest child of all.
void ColumnSearch::all_apart(const Categories& c) {
    const bool own_branch = c.has_missing() && (!c.apart || c.own_branch());
    const bool joins = c.has_missing() && !own_branch;
    const std::vector<Level>& levels = scratch_.level.levels;
    if (c.n_known + (own_branch ? 1 : 0) < 2) return;
    size_t heaviest = 0;
    for (size_t i = 1; i < levels.size(); ++i)
        if (levels[i].weight > levels[heaviest].weight) heaviest = i;
    ChildrenGain gain(context_.settings.criterion, node_.stats);
    int64_t n_large = 0;
    const bool missing_heaviest = own_branch && c.missing.weight > levels[heaviest].weight;
    const size_t lone_child = missing_heaviest ? levels.size() : heaviest;
    const auto add_child = [&](const Level& level, size_t i) {
        int64_t* group = child_groups(1);
        int64_t rows = 0;
        const auto take = [&](const Level& part) {
            add_level_to(part, group);
            rows += part.rows;
        };
        take(level);
        if (joins && i == heaviest) take(c.missing);
        if (c.lone.rows > 0 && i == lone_child) take(c.lone);
        gain.add(group);
        n_large += is_large(rows, gain.weight_of(group)) ? 1 : 0;
    };
    for (size_t i = 0; i < levels.size(); ++i) add_child(levels[i], i);
    if (own_branch) add_child(c.missing, levels.size());
    Candidate candidate = candidate_of(gain, c.column, static_cast<int64_t>(heaviest));
    if (n_large < 2 || candidate.gain < 0.0) return;
    candidate.kind = SplitKind::multiway;
    candidate.lone_child = static_cast<int32_t>(lone_child);
    candidate.missing_chosen = c.has_missing();
    candidate.own_branch = own_branch;
    if (!keep_if_better(std::move(candidate))) return;
    SplitDetail detail;
    for (const Level& level : levels) detail.codes.push_back(level.code);
    best_.detail = std::make_shared<const SplitDetail>(std::move(detail));
}

// No set of levels gains more than all levels apart: the criteria of classes are concave.
bool ColumnSearch::can_be_best(const Categories& c) {
    if (!best_.exists()) return true;
    ChildrenGain apart(context_.settings.criterion, node_.stats);
    const auto add = [&](const Level& level) {
        int64_t* group = child_groups(1);
        add_level_to(level, group);
        apart.add(group);
    };
    for (const Level& level : scratch_.level.levels) add(level);
    if (c.apart) add(c.missing);
    if (c.lone.rows > 0) add(c.lone);
    return apart.gain() >= best_.score() * kSlack;
}

void ColumnSearch::add_to_set(const Categories& c, const Level& level, LevelSet& set,
                              int sign) const {
    set.rows += sign * level.rows;
    set.weight += sign * level.weight;
    if (level.code < 0) return;
    set.known += sign;
    if (level.code == c.lowest) set.has_lowest = sign > 0;
}

// Whether a set is the side that a split lists, its child 1: the lighter one, of equals the one
// without the lowest code; missing values if they are alone.
bool ColumnSearch::is_listed(const Categories& c, const LevelSet& set) const {
    if (set.known == 0 || set.known == c.n_known) return set.known == 0;
    const int64_t rest = c.weight - set.weight;
    return set.weight != rest ? set.weight < rest : !set.has_lowest;
}

void ColumnSearch::gather_prefix(int64_t length) {
    LevelScratch& scratch = scratch_.level;
    scratch.gathered.assign(scratch.levels.size(), 0);
    for (int64_t i = 0; i < length; ++i) scratch.gathered[scratch.order[i]] = 1;
}

// The set of the gathered levels; its group is left in `sums`.
LevelSet ColumnSearch::sum_gathered(const Categories& c) {
    LevelScratch& scratch = scratch_.level;
    scratch.sums.assign(static_cast<size_t>(group_width()), 0);
    LevelSet set;
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        if (scratch.gathered[i] == 0) continue;
        add_level_to(scratch.levels[i], scratch.sums.data());
        add_to_set(c, scratch.levels[i], set);
    }
    return set;
}

// Writes down the sides of the column's best candidate, whose levels are marked in `gathered`.
void ColumnSearch::describe_subset(const Categories& c) {
    LevelScratch& scratch = scratch_.level;
    best_.kind = SplitKind::subset;
    if (best_.position < 0) scratch.gathered.assign(scratch.levels.size(), 0);
    LevelSet set;
    for (size_t i = 0; i < scratch.levels.size(); ++i)
        if (scratch.gathered[i] != 0) add_to_set(c, scratch.levels[i], set);
    const bool listed = best_.position >= 0 && is_listed(c, set);
    const bool keeps_rest = c.asked.unseen != Fallback::majority;
    SplitDetail detail;
    best_.missing_left = best_.position >= 0 && c.apart && !best_.own_branch;
    for (size_t i = 0; i < scratch.levels.size(); ++i) {
        const bool in_codes = best_.position >= 0 && (scratch.gathered[i] != 0) == listed;
        if (scratch.levels[i].code < 0)
            best_.missing_left = !in_codes;
        else if (in_codes)
            detail.codes.push_back(scratch.levels[i].code);
        else if (keeps_rest)
            detail.rest.push_back(scratch.levels[i].code);
    }
    best_.detail = std::make_shared<const SplitDetail>(std::move(detail));
}

}  // namespace silva
