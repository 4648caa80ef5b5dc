#include "core/optimal/sorted_node.hpp"

#include <algorithm>
#include <functional>

namespace silva::optimal {

// ---- predictions -------------------------------------------------------------------------------

Slots::Slots(const RowFacts& facts)
    : facts_(facts), by_class_(true), worst_(static_cast<size_t>(facts.classes)) {
    for (int32_t k = 0; k < facts.classes; ++k)
        for (int32_t c = 0; c < facts.classes; ++c)
            if (c != k && cost(k, c) != cost(k, k == 0 ? facts.classes - 1 : 0)) by_class_ = false;
}

// Whether prediction a costs at most as much as b for every class of the node, and comes first
// where both always cost the same.
bool Slots::dominates(int32_t a, int32_t b) const {
    bool is_cheaper = a < b;
    for (const int32_t k : present_) {
        if (cost(k, a) > cost(k, b)) return false;
        if (cost(k, a) < cost(k, b)) is_cheaper = true;
    }
    return is_cheaper;
}

bool Slots::is_useful(int32_t prediction) const {
    for (int32_t other = 0; other < facts_.classes; ++other)
        if (other != prediction && dominates(other, prediction)) return false;
    return true;
}

void Slots::choose(const std::vector<int64_t>& class_rows) {
    present_.clear();
    predictions_.clear();
    for (int32_t k = 0; k < facts_.classes; ++k)
        if (class_rows[static_cast<size_t>(k)] > 0) present_.push_back(k);
    if (by_class_)  // others are useful only for classes that cost nothing
        predictions_ = present_;
    else
        for (int32_t c = 0; c < facts_.classes; ++c)
            if (is_useful(c)) predictions_.push_back(c);
    for (const int32_t k : present_) {
        int64_t worst = 0;
        for (const int32_t c : predictions_) worst = std::max(worst, cost(k, c));
        worst_[static_cast<size_t>(k)] = worst;
    }
    list_entries();
}

int64_t Slots::gain(int32_t label, int32_t slot) const {
    return worst(label) - cost(label, predictions_[static_cast<size_t>(slot)]);
}

void Slots::list_entries() {
    n_entries_ = 1;
    for (const int32_t k : present_) {
        int32_t n = 0;
        for (int32_t s = 0; s < size(); ++s) n += gain(k, s) > 0;
        n_entries_ = std::max(n_entries_, n);
    }
    entries_.assign(static_cast<size_t>(facts_.classes * n_entries_), 0);
    gains_.assign(entries_.size(), 0);
    for (const int32_t k : present_) {
        auto at = static_cast<size_t>(k * n_entries_);
        for (int32_t s = 0; s < size(); ++s) {
            if (gain(k, s) == 0) continue;
            entries_[at] = static_cast<uint16_t>(s);
            gains_[at++] = gain(k, s);
        }
    }
}

// ---- rows --------------------------------------------------------------------------------------

SortedNode::SortedNode(const RowFacts& facts, int64_t n_ids)
    : slots(facts),
      facts_(facts),
      number_(static_cast<size_t>(n_ids)),
      class_rows_(static_cast<size_t>(facts.classes)) {}

void SortedNode::load_rows(const SortedView& view) {
    n = view.rows;
    number_rows(view.order);
    slots.choose(class_rows_);
    sum_up();
}

void SortedNode::load_columns(const SortedView& view) {
    columns.clear();
    if (slots.size() == 2) fill_margins();
    const auto size = static_cast<size_t>(view.columns * n);
    if (orders_.size() < size) orders_.resize(size);
    if (flag_ends_.size() < static_cast<size_t>(n)) {
        flag_ends_.assign(static_cast<size_t>(n), 0);
        flag_ends_.back() = 1;
    }
    for (int32_t column = 0; column < view.columns; ++column) add_column(view, column);
}

void SortedNode::number_rows(const uint32_t* ids) {
    for (auto* values : {&weight, &count, &worst}) values->resize(static_cast<size_t>(n));
    label.resize(static_cast<size_t>(n));
    std::fill(class_rows_.begin(), class_rows_.end(), 0);
    for (int64_t i = 0; i < n; ++i) {
        const uint32_t id = ids[i];
        const auto at = static_cast<size_t>(i);
        number_[id] = static_cast<uint32_t>(i);
        label[at] = facts_.label[id];
        weight[at] = facts_.weight[id];
        count[at] = facts_.count[id];
        ++class_rows_[label[at]];
    }
}

void SortedNode::sum_up() {
    totals.assign(static_cast<size_t>(slots.size()), 0);
    total_worst = total_count = largest_gain = 0;
    is_even = true;
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
        worst[i] = weight[i] * slots.worst(label[i]);
        is_even &= worst[i] == worst[0] && count[i] == count[0];
        total_worst += worst[i];
        total_count += count[i];
        const uint16_t* entries = slots.entries(label[i]);
        const int64_t* gains = slots.gains(label[i]);
        for (int32_t e = 0; e < slots.n_entries(); ++e) {
            totals[entries[e]] += weight[i] * gains[e];
            largest_gain = std::max(largest_gain, weight[i] * gains[e]);
        }
    }
    ordered_totals_ = totals;
    std::sort(ordered_totals_.begin(), ordered_totals_.end(), std::greater<>());
}

