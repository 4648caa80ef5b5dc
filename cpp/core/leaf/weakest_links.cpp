#include "core/leaf/weakest_links.hpp"

#include <algorithm>
#include <utility>

namespace silva {
namespace {

using Heap = std::vector<PathCut>;

// The order of a heap with the strongest cut on top; of equal strengths the lower node.
bool is_below(const PathCut& a, const PathCut& b) {
    return a.alpha != b.alpha ? a.alpha < b.alpha : a.node > b.node;
}

bool is_weaker(const PathCut& a, const PathCut& b) {
    return a.alpha != b.alpha ? a.alpha < b.alpha : a.node < b.node;
}

void push(Heap& heap, const PathCut& cut) {
    heap.push_back(cut);
    std::push_heap(heap.begin(), heap.end(), is_below);
}

PathCut pop(Heap& heap) {
    std::pop_heap(heap.begin(), heap.end(), is_below);
    const PathCut top = heap.back();
    heap.pop_back();
    return top;
}

// Moves all cuts into the larger heap.
void merge(Heap& heap, Heap&& other) {
    if (heap.size() < other.size()) std::swap(heap, other);
    for (const PathCut& cut : other) push(heap, cut);
    Heap().swap(other);
}

// The node's own cut, which takes over those that are not weaker.
PathCut absorb(Heap& heap, int64_t node, double rise, int64_t leaves) {
    while (!heap.empty() && heap.front().alpha >= rise / static_cast<double>(leaves)) {
        const PathCut below = pop(heap);
        rise += below.rise;
        leaves += below.leaves;
    }
    return {rise / static_cast<double>(leaves), node, rise, leaves};
}

}  // namespace

std::vector<PathCut> weakest_links(const SavingTree& tree) {
    const auto n = static_cast<int64_t>(tree.saving.size());
    std::vector<Heap> pending(n);
    for (int64_t node = n - 1; node >= 0; --node) {
        const int64_t begin = tree.child_start[node], end = tree.child_start[node + 1];
        if (begin == end) continue;
        Heap& heap = pending[node];
        for (int64_t i = begin; i < end; ++i) merge(heap, std::move(pending[tree.child[i]]));
        push(heap, absorb(heap, node, tree.saving[node], end - begin - 1));
    }
    Heap cuts = n ? std::move(pending[0]) : Heap();
    std::sort(cuts.begin(), cuts.end(), is_weaker);
    return cuts;
}

}  // namespace silva
