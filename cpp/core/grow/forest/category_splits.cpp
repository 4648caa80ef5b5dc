#include "core/grow/forest/category_splits.hpp"

#include <algorithm>

#include "core/columns/level_index.hpp"

namespace silva {

CategorySplits::CategorySplits(const SharedColumns& columns, const Array<uint32_t>& ids,
                               const Table& table, const Target& target, const GrowthRules& rules,
                               bool weighted, CategoryMemory& memory)
    : columns_(columns),
      settings_(rules.settings),
      memory_(memory),
      context_{table,           target,
               memory.no_forms, memory.no_blocks,
               rules.settings,  rules.settings.min_weight_fraction_leaf * rules.root_weight,
               rules.stop},
      search_(context_, weighted, memory.search) {
    memory.places.resize(columns.columns.size());
    memory.two_values.assign(columns.columns.size(), 0);
    for (size_t c = 0; c < columns.columns.size(); ++c) {
        memory.places[c].clear();
        if (columns.columns[c].is_categories() && !columns.columns[c].constant)
            look_at(static_cast<int32_t>(c), ids);
    }
}

// Counts the rows of the levels, up to two, until nothing more can be learned.
void CategorySplits::look_at(int32_t c, const Array<uint32_t>& ids) {
    std::vector<uint8_t>& rows = memory_.rows;
    const SharedColumn& column = columns_.columns[c];
    const Array<uint16_t>& codes = column.category_codes();
    const auto n_codes = static_cast<size_t>(column.n_codes);
    rows.assign(n_codes + 1, 0);
    int64_t n_groups = 0;
    size_t n_open = n_codes;  // known levels of less than two rows so far
    for (int64_t i = 0; i < ids.size() && (n_open > 0 || n_groups < 3); ++i) {
        const uint16_t code = codes[ids[i]];
        if (rows[code] == 2) continue;
        n_groups += rows[code] == 0 ? 1 : 0;
        n_open -= ++rows[code] == 2 && code < n_codes ? 1 : 0;
    }
    memory_.two_values[static_cast<size_t>(c)] = n_groups == 2 && rows[n_codes] == 0 ? 1 : 0;
    if (n_groups > 2 && settings_.column(c).fair) find_lone(c);
}

// As prepare_categories does for a tree by itself: levels that one row has get one code in common.
void CategorySplits::find_lone(int32_t c) {
    const std::vector<uint8_t>& rows = memory_.rows;
    const size_t n_codes = rows.size() - 1;
    if (std::find(rows.begin(), rows.end() - 1, 1) == rows.end() - 1) return;
    std::vector<uint16_t>& places = memory_.places[static_cast<size_t>(c)];
    places.resize(n_codes + 1);
    for (size_t code = 0; code <= n_codes; ++code)
        places[code] =
            static_cast<uint16_t>(code < n_codes && rows[code] == 1 ? n_codes + 1 : code);
}

const uint16_t* CategorySplits::places(int32_t c, const uint16_t* codes) {
    const std::vector<uint16_t>& place = memory_.places[static_cast<size_t>(c)];
    if (place.empty()) return codes;
    std::vector<uint16_t>& placed = memory_.placed;
    if (std::ssize(placed) < n_) placed.resize(static_cast<size_t>(n_));
    for (int64_t i = 0; i < n_; ++i) placed[static_cast<size_t>(i)] = place[codes[i]];
    return placed.data();
}

SplitRecord CategorySplits::rule() const {
    SplitRecord rule;
    rule.column = best_.column;
    rule.kind = best_.kind;
    rule.detail = best_.detail != nullptr ? best_.detail : one_code(best_.position);
    return rule;
}

SplitRecord CategorySplits::mark(const uint16_t* codes, uint64_t* bits) {
    SplitRecord rule = this->rule();
    const auto n_codes = static_cast<size_t>(columns_.columns[best_.column].n_codes);
    std::vector<uint8_t>& goes_right = memory_.goes_right;
    if (goes_right.size() < n_codes + 2) goes_right.resize(n_codes + 2, 0);
    for (const int32_t code : rule.detail->codes) goes_right[static_cast<size_t>(code)] = 1;
    goes_right[n_codes] = best_.missing_left ? 0 : 1;
    goes_right[n_codes + 1] =
        lone_join_missing(best_, settings_.column(best_.column)) ? goes_right[n_codes] : 0;
    const uint16_t* place = places(best_.column, codes);
    for (int64_t begin = 0; begin < n_; begin += 64) {
        uint64_t word = 0;
        const int64_t end = std::min<int64_t>(begin + 64, n_);
        for (int64_t i = begin; i < end; ++i)
            word |= static_cast<uint64_t>(goes_right[place[i]] ^ 1) << (i - begin);
        bits[begin / 64] = word;
    }
    for (const int32_t code : rule.detail->codes) goes_right[static_cast<size_t>(code)] = 0;
    goes_right[n_codes] = goes_right[n_codes + 1] = 0;
    return rule;
}

// A subset lists child 1, a multiway split its children; missing values follow their own branch,
// lone levels missing values or the largest child.
SplitRecord CategorySplits::mark_children(const uint16_t* codes, std::vector<uint32_t>& child) {
    SplitRecord rule = this->rule();
    const auto n_codes = columns_.columns[best_.column].n_codes;
    const bool multiway = rule.kind == SplitKind::multiway;
    const LevelIndex listed(rule.detail->codes, n_codes, n_);
    const auto own = static_cast<uint32_t>(n_children() - 1);
    const uint32_t of_missing = best_.own_branch     ? own
                                : multiway           ? static_cast<uint32_t>(best_.position)
                                : best_.missing_left ? 0
                                                     : 1;
    const uint32_t of_lone = lone_join_missing(best_, settings_.column(best_.column)) ? of_missing
                             : multiway ? static_cast<uint32_t>(best_.lone_child)
                                        : 0;
    const uint16_t* place = places(best_.column, codes);
    for (int64_t i = 0; i < n_; ++i) {
        const int32_t code = place[i];
        child[static_cast<size_t>(i)] = code == n_codes       ? of_missing
                                        : code == n_codes + 1 ? of_lone
                                        : multiway ? static_cast<uint32_t>(listed.of(code))
                                        : listed.of(code) >= 0 ? 1
                                                               : 0;
    }
    return rule;
}

}  // namespace silva