void SortedNode::fill_margins() {
    margin.resize(static_cast<size_t>(n));
    std::vector<int64_t>& by_class = class_rows_;  // no longer needed
    for (size_t k = 0; k < by_class.size(); ++k)
        if (by_class[k] > 0)
            by_class[k] =
                slots.gain(static_cast<int32_t>(k), 0) - slots.gain(static_cast<int32_t>(k), 1);
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) margin[i] = weight[i] * by_class[label[i]];
}

void SortedNode::add_column(const SortedView& view, int32_t column) {
    const uint8_t* ends = view.ends + column * view.stride;
    const int64_t n_ends = std::count(ends, ends + n, 1);
    if (n_ends == 0) return;
    if (n_ends == 1) return add_flag(view, column);
    uint32_t* rows = orders_.data() + column * n;
    number_order(view.order + column * view.stride, n, rows);
    columns.push_back({column, {rows, ends, n, n_ends}, 0, 0, 0, 0});
}

void SortedNode::add_flag(const SortedView& view, int32_t column) {
    const uint8_t* ends = view.ends + column * view.stride;
    const int64_t place = std::find(ends, ends + n, 1) - ends + 1;
    const int64_t smaller = std::min(place, n - place);
    uint32_t* rows = orders_.data() + column * n;
    number_order(view.order + column * view.stride + (smaller == place ? 0 : place), smaller, rows);
    rows[smaller] = 0;
    const uint8_t* own_ends = flag_ends_.data() + flag_ends_.size() - smaller;
    columns.push_back({column, {rows, own_ends, smaller + 1, 1}, place, 0, 0, 0});
}

void SortedNode::number_order(const uint32_t* ids, int64_t n_ids, uint32_t* rows) const {
    for (int64_t j = 0; j < n_ids; ++j) rows[j] = number_[ids[j]];
}

int64_t SortedNode::visits() const {
    int64_t sum = 0;
    for (const NodeColumn& column : columns) sum += column.order.n;
    return sum;
}

int64_t SortedNode::leaf_cost() const { return leaves_cost(1); }

int64_t SortedNode::leaves_cost(int64_t n_leaves) const {
    const auto n = std::min(n_leaves, static_cast<int64_t>(ordered_totals_.size()));
    int64_t cost = total_worst;
    for (int64_t i = 0; i < n; ++i) cost -= ordered_totals_[static_cast<size_t>(i)];
    return std::max<int64_t>(cost, 0);
}

}  // namespace silva::optimal
