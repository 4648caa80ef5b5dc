#include "core/grow/forest/forest_tree.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/grow/forest/extra_tree.hpp"
#include "core/grow/forest/fill_rows.hpp"
#include "core/grow/forest/frame.hpp"
#include "core/grow/forest/tree_growth.hpp"
#include "core/grow/marker.hpp"
#include "core/search/forest/class_finder.hpp"
#include "core/search/forest/column_draws.hpp"
#include "core/search/forest/sweep_finder.hpp"

namespace silva {

struct ForestWorkspace::Parts {
    std::tuple<FrameSpace<BinaryRows>, FrameSpace<MulticlassRows>, FrameSpace<SweepRows>> frames;
    std::tuple<ExtraSpace<BinaryRows>, ExtraSpace<MulticlassRows>, ExtraSpace<SweepRows>> levels;
    std::tuple<BinaryFinder::Scratch, MulticlassFinder::Scratch, SweepScratch> finders;
    ColumnDraws draws;
    TreeNotes notes;
};

ForestWorkspace::ForestWorkspace() : parts_(std::make_unique<Parts>()) {}
ForestWorkspace::~ForestWorkspace() = default;
ForestWorkspace::ForestWorkspace(ForestWorkspace&&) noexcept = default;

namespace {

template <class Sums>
struct OpenNode {
    int64_t begin, end, depth;
    uint64_t path;
    uint64_t alive;  // which of the first 64 columns are not known to be constant
    Sums sums = {};  // of its rows, as the finder has them
    Members members = {};

    int64_t size() const { return end - begin; }
};

template <class Finder>
class ForestTree : TreeGrowth<Finder> {
    using Base = TreeGrowth<Finder>;
    using Rows = typename Base::Rows;
    using OpenSlice = OpenNode<typename Finder::Sums>;
    using Base::bag_, Base::columns_, Base::settings_, Base::space_, Base::finder_, Base::stop_,
        Base::writer_;

  public:
    using Base::Base;

    // The rows of the whole frame are in place.
    TreeArrays grow(bool shape) {
        const int64_t n = space_.whole.ids.size();
        finder_.open(space_.whole.rows, 0, n);
        const OpenSlice root{0, n, 0, 1, this->not_constant(), finder_.sums()};
        grow_below(space_.whole, root);
        return writer_.take(shape);
    }

  private:
    void grow_below(Frame<Rows>& frame, const OpenSlice& root) {
        std::vector<OpenSlice> open{root};
        while (!open.empty()) {
            stop_.check();
            OpenSlice node = open.back();
            open.pop_back();
            const int64_t n = node.end - node.begin;
            finder_.open(frame.rows, node.begin, node.end, node.sums);
            if (this->must_be_leaf(n, node.depth) || finder_.pure()) {
                write_leaf(frame, node);
                continue;
            }
            if (!frame.has_columns && n <= space_.local_rows(columns_)) {
                space_.make_local(frame, node.begin, node.end, columns_);
                OpenSlice local = node;
                local.begin = 0;
                local.end = n;
                grow_below(space_.local, local);
                continue;
            }
            search(frame, node);
            if (!finder_.best().exists() || !this->gains_enough())
                write_leaf(frame, node);
            else
                split(frame, node, open);
        }
    }

    static Slice slice(const OpenSlice& node) { return {node.begin, node.end, node.members}; }

    // ---- search --------------------------------------------------------------------------------

    void search(Frame<Rows>& frame, OpenSlice& node) {
        this->search_drawn(
            mix(mix(node.path, settings_.seed), Base::kColumnDraws), node.alive,
            [&](std::span<const int32_t> drawn) { search_these(frame, node, drawn); });
    }

    // Columns in ascending order.
    void search_these(Frame<Rows>& frame, OpenSlice& node, std::span<const int32_t> drawn) {
        int block = -1;
        uint64_t wanted = 0;
        for (const int32_t c : drawn) {
            const SharedColumn& column = columns_.columns[c];
            if (column.constant || this->is_dead(node.alive, c)) continue;
            if (column.block >= 0) {
                if (column.block != block) search_bits(frame, node, block, wanted);
                if (column.block != block) wanted = 0;
                block = column.block;
                wanted |= uint64_t{1} << column.bit;
                continue;
            }
            if (finder_.perfect() && c > finder_.best().column) continue;
            if (!search_column(frame, node, c)) this->mark_dead(node.alive, c);
        }
        search_bits(frame, node, block, wanted);
        for (size_t i = 0; i < finder_.n_pending(); ++i) {
            const int32_t c = finder_.pending(i);
            if (c < 0) continue;
            space_.with_ranks(frame, columns_, c, slice(node),
                              [&](const auto* ranks) { return finder_.refine(i, ranks); });
        }
        finder_.end_pending();
    }
    bool search_column(Frame<Rows>& frame, const OpenSlice& node, int32_t c) {
        return space_.with_ranks(frame, columns_, c, slice(node),
                                 [&](const auto* ranks) { return finder_.ranks(c, ranks); });
    }

    void search_bits(Frame<Rows>& frame, OpenSlice& node, int block, uint64_t wanted) {
        if (wanted == 0) return;
        const std::vector<int32_t>& columns = columns_.column_of_bit[block];
        uint64_t inverted = 0;
        for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
            const int bit = std::countr_zero(rest);
            inverted |= static_cast<uint64_t>(columns_.columns[columns[bit]].inverted) << bit;
        }
        const uint64_t* words = space_.words(frame, columns_, block, slice(node));
        uint64_t constant = finder_.bits(words, wanted, columns, inverted);
        for (; constant != 0; constant &= constant - 1)
            this->mark_dead(node.alive, columns[std::countr_zero(constant)]);
    }

