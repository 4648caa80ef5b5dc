// What the sweeps over class weights share.
#pragma once

#include <bit>

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

// Blocks are filtered for two classes of unit weight. The sweep says whether a position with so
// many rows of each class on its left may be promising (`reaches`), and whether any is on the way
// from one position to another (`reaches_within`); `stand_at` puts it there.
template <class GroupSweep, class Label>
class TwoClassBlocks : public ClassSweep<GroupSweep, Label> {
  public:
    using ClassSweep<GroupSweep, Label>::ClassSweep;

    bool filters() const {
        return this->rows_.weight == nullptr && this->rows_.ones != nullptr &&
               this->present_.size() == 2;
    }
    struct Block {
        int64_t first[2];  // rows of each class on the left before the block
        uint64_t ones;     // the labels of the entries
    };
    template <class Id>
    uint64_t look_ahead(const Id* entries, int n, Block& block) const {
        const int64_t zeros = this->left_counts_[0], ones = this->left_counts_[1];
        block.first[0] = zeros;
        block.first[1] = ones;
        block.ones = simd::kernels().positions.of<Id>().bits(this->rows_.ones, entries, n);
        const int more_ones = std::popcount(block.ones);
        if (!this->reaches_within(zeros, ones, n - more_ones, more_ones)) return 0;
        uint64_t mask = 0;
        for (int j = 0; j < n; ++j) {
            const int64_t before = std::popcount(block.ones & ((uint64_t{1} << j) - 1));
            mask |= uint64_t{this->reaches(zeros + j - before, ones + before)} << j;
        }
        return mask;
    }
    void place(const Block& block, int j) {
        const uint64_t before = j == kBlock ? ~uint64_t{0} : (uint64_t{1} << j) - 1;
        const int64_t more_ones = std::popcount(block.ones & before);
        this->left_counts_[0] = block.first[0] + j - more_ones;
        this->left_counts_[1] = block.first[1] + more_ones;
        this->left_ = block.first[0] + block.first[1] + j;
        this->stand_at(this->left_counts_[0], this->left_counts_[1]);
    }
};

}  // namespace silva
