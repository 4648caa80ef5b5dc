#include "core/predict/engine_walk.hpp"

#include "core/simd/kernels.hpp"

namespace silva {
namespace {

// Steps between two looks for walks that are over. More are wasted on those that are, fewer cost
// more looks.
constexpr int32_t kMaxSteps = 6;

// Shallow trees are through after a round or two.
int steps_for(int32_t depth) {
    const int32_t rounds = (depth + kMaxSteps - 1) / kMaxSteps;
    return (depth + rounds - 1) / rounds;
}

// Gathers of AMD's processors load lane by lane, slower than one by one.
bool has_fast_gathers() {
#if defined(__x86_64__)
    static const bool fast = __builtin_cpu_is("intel") != 0;
    return fast;
#else
    return false;
#endif
}

constexpr int64_t kMinGathered = 8;  // walks

const simd::WalkKernels& kernels_for(int64_t n, Gathers gathers) {
    const simd::Kernels& all = simd::kernels();
    const bool wanted = gathers == Gathers::yes ||
                        (gathers == Gathers::where_fast && n >= kMinGathered && has_fast_gathers());
    return wanted && all.gathering_walk.rows != nullptr ? all.gathering_walk : all.walk;
}

}  // namespace

simd::Walk walk_of(const EngineTrees& trees, const KeyRows& rows) {
    const NodeFormat& format = trees.format();
    return {trees.nodes(),
            trees.sets(),
            rows.keys.data(),
            rows.width,
            format.column_shift(),
            format.child_mask(),
            format.missing_second(),
            format.missing_asks(),
            kMaxSteps,
            rows.facts.missing,
            rows.facts.rounded,
            trees.has_ways(),
            trees.has_sets()};
}

void walk_rows(simd::Walk walk, const EngineTree& tree, int64_t n, int32_t* leaves,
               Gathers gathers) {
    if (n == 0) return;
    walk.steps = steps_for(tree.depth);
    kernels_for(n, gathers).rows(walk, tree.first_node, n, leaves);
}

void walk_trees(const simd::Walk& walk, const int32_t* first_nodes, int64_t n, int64_t row,
                int32_t* leaves, Gathers gathers) {
    if (n == 0) return;
    kernels_for(n, gathers).trees(walk, first_nodes, n, row, leaves);
}

}  // namespace silva
