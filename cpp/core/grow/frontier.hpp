// The open nodes of a growing tree. A growth policy is nothing but their order.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/search/search.hpp"

namespace silva {

enum class Policy : uint8_t { depth_first, best_first };

class Frontier {
  public:
    explicit Frontier(Policy policy) : policy_(policy) {}

    bool empty() const { return nodes_.empty(); }
    void push(OpenNode node) {
        nodes_.push_back(std::move(node));
        if (policy_ == Policy::best_first) std::push_heap(nodes_.begin(), nodes_.end(), later);
    }
    OpenNode pop() {
        if (policy_ == Policy::best_first) std::pop_heap(nodes_.begin(), nodes_.end(), later);
        OpenNode node = std::move(nodes_.back());
        nodes_.pop_back();
        return node;
    }

  private:
    static double priority(const OpenNode& node) {
        return node.best.gain * static_cast<double>(node.stats.weight);
    }
    // Equal priorities: the node that was created first comes first.
    static bool later(const OpenNode& a, const OpenNode& b) {
        if (priority(a) != priority(b)) return priority(a) < priority(b);
        return a.record > b.record;
    }

    Policy policy_;
    std::vector<OpenNode> nodes_;
};

}  // namespace silva
