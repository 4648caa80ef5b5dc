#include "core/forest/forest_tree.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/forest/column_draws.hpp"
#include "core/forest/count_finder.hpp"
#include "core/forest/fill_rows.hpp"
#include "core/forest/frame.hpp"
#include "core/forest/pair_finder.hpp"
#include "core/forest/sweep_finder.hpp"
#include "core/leaf_statistics.hpp"
#include "core/marker.hpp"
#include "core/random.hpp"

namespace silva {

struct ForestWorkspace::Parts {
    std::tuple<FrameSpace<PairRows>, FrameSpace<CountRows>, FrameSpace<SweepRows>> frames;
    std::tuple<PairScratch, CountScratch, SweepScratch> finders;
    ColumnDraws draws;
    TreeSize last;  // of the tree before
};

ForestWorkspace::ForestWorkspace() : parts_(std::make_unique<Parts>()) {}
ForestWorkspace::~ForestWorkspace() = default;
ForestWorkspace::ForestWorkspace(ForestWorkspace&&) noexcept = default;

namespace {

struct OpenSlice {
    int64_t begin, end, depth;
    uint64_t path;
    int64_t slot;    // see TreeWriter
    uint64_t alive;  // which of the first 64 columns are not known to be constant
    Members members;

    int64_t size() const { return end - begin; }
};

template <class Finder>
class ForestTree {
    using Rows = typename Finder::Rows;

  public:
    ForestTree(const BagRows& bag, const SharedColumns& columns, const Settings& settings,
               FrameSpace<Rows>& space, Finder& finder, ForestWorkspace::Parts& parts,
               const StopFlag& stop)
        : bag_(bag),
          columns_(columns),
          settings_(settings),
          space_(space),
          finder_(finder),
          draws_(parts.draws),
          stop_(stop),
          writer_(parts.last) {}

    // The rows of the whole frame are in place.
    TreeArrays grow() {
        const OpenSlice root{0, space_.whole.ids.size(), 0, 1, -1, not_constant(), {}};
        grow_below(space_.whole, root);
        return writer_.take();
    }

  private:
    uint64_t not_constant() const {
        uint64_t alive = 0;
        for (size_t c = 0; c < std::min<size_t>(columns_.columns.size(), 64); ++c)
            alive |= static_cast<uint64_t>(!columns_.columns[c].constant) << c;
        return alive;
    }

