// The growth loop. Every tree grows by it: single, boosted, of a forest, with drawn thresholds.
//
// The loop knows nodes and rules; a layout holds their rows. What a layout offers:
//   Node                an OpenNode and what the layout keeps with it
//   open(node)          makes the targets of the node's rows known; always called first
//   is_pure(node)       whether all of them are equal
//   hand_over(node)     whether another layout grows the subtree at this node; it is grown then
//   search(node)        whether there is a split; then gain(node), weight(node), n_children(node)
//   split(node, add)    carries the split out; calls add with each child, the first one last, so
//                       that depth-first growth takes the first child next
//   close(node)         writes a leaf
// Depth-first growth opens, searches and splits a node in one go when it is popped, in pre-order:
// a layout needs to keep only one split, that of the current node (forests do). Best-first growth
// opens and searches nodes when they are added, because their order depends on the split: it needs
// a layout whose nodes keep their own split (StoreLayout, BestFirstLayout).
#pragma once

#include <cstdint>
#include <utility>

#include "core/grow/frontier.hpp"
#include "core/grow/rules.hpp"

namespace silva {

// Whether the node has a split to carry out. If not, it has become a leaf or was handed over.
template <class Layout>
bool open_node(Layout& layout, typename Layout::Node& node, const GrowthRules& rules) {
    layout.open(node);
    if (!rules.must_be_leaf(node) && !layout.is_pure(node)) {
        node.hash_path();
        if (layout.hand_over(node)) return false;
        if (layout.search(node) && rules.gains_enough(layout.gain(node), layout.weight(node)))
            return true;
    }
    layout.close(node);
    return false;
}

// Grows the tree at and below `root`.
template <class Layout>
void grow_nodes(Layout& layout, typename Layout::Node root, const GrowthRules& rules) {
    using Node = typename Layout::Node;
    const bool best_first = Frontier<Node>::kHasPriorities && rules.best_first();
    Frontier<Node> frontier(best_first ? Policy::best_first : Policy::depth_first);
    int64_t leaves = 1;  // open nodes count as one each; only best-first growth has a limit
    const auto add = [&](Node&& node) {
        if (!best_first || open_node(layout, node, rules)) frontier.push(std::move(node));
    };
    add(std::move(root));
    while (!frontier.empty()) {
        rules.stop.check();
        Node node = frontier.pop();
        if (!best_first && !open_node(layout, node, rules)) continue;
        const int64_t more = layout.n_children(node) - 1;
        if (!rules.allows_leaves(leaves + more)) {
            layout.close(node);
            continue;
        }
        leaves += more;
        layout.split(node, add);
    }
}

}  // namespace silva
