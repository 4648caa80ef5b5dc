#include "core/grow/forest/forest_tree.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/grow/forest/best_first_layout.hpp"
#include "core/grow/forest/category_splits.hpp"
#include "core/grow/forest/extra_layout.hpp"
#include "core/grow/forest/fill_rows.hpp"
#include "core/grow/forest/frame_layout.hpp"
#include "core/search/column_draws.hpp"
#include "core/search/forest/class_finder.hpp"
#include "core/search/forest/sweep_finder.hpp"

namespace silva {

struct ForestWorkspace::Parts {
    std::tuple<FrameSpace<BinaryRows>, FrameSpace<MulticlassRows>, FrameSpace<SweepRows>> frames;
    std::tuple<ExtraSpace<BinaryRows>, ExtraSpace<MulticlassRows>, ExtraSpace<SweepRows>> levels;
    std::tuple<BinaryFinder::Scratch, MulticlassFinder::Scratch, SweepScratch> finders;
    ColumnDraws draws;
    CategoryMemory categories;
    TreeNotes notes;
};

ForestWorkspace::ForestWorkspace() : parts_(std::make_unique<Parts>()) {}
ForestWorkspace::~ForestWorkspace() = default;
ForestWorkspace::ForestWorkspace(ForestWorkspace&&) noexcept = default;

namespace {

template <class Layout>
void grow_in_order(Layout&& layout, bool best_first) {
    if (best_first)
        BestFirstLayout(layout).grow();
    else
        layout.grow();
}

// Best-first growth jumps between nodes of all sizes, so that all rows move to the local frame at
// once, or none.
template <class Finder>
void grow_nodes_of(ForestGrowth<Finder>& tree, ExtraSpace<typename Finder::Rows>& levels) {
    const bool best_first = tree.rules.best_first();
    if (tree.rules.settings.random_splitter)
        return grow_in_order(SliceLayout<Finder>(tree, levels), best_first);
    FrameSpace<typename Finder::Rows>& space = tree.space;
    const int64_t n = space.whole.ids.size();
    const bool moves = best_first && n <= space.local_rows();
    if (moves) space.make_local(space.whole, 0, n, tree.columns);
    grow_in_order(FrameLayout<Finder>(tree, moves ? space.local : space.whole), best_first);
}

template <class Finder>
TreeArrays grow_by(BagRows& bag, const SharedColumns& columns, const Settings& settings,
                   Finder finder, ForestWorkspace::Parts& parts, bool shape, const StopFlag& stop) {
    using Rows = typename Finder::Rows;
    FrameSpace<Rows>& space = std::get<FrameSpace<Rows>>(parts.frames);
    if (parts.draws.n_columns() != std::ssize(columns.columns))
        parts.draws = ColumnDraws(std::ssize(columns.columns));
    fill_rows(bag, space.whole.rows);
    bag.weights = {};
    const bool weighted = bag.total_weight != bag.ids.size();
    space.start(std::move(bag.ids), columns, settings.max_columns);
    const GrowthRules rules{settings, static_cast<double>(bag.total_weight),
                            bag.target == nullptr ? 1.0 : bag.target->target_unit, stop};
    std::optional<CategorySplits> categories;
    if (columns.have_categories() || columns.have_own_branches())
        categories.emplace(columns, space.whole.ids, bag.table, bag.shared, rules, weighted,
                           parts.categories);
    ForestGrowth<Finder> tree{bag,
                              columns,
                              rules,
                              space,
                              finder,
                              parts.draws,
                              categories ? &*categories : nullptr,
                              TreeWriter(parts.notes)};
    grow_nodes_of(tree, std::get<ExtraSpace<Rows>>(parts.levels));
    return tree.writer.take(shape);
}

}  // namespace

// Nodes that search most columns move sorted lists rather than sort rows by rank; class finders
// count rows by rank and sort nothing.
bool suits_forest_tree(const Table& table, const Settings& settings, int64_t n_classes,
                       bool weighted) {
    const auto n_columns = static_cast<int64_t>(table.columns.size());
    const bool few_columns = settings.random_splitter || 3 * settings.max_columns <= 2 * n_columns;
    const bool counts_classes = settings.criterion == Criterion::gini && n_classes > 0 &&
                                n_classes <= Multiclass::kMostClasses && !weighted;
    return (few_columns || counts_classes) && n_classes <= 256 && !settings.oblique &&
           !settings.distance && !settings.breakpoints;
}

TreeArrays grow_forest_tree(BagRows bag, const SharedColumns& columns, const Settings& settings,
                            ForestWorkspace& workspace, bool shape, const StopFlag& stop) {
    ForestWorkspace::Parts& parts = workspace.parts();
    const CutLimits limits{settings.min_rows_leaf, settings.min_weight_fraction_leaf *
                                                       static_cast<double>(bag.total_weight)};
    const int64_t n_classes = bag.shared.n_classes;
    if (settings.criterion == Criterion::gini && bag.total_weight < int64_t{1} << 31) {
        const int64_t heaviest = bag.heaviest();
        if (n_classes == 2 && heaviest <= BinaryRows::kMostWeight)
            return grow_by(bag, columns, settings,
                           BinaryFinder(limits, {}, std::get<BinaryFinder::Scratch>(parts.finders)),
                           parts, shape, stop);
        if (n_classes <= Multiclass::kMostClasses && heaviest <= MulticlassRows::kMostWeight)
            return grow_by(bag, columns, settings,
                           MulticlassFinder(limits, {n_classes, heaviest},
                                            std::get<MulticlassFinder::Scratch>(parts.finders)),
                           parts, shape, stop);
    }
    return grow_by(
        bag, columns, settings,
        SweepFinder(settings.criterion, limits, n_classes, std::get<SweepScratch>(parts.finders)),
        parts, shape, stop);
}

}  // namespace silva
