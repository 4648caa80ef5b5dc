// Best-first growth of trees of forests: a layout of slices, whose nodes keep the split that was
// found for them until it is their turn.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/grow/forest/forest_growth.hpp"
#include "core/grow/loop.hpp"

namespace silva {

template <class Layout>
class BestFirstLayout {
  public:
    struct Node : Layout::Node {
        int64_t record = 0;
        int64_t weight = 0;
        int64_t n_children = 2;
        double gain = -1.0;
        typename Layout::Found found = {};

        double priority() const { return gain * static_cast<double>(weight); }
    };

    explicit BestFirstLayout(Layout& layout) : layout_(layout) {}

    // Grows the tree of all rows of the layout.
    void grow() {
        layout_.write_splits_to(&found_);
        Node root{layout_.root()};
        records_.resize(1);
        grow_nodes(*this, std::move(root), layout_.rules());
        layout_.end();
        layout_.write_splits_to(nullptr);
        write();
    }

    void open(const Node& node) { layout_.open(node); }
    bool is_pure(const Node& node) const { return layout_.is_pure(node); }
    bool hand_over(const Node&) { return false; }
    bool search(Node& node) {
        if (!layout_.search(node)) return false;
        node.gain = layout_.gain(node);
        node.weight = layout_.weight(node);
        node.n_children = layout_.n_children(node);
        node.found = layout_.found();
        return true;
    }
    double gain(const Node& node) const { return node.gain; }
    int64_t weight(const Node& node) const { return node.weight; }
    int64_t n_children(const Node& node) const { return node.n_children; }
    void close(const Node& node) { records_[static_cast<size_t>(node.record)].node = node; }
    template <class Add>
    void split(Node& node, Add&& add) {
        layout_.open(node);
        layout_.restore(node, node.found);
        Record& record = records_[static_cast<size_t>(node.record)];
        record.split = std::ssize(found_);
        record.first = std::ssize(records_);
        int64_t next = record.first + node.n_children - 1;  // the last child is added first
        records_.resize(records_.size() + static_cast<size_t>(node.n_children));
        layout_.split(node, [&](typename Layout::Node&& child) {
            Node one{std::move(child)};
            one.record = next--;
            add(std::move(one));
        });
    }

  private:
    // A split and the record of its first child, before those of the others, or a leaf.
    struct Record {
        int64_t split = -1, first = -1;
        typename Layout::Node node = {};
    };

    // In pre-order.
    void write() {
        std::vector<int64_t> waiting{0};
        while (!waiting.empty()) {
            layout_.rules().stop.check();
            const Record& record = records_[static_cast<size_t>(waiting.back())];
            waiting.pop_back();
            if (record.split < 0) {
                layout_.open(record.node);
                layout_.close(record.node);
                continue;
            }
            const FoundSplit& split = found_[static_cast<size_t>(record.split)];
            layout_.write(split);
            for (int64_t c = split.n_children; c-- > 0;) waiting.push_back(record.first + c);
        }
    }

    Layout& layout_;
    std::vector<FoundSplit> found_;  // in the order in which nodes were split
    std::vector<Record> records_;
};

}  // namespace silva