    void grow_below(Frame<Rows>& frame, const OpenSlice& root) {
        std::vector<OpenSlice> open{root};
        while (!open.empty()) {
            stop_.check();
            OpenSlice node = open.back();
            open.pop_back();
            const int64_t n = node.end - node.begin;
            finder_.open(frame.rows, node.begin, node.end);
            if (must_be_leaf(n, node.depth) || finder_.pure()) {
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
            if (!finder_.best().exists() || !gains_enough())
                write_leaf(frame, node);
            else
                split(frame, node, open);
        }
    }

    bool must_be_leaf(int64_t rows, int64_t depth) const {
        return depth >= settings_.max_depth || rows < settings_.min_rows_split ||
               rows < 2 * settings_.min_rows_leaf;
    }
    double target_unit() const { return bag_.target == nullptr ? 1.0 : bag_.target->target_unit; }
    double gain() const {
        return in_target_units(finder_.best().gain, settings_.criterion, target_unit());
    }
    bool gains_enough() const {
        const double share =
            static_cast<double>(finder_.weight()) / static_cast<double>(bag_.total_weight);
        return gain() >= settings_.min_gain && share * gain() >= settings_.min_impurity_decrease;
    }

    static Slice slice(const OpenSlice& node) { return {node.begin, node.end, node.members}; }

    // ---- search --------------------------------------------------------------------------------

    void search(Frame<Rows>& frame, OpenSlice& node) {
        const int64_t limit = std::max<int64_t>(settings_.max_columns, 1);
        if (limit >= static_cast<int64_t>(draws_.all().size())) {
            search_these(frame, node, draws_.all());
            return;
        }
        const uint64_t seed = mix(mix(node.path, settings_.seed), 0x636F6C756D6E73u);
        search_these(frame, node, draws_.first(seed, limit, node.alive));
        while (!finder_.best().exists()) {
            const int32_t column = draws_.next(node.alive);
            if (column < 0) return;
            search_these(frame, node, {&column, 1});
        }
    }

    // Columns in ascending order.
    void search_these(Frame<Rows>& frame, OpenSlice& node, std::span<const int32_t> drawn) {
        int block = -1;
        uint64_t wanted = 0;
        for (const int32_t c : drawn) {
            const SharedColumn& column = columns_.columns[c];
            if (column.constant || is_dead(node, c)) continue;
            if (column.block >= 0) {
                if (column.block != block) search_bits(frame, node, block, wanted);
                if (column.block != block) wanted = 0;
                block = column.block;
                wanted |= uint64_t{1} << column.bit;
                continue;
            }
            if (finder_.perfect() && c > finder_.best().column) continue;
            if (!search_column(frame, node, c)) mark_dead(node, c);
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
    static bool is_dead(const OpenSlice& node, int32_t c) {
        return c < 64 && (node.alive >> c & 1) == 0;
    }
    static void mark_dead(OpenSlice& node, int32_t c) {
        if (c < 64) node.alive &= ~(uint64_t{1} << c);
    }

    bool search_column(Frame<Rows>& frame, const OpenSlice& node, int32_t c) {
        if (settings_.random_splitter) {
            const uint64_t hash = mix(mix(node.path, settings_.seed), static_cast<uint64_t>(c));
            return space_.with_values(frame, columns_, c, slice(node),
                                      [&](const auto* x) { return finder_.values(c, x, hash); });
        }
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
            mark_dead(node, columns[std::countr_zero(constant)]);
    }

    // ---- split ---------------------------------------------------------------------------------

    void split(Frame<Rows>& frame, const OpenSlice& node, std::vector<OpenSlice>& open) {
        const Cut cut = finder_.best();
        const int64_t n = node.end - node.begin;
        SplitRecord rule;
        rule.column = cut.column;
        rule.threshold = mark(frame, node, cut);
        const uint64_t* bits = space_.bits();
        const int64_t left_rows = count_marked(bits, n);
        settle(cut, rule);
        const int64_t slot = writer_.split(node.slot, rule, gain());
        frame.split_rows(node.begin, n, bits, space_.spare());
        const int64_t middle = node.begin + left_rows;
        OpenSlice left{node.begin, middle, node.depth + 1, mix(node.path, 1), slot, node.alive, {}};
        OpenSlice right{middle,     node.end, node.depth + 1, mix(node.path, 2), slot + 1,
                        node.alive, {}};
        if (frame.has_columns && n <= Members::kMost) {
            std::tie(left.members, right.members) = node.members.split(slice(node), bits[0]);
        } else {
            const bool left_stays = stays_leaf(frame, left), right_stays = stays_leaf(frame, right);
            if (!left_stays || !right_stays)
                frame.split_columns(node.begin, n, bits, space_.spare(), node.alive, !right_stays);
        }
        open.push_back(right);
        open.push_back(left);
    }

    bool stays_leaf(const Frame<Rows>& frame, const OpenSlice& node) const {
        return must_be_leaf(node.size(), node.depth) || frame.rows.pure(node.begin, node.end);
    }

    void settle(const Cut& cut, SplitRecord& rule) const {
        const int64_t weights[] = {cut.left, finder_.weight() - cut.left};
        const bool continuous = bag_.table.columns[cut.column].kind == Kind::continuous;
        settle_absent(settings_.column(cut.column), continuous, Candidate{}, weights, rule);
    }

    // Marks the rows that go left; the threshold.
    double mark(Frame<Rows>& frame, const OpenSlice& node, const Cut& cut) {
        const SharedColumn& column = columns_.columns[cut.column];
        const int64_t n = node.end - node.begin;
        uint64_t* bits = space_.bits();
        if (settings_.random_splitter) {
            space_.with_values(frame, columns_, cut.column, slice(node), [&](const auto* values) {
                using T = std::remove_cvref_t<decltype(*values)>;
                mark_below(values, n, least_not_below<T>(cut.threshold), bits);
                return true;
            });
            return cut.threshold;
        }
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
        if (!column.levels.empty() && !column.rank16.empty())
            return threshold_between(column.levels[below], column.levels[above]);
        return threshold_between(value_of(below), value_of(above));
    }

    void write_leaf(const Frame<Rows>& frame, const OpenSlice& node) {
        writer_.leaf(node.slot);
        if constexpr (std::is_same_v<Rows, SweepRows>) {
            if (!frame.rows.classes) return write_moments(frame, node);
        }
        finder_.write_leaf(writer_);
    }

    void write_moments(const Frame<Rows>& frame, const OpenSlice& node)
        requires std::is_same_v<Rows, SweepRows>
    {
        const int64_t n = node.end - node.begin;
        writer_.rows(n);
        Wide squares = 0;
        table_rows_.clear();
        for (int64_t i = node.begin; i < node.end; ++i) {
            const int64_t q = frame.rows.q[i];
            squares += Wide(frame.rows.weight[i]) * q * q;
            table_rows_.push_back(bag_.shared.row_of(frame.ids[i]));
        }
        const Target& target = *bag_.target;
        const double value =
            n == 1 ? target.original[table_rows_[0]] : exact_mean(target, table_rows_);
        writer_.moments(finder_.weight(), finder_.stats().sum, squares, value);
    }

    const BagRows& bag_;
    const SharedColumns& columns_;
    const Settings& settings_;
    FrameSpace<Rows>& space_;
    Finder& finder_;
    ColumnDraws& draws_;
    const StopFlag& stop_;
    TreeWriter writer_;
    std::vector<int64_t> table_rows_;
};

template <class Finder>
TreeArrays grow_by(BagRows& bag, const SharedColumns& columns, const Settings& settings,
                   Finder finder, ForestWorkspace::Parts& parts, const StopFlag& stop) {
    using Rows = typename Finder::Rows;
    FrameSpace<Rows>& space = std::get<FrameSpace<Rows>>(parts.frames);
    parts.draws = ColumnDraws(static_cast<int64_t>(columns.columns.size()));
    fill_rows(bag, space.whole.rows);
    bag.weights = {};
    space.start(std::move(bag.ids), columns);
    ForestTree<Finder> tree(bag, columns, settings, space, finder, parts, stop);
    TreeArrays grown = tree.grow();
    parts.last = size_of(grown);
    return grown;
}

}  // namespace

bool suits_forest_tree(const Table& table, const Settings& settings, int64_t n_classes) {
    const auto n_columns = static_cast<int64_t>(table.columns.size());
    const bool few_columns = settings.random_splitter || 3 * settings.max_columns <= 2 * n_columns;
    return few_columns && n_classes <= 256 && settings.max_leaves == 0 && !settings.oblique &&
           !settings.distance && !settings.gain_ratio && !settings.breakpoints;
}

TreeArrays grow_forest_tree(BagRows bag, const SharedColumns& columns, const Settings& settings,
                            ForestWorkspace& workspace, const StopFlag& stop) {
    ForestWorkspace::Parts& parts = workspace.parts();
    const CutLimits limits{settings.min_rows_leaf, settings.min_weight_fraction_leaf *
                                                       static_cast<double>(bag.total_weight)};
    const int64_t n_classes = bag.shared.n_classes;
    SweepScratch& scratch = std::get<SweepScratch>(parts.finders);
    const auto by_sweep = [&](auto type) {
        using Sweep = typename decltype(type)::type;
        return grow_by(bag, columns, settings, SweepFinder<Sweep>(limits, n_classes, scratch),
                       parts, stop);
    };
    switch (settings.criterion) {
        case Criterion::gini: {
            const int64_t heaviest =
                *std::max_element(bag.weights.data(), bag.weights.data() + bag.weights.size());
            const bool small = bag.total_weight < int64_t{1} << 31;
            if (small && n_classes == 2 && heaviest <= PairRows::kMostWeight)
                return grow_by(bag, columns, settings,
                               PairFinder(limits, std::get<PairScratch>(parts.finders)), parts,
                               stop);
            if (small && n_classes <= ClassBins::kMostClasses && heaviest <= CountRows::kMostWeight)
                return grow_by(
                    bag, columns, settings,
                    CountFinder(limits, n_classes, heaviest, std::get<CountScratch>(parts.finders)),
                    parts, stop);
            return by_sweep(std::type_identity<Gini<uint8_t, true>>());
        }
        case Criterion::entropy: return by_sweep(std::type_identity<Entropy<uint8_t, true>>());
        case Criterion::error: return by_sweep(std::type_identity<Error<uint8_t, true>>());
        case Criterion::poisson: return by_sweep(std::type_identity<Poisson>());
        default: return by_sweep(std::type_identity<WeightedSquaredError>());
    }
}

}  // namespace silva
