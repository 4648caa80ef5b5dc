// Finder for bit columns: one pass over the rows counts all columns of a word.
#pragma once

#include <bit>

#include "core/finders/node_search.hpp"

namespace silva {

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::count_bits(const uint64_t* words, uint64_t wanted) {
    scratch_.bit_groups.assign(64 * group_width(), 0);
    scratch_.bit_rows.assign(64, 0);
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        for (uint64_t word = words[id] & wanted; word != 0; word &= word - 1) {
            const int bit = std::countr_zero(word);
            ++scratch_.bit_rows[bit];
            sweep_.count(id, bit_group(bit));
        }
    }
}

template <class Id, class Sweep>
uint64_t NodeSearch<Id, Sweep>::bits(int block, uint64_t wanted,
                                     const std::vector<int32_t>& column_of_bit) {
    count_bits(store_.words[block].data(), wanted);
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const int64_t set_rows = scratch_.bit_rows[bit];
        if (set_rows == 0 || set_rows == node_.rows())
            constant |= uint64_t{1} << bit;
        else
            one_bit(column_of_bit[bit], bit_group(bit), set_rows);
        end_column(column_of_bit[bit]);
    }
    return constant;
}

// The set rows are gathered. They hold the lower value if the column is inverted.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_bit(int32_t column, const int64_t* set_group, int64_t set_rows) {
    const ColumnForm& form = context_.forms[column];
    sweep_.clear();
    sweep_.add_group(set_group);
    if (!sweep_.promising()) return;
    const SplitForm asked = context_.settings.column(column).form;
    if (asked == SplitForm::threshold) {
        const double low = form.levels[0], high = form.levels[1];
        const double threshold =
            context_.settings.random_splitter ? random_between(low, high, draw(column)) : NAN;
        consider(column, 1, set_rows, false, false, !form.inverted, threshold);
        return;
    }
    const auto low = static_cast<int64_t>(form.levels[0]);
    const auto high = static_cast<int64_t>(form.levels[1]);
    bool is_best = false;
    if (asked == SplitForm::onevsrest) {
        is_best = consider(column, low, set_rows, false, false, form.inverted);
        is_best |= consider(column, high, set_rows, false, false, !form.inverted);
    } else {
        const int64_t set = sweep_.left(), rest = node_.stats.weight - set;
        const bool high_listed = form.inverted ? rest <= set : set <= rest;
        is_best = consider(column, high_listed ? high : low, set_rows, false, false,
                           high_listed != form.inverted);
    }
    if (is_best) best_.kind = SplitKind::subset;
}

}  // namespace silva