    // ---- split ---------------------------------------------------------------------------------

    void split(Frame<Rows>& frame, const OpenSlice& node, std::vector<OpenSlice>& open) {
        const Cut cut = finder_.best();
        const int64_t n = node.end - node.begin;
        const double threshold = mark(frame, node, cut);
        const uint64_t* bits = space_.bits();
        const int64_t left_rows = count_marked(bits, n);
        this->write_split(threshold);
        open.resize(open.size() + 2);
        OpenSlice &left = open.end()[-1], &right = open.end()[-2];
        const int64_t middle = node.begin + left_rows;
        start_child(left, node, 1, node.begin, middle);
        start_child(right, node, 2, middle, node.end);
        finder_.children(left.sums, right.sums);
        move(frame, node, left, right);
    }
    static void start_child(OpenSlice& child, const OpenSlice& node, uint64_t side, int64_t begin,
                            int64_t end) {
        child.begin = begin;
        child.end = end;
        child.depth = node.depth + 1;
        child.path = mix(node.path, side);
        child.alive = node.alive;
    }

    // Moves what the children need: leaves whose sums are known need nothing.
    void move(Frame<Rows>& frame, const OpenSlice& node, OpenSlice& left, OpenSlice& right) {
        const int64_t n = node.size();
        const uint64_t* bits = space_.bits();
        // Rows that other columns are still gathered for stay in the order of the table.
        const RowParts parts(n, bits, space_.spare(), !frame.has_columns);
        if (!Finder::kKnowsChildren) frame.split_rows(node.begin, parts);
        const bool left_stays = this->stays_leaf(frame, left),
                   right_stays = this->stays_leaf(frame, right);
        if (left_stays && right_stays) return;
        if (Finder::kKnowsChildren) frame.split_rows(node.begin, parts);
        if (frame.has_columns && n <= Members::kMost)
            std::tie(left.members, right.members) = node.members.split(slice(node), bits[0]);
        else
            frame.split_columns(node.begin, parts, node.alive, !right_stays);
    }

    // Marks the rows that go left; the threshold.
    double mark(Frame<Rows>& frame, const OpenSlice& node, const Cut& cut) {
        const SharedColumn& column = columns_.columns[cut.column];
        const int64_t n = node.end - node.begin;
        uint64_t* bits = space_.bits();
        if (column.block >= 0) {
            const uint64_t* words = space_.words(frame, columns_, column.block, slice(node));
            mark_bit(words, n, column.bit, column.inverted, bits);
            return threshold_between(column.levels[0], column.levels[1]);
        }
        double threshold = 0.0;
        space_.with_ranks(frame, columns_, cut.column, slice(node), [&](const auto* ranks) {
            using T = std::remove_cvref_t<decltype(*ranks)>;
            mark_below(ranks, n, static_cast<T>(cut.rank), bits);
            threshold = threshold_of(frame, node, cut, ranks);
            return true;
        });
        return threshold;
    }

    template <class Rank>
    double threshold_of(const Frame<Rows>& frame, const OpenSlice& node, const Cut& cut,
                        const Rank* ranks) const {
        const int64_t n = node.end - node.begin;
        const auto [below, above] = around(ranks, n, static_cast<Rank>(cut.rank));
        const SharedColumn& column = columns_.columns[cut.column];
        const auto value_of = [&](Rank rank) {
            const int64_t at = std::find(ranks, ranks + n, rank) - ranks;
            const int64_t row = bag_.shared.row_of(frame.ids[node.begin + at]);
            return bag_.table.columns[cut.column].value(row);
        };
        if (column.has_levels())
            return threshold_between(column.levels[below], column.levels[above]);
        return threshold_between(value_of(below), value_of(above));
    }

    void write_leaf(const Frame<Rows>& frame, const OpenSlice& node) {
        Base::write_leaf(frame.rows, frame.ids, [&](auto&& f) {
            for (int64_t i = node.begin; i < node.end; ++i) f(i);
        });
    }
};

template <class Finder>
TreeArrays grow_by(BagRows& bag, const SharedColumns& columns, const Settings& settings,
                   Finder finder, ForestWorkspace::Parts& parts, bool shape, const StopFlag& stop) {
    using Rows = typename Finder::Rows;
    FrameSpace<Rows>& space = std::get<FrameSpace<Rows>>(parts.frames);
    parts.draws = ColumnDraws(static_cast<int64_t>(columns.columns.size()));
    fill_rows(bag, space.whole.rows);
    bag.weights = {};
    space.start(std::move(bag.ids), columns);
    if (settings.random_splitter)
        return ExtraTree<Finder>(std::get<ExtraSpace<Rows>>(parts.levels), bag, columns, settings,
                                 space, finder, parts.draws, parts.notes, stop)
            .grow(shape);
    return ForestTree<Finder>(bag, columns, settings, space, finder, parts.draws, parts.notes, stop)
        .grow(shape);
}

}  // namespace

bool suits_forest_tree(const Table& table, const Settings& settings, int64_t n_classes) {
    const auto n_columns = static_cast<int64_t>(table.columns.size());
    const bool few_columns = settings.random_splitter || 3 * settings.max_columns <= 2 * n_columns;
    return few_columns && n_classes <= 256 && settings.max_leaves == 0 && !settings.oblique &&
           !settings.distance && !settings.gain_ratio && !settings.breakpoints;
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
