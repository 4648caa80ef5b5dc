// What the sweeps over class weights share.
#pragma once

#include "core/search/sweeps/rows.hpp"

namespace silva {

// The counts of the left child. A sweep is a small value that can live in registers; the arrays
// that it points to belong to `SweepBuffers`. `Sweep` is the sweep itself, whose `move` takes
// weight of one class from right to left.
template <class Sweep>
class ClassGroups {
  public:
    static constexpr GroupLayout kLayout = GroupLayout::entries;

    ClassGroups(const NodeStats& node, SweepBuffers& buffers)
        : total_(node.weight), node_(node.classes.data()) {
        buffers.left_counts.assign(node.classes.size(), 0);
        buffers.present.clear();
        for (size_t k = 0; k < node.classes.size(); ++k)
            if (node.classes[k] > 0) buffers.present.push_back(static_cast<int32_t>(k));
        left_counts_ = buffers.left_counts.data();
        present_ = {buffers.present.data(), buffers.present.size()};
    }

    void add_group(const int64_t* group) {
        for (int32_t k : present_)
            if (group[k] > 0) static_cast<Sweep*>(this)->move(k, group[k]);
    }
    void add_class(int32_t k, int64_t weight) { static_cast<Sweep*>(this)->move(k, weight); }
    int64_t left() const { return left_; }

  protected:
    void clear_counts() {
        left_ = 0;
        for (int32_t k : present_) left_counts_[k] = 0;
    }
    ClassCounts counts() const { return {left_counts_, node_, present_}; }

    int64_t total_;
    const int64_t* node_;
    int64_t* left_counts_;
    std::span<const int32_t> present_;
    int64_t left_ = 0;
};

// Adds rows to groups that move.
template <class GroupSweep, class Label>
class ClassSweep : public GroupSweep {
  public:
    using Rows = ClassRows<Label>;
    using Groups = GroupSweep;
    using Counter = ClassCounter<Label, GroupLayout::entries>;

    ClassSweep(const Rows& rows, const NodeStats& node, SweepBuffers& buffers)
        : GroupSweep(node, buffers), rows_(rows) {}

    void add(int64_t id) { this->move(rows_.label[id], rows_.weight_of(id)); }
    Counter counter() const { return {rows_}; }
    // Takes a row out of the counts only; what else the sweep knows is put back by its owner.
    void forget(int64_t id) { this->left_counts_[rows_.label[id]] -= rows_.weight_of(id); }

  protected:
    Rows rows_;
};

}  // namespace silva
