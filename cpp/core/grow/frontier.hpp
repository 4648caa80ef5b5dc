// The open nodes of a growing tree: a stack (depth-first) or a heap (best-first).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace silva {

enum class Policy : uint8_t { depth_first, best_first };

// Best-first growth needs nodes with a priority() and a `record`, their number in the order of
// creation. Nodes without them can only grow depth-first.
template <class Node>
class Frontier {
  public:
    static constexpr bool kHasPriorities = requires(const Node& node) { node.priority(); };

    explicit Frontier(Policy policy) : policy_(policy) { nodes_.reserve(32); }

    bool empty() const { return nodes_.empty(); }
    void push(Node&& node) {
        nodes_.push_back(std::move(node));
        if (policy_ == Policy::best_first) std::push_heap(nodes_.begin(), nodes_.end(), later);
    }
    Node pop() {
        if (policy_ == Policy::best_first) std::pop_heap(nodes_.begin(), nodes_.end(), later);
        Node node = std::move(nodes_.back());
        nodes_.pop_back();
        return node;
    }

  private:
    // Ties: the node that was created first comes first (of two siblings, the left one).
    static bool later(const Node& a, const Node& b) {
        if constexpr (kHasPriorities) {
            if (a.priority() != b.priority()) return a.priority() < b.priority();
            return a.record > b.record;
        } else {
            return false;
        }
    }

    Policy policy_;
    std::vector<Node> nodes_;
};

}  // namespace silva
