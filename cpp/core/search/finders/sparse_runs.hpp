// Sparse columns: the entries of a column in a node are sorted, all other rows are zero.
//
// Position: the number of known rows that go left.
#pragma once

#include <algorithm>
#include <limits>

#include "core/search/finders/node_search.hpp"

namespace silva {

// Columns in ascending order, each with its entries.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::runs(Entries entries) {
    for (size_t begin = 0, end; begin < entries.size(); begin = end) {
        const int32_t column = entries[begin].column();
        for (end = begin + 1; end < entries.size() && entries[end].column() == column;) ++end;
        if (this->perfect() && column > this->best_.column) return;
        context_.stop.check();
        search_run(column, entries.subspan(begin, end - begin));
        this->end_column(column);
    }
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::sparse(int32_t column) {
    return search_run(column, store_.sparse.run(column, node_.entry_begin, node_.entry_end));
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::search_run(int32_t column, Entries run) {
    if (run.empty()) return false;
    SparseRun parts{run, node_.rows()};
    if (context_.settings.random_splitter) return random_run(column, parts);
    if (!parts.missing.empty() || context_.settings.breakpoints) return group_run(column, parts);
    const bool varies = parts.zeros > 0 || !parts.is_constant();
    if constexpr (HasFloor<Sweep>) sweep_.set_floor(-INFINITY);
    gather_run<false>(column, parts.negative);
    gather_run<true>(column, parts.positive);
    return varies;
}

// The rows outside of zero move to the gathered child, the outermost first.
template <class Id, class Sweep>
template <bool kFromTop>
void NodeSearch<Id, Sweep>::gather_run(int32_t column, Entries part) {
    if (part.empty()) return;
    sweep_.clear();
    Sweep sweep = sweep_;  // a copy that lives in registers
    const auto n = static_cast<int64_t>(part.size());
    const int64_t rows = node_.rows();
    for (int64_t i = 1; i <= n; ++i) {
        const SparseEntry entry = kFromTop ? part[n - i] : part[i - 1];
        sweep.add(entry.id());
        const bool ends_value = i == n ? i < rows : kFromTop ? entry.is_new() : part[i].is_new();
        if (ends_value && sweep.promising()) [[unlikely]] {
            sweep_ = sweep;
            consider(column, kFromTop ? rows - i : i, i, false, false, kFromTop);
            sweep = sweep_;
        }
    }
    sweep_ = sweep;
}

// Each value is a code, and so are zero and missing values: then they are swept as codes are.
template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::group_run(int32_t column, const SparseRun& run) {
    const int missing_code = count_run(run);
    const std::vector<int>& occupied = scratch_.occupied;
    const bool has_missing = !run.missing.empty();
    const bool constant = occupied.size() + (has_missing ? 1 : 0) < 2;
    if (!constant) {
        if (context_.settings.breakpoints) mark_breakpoints(run);
        const ColumnSettings asked = context_.settings.column(column);
        if (has_missing && asked.missing == Fallback::own_branch && occupied.size() > 1) {
            this->sweep_codes_own_branch(column, occupied, missing_code);
        } else {
            this->sweep_codes(column, occupied, missing_code, has_missing, false);
            if (has_missing) this->sweep_codes(column, occupied, missing_code, has_missing, true);
        }
        Candidate& best = this->best_;
        if (best.exists() && best.column == column)
            best.position = best.position < 0 ? 0 : scratch_.run_starts[best.position];
    }
    this->clear_codes(missing_code);
    return !constant;
}

// Fills the groups of the codes and the known rows below each; returns the code of missing values.
template <class Id, class Sweep>
int NodeSearch<Id, Sweep>::count_run(const SparseRun& run) {
    const auto counter = sweep_.counter();
    const size_t most = run.all.size() + 2;
    scratch_.groups.resize(std::max(scratch_.groups.size(), most * group_width()), 0);
    scratch_.group_rows.resize(std::max(scratch_.group_rows.size(), most), 0);
    scratch_.occupied.clear();
    scratch_.run_starts.clear();
    int64_t known = 0;
    int code = -1;
    const auto next_code = [&] {
        scratch_.occupied.push_back(++code);
        scratch_.run_starts.push_back(known);
    };
    const auto count = [&](Entries part) {
        for (size_t i = 0; i < part.size(); ++i, ++known) {
            if (i == 0 || part[i].is_new()) next_code();
            ++scratch_.group_rows[code];
            counter.count(part[i].id(), this->group(code));
        }
    };
    count(run.negative);
    const int zero_code = code + 1;
    if (run.zeros > 0) {
        next_code();
        known += run.zeros;
    }
    count(run.positive);
    const int missing_code = code + 1;
    for (const SparseEntry& entry : run.missing)
        counter.count(entry.id(), this->group(missing_code));
    scratch_.group_rows[missing_code] = std::ssize(run.missing);
    if (run.zeros > 0) {
        int64_t* zero = this->group(zero_code);
        scratch_.group_rows[zero_code] = run.zeros;
        this->add_node_to(zero);
        for (int other = 0; other <= missing_code; ++other)
            if (other != zero_code) merge(zero, this->group(other), -1);
    }
    return missing_code;
}

// See RowCounts::mark_breakpoints.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::mark_breakpoints(const SparseRun& run) {
    const auto counter = sweep_.counter();
    constexpr uint8_t none = 2, one = 0, several = 1;
    scratch_.breakpoint.assign(run.all.size() + 3, none);
    scratch_.pure_targets.resize(std::max(scratch_.pure_targets.size(), run.all.size() + 3));
    const auto see = [&](int code, int64_t id) {
        uint8_t& state = scratch_.breakpoint[code];
        const int64_t target = counter.target(id);
        if (state == none) scratch_.pure_targets[code] = target;
        state = state == several || scratch_.pure_targets[code] != target ? several : one;
    };
    int code = -1;
    std::vector<uint32_t> stored;
    for (const SparseEntry& entry : run.all) stored.push_back(entry.id());
    std::sort(stored.begin(), stored.end());
    const auto see_all = [&](Entries part) {
        for (size_t i = 0; i < part.size(); ++i) {
            if (i == 0 || part[i].is_new()) ++code;
            see(code, part[i].id());
        }
    };
    see_all(run.negative);
    if (run.zeros > 0) {
        ++code;
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const auto id = static_cast<uint32_t>(store_.rows[i]);
            if (!std::ranges::binary_search(stored, id)) see(code, id);
        }
    }
    see_all(run.positive);
    for (int above = code; above > 0; --above)
        if (scratch_.breakpoint[above - 1] != one ||
            scratch_.pure_targets[above - 1] != scratch_.pure_targets[above])
            scratch_.breakpoint[above] = several;
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::random_run(int32_t column, const SparseRun& run) {
    const auto value = [&](const SparseEntry& entry) {
        const int64_t row = context_.target.row_of(store_.origin_of(entry.id()));
        return context_.table.columns[column].value(row);
    };
    const int64_t n_known = run.known();
    if (n_known == 0) return false;
    const SparseEntry* lowest = run.lowest();
    const SparseEntry* highest = run.highest();
    const double low = lowest != nullptr ? value(*lowest) : 0.0;
    const double high = highest == lowest ? low : highest != nullptr ? value(*highest) : 0.0;
    if (low == high && run.missing.empty()) return false;
    const uint64_t hash = draw(column);
    double threshold = -std::numeric_limits<double>::infinity();
    if (low < high) threshold = random_between(low, high, hash);
    // Reading a value takes a search in its column; most runs are short.
    const auto below = [&](Entries part) {
        const auto is_left = [&](const SparseEntry& entry) {
            const double x = &entry == lowest ? low : &entry == highest ? high : value(entry);
            return x < threshold;
        };
        return static_cast<size_t>(std::partition_point(part.begin(), part.end(), is_left) -
                                   part.begin());
    };
    const bool zeros_left = 0.0 < threshold;
    const size_t negative = below(run.negative), positive = zeros_left ? below(run.positive) : 0;
    const int64_t n_left = static_cast<int64_t>(negative + positive) + (zeros_left ? run.zeros : 0);
    int64_t* left = child_groups(3);
    int64_t *right = left + group_width(), *missing = right + group_width();
    const auto counter = sweep_.counter();
    const auto count = [&](Entries part, int64_t* group) {
        for (const SparseEntry& entry : part) counter.count(entry.id(), group);
    };
    count(run.missing, missing);
    // The side without the zeros is counted, the other one is the rest of the node.
    if (zeros_left) {
        count(run.positive.subspan(positive), right);
        this->add_node_to(left);
        merge(left, right, -1);
        merge(left, missing, -1);
    } else {
        count(run.negative.first(negative), left);
        this->add_node_to(right);
        merge(right, left, -1);
        merge(right, missing, -1);
    }
    const ChildGroup sides[] = {
        {left, n_left}, {right, n_known - n_left}, {missing, std::ssize(run.missing)}};
    this->consider_random(column, n_left, hash, threshold, sides);
    return true;
}

}  // namespace silva
