#include "core/search/forest/category_search.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/search/finders/category.hpp"
#include "core/search/finders/coded.hpp"
#include "core/search/finders/level_counts.hpp"
#include "core/search/finders/own_branch.hpp"
#include "core/search/finders/subset.hpp"

namespace silva {
namespace {

// What the rows of a node count for, as each finder has them.
struct BinaryLabels {
    const uint32_t* words;

    int64_t weight(int64_t i) const { return words[i] & 0xFFFFu; }
    int64_t label(int64_t i) const { return words[i] >= BinaryRows::kOne ? 1 : 0; }
};
struct PackedLabels {
    const uint32_t* words;

    int64_t weight(int64_t i) const { return words[i] >> 8; }
    int64_t label(int64_t i) const { return words[i] & 0xFFu; }
};
struct Labels {
    const uint8_t* labels;
    const int64_t* weights;

    int64_t weight(int64_t i) const { return weights[i]; }
    int64_t label(int64_t i) const { return labels[i]; }
};

// The rows of a node with their codes, see LevelCounts.
template <class Targets, GroupLayout layout>
struct LevelRows {
    static constexpr GroupLayout kLayout = layout;

    Targets targets;
    const uint16_t* codes;
    int64_t n;
    bool weighted;

    int64_t size() const { return n; }
    size_t code(int64_t i) const { return codes[i]; }
    int64_t weight(int64_t i) const {
        if constexpr (layout == GroupLayout::values)
            return targets.weight_of(i);
        else
            return targets.weight(i);
    }
    int64_t target(int64_t i) const {
        if constexpr (layout == GroupLayout::values)
            return targets.q[i];
        else
            return targets.label(i);
    }
    void count(int64_t i, int64_t* group) const {
        if constexpr (layout == GroupLayout::values)
            add_to_group(group, weight(i), Wide(weight(i)) * target(i));
        else
            group[target(i)] += weight(i);
    }
    template <class Sweep>
    void add(int64_t i, Sweep& sweep) const {
        if constexpr (layout == GroupLayout::entries) {
            sweep.add_class(static_cast<int32_t>(target(i)), weight(i));
        } else {
            int64_t group[3] = {};
            count(i, group);
            sweep.add_group(group);
        }
    }
};

// The same in order of their ranks, as sweep_own_branch takes them.
template <class Rows>
struct KeyedOrder {
    const Rows& rows;
    const OrderedRows& ordered;
    int64_t n_known, n_missing;

    bool is_new(int64_t i) const { return ordered.begins_rank(i); }
    int64_t position(int64_t i) const { return ordered.rank(i); }
    void count(int64_t i, int64_t* group) const { rows.count(ordered.at(i), group); }
    template <class Sweep>
    void add(int64_t i, Sweep& sweep) const {
        rows.add(ordered.at(i), sweep);
    }
};

template <class Groups>
Groups groups_of(const NodeStats& node, const ValueRows& values, SweepBuffers& buffers) {
    if constexpr (std::is_constructible_v<Groups, const ValueRows&, const NodeStats&,
                                          SweepBuffers&>)
        return Groups(values, node, buffers);
    else if constexpr (std::is_constructible_v<Groups, const NodeStats&, SweepBuffers&>)
        return Groups(node, buffers);
    else
        return Groups(node);
}

// The search of one node.
template <class Groups>
class LevelSearch final : public GroupSearch<Groups> {
    using Base = GroupSearch<Groups>;
    using Base::node_;

  public:
    static constexpr GroupLayout kLayout = Groups::kLayout;

    LevelSearch(const SearchContext& context, const StoreNode& node, SearchScratch& scratch,
                const ValueRows& values, bool weighted)
        : Base(context, node, scratch, groups_, weighted),
          values_(values),
          groups_(groups_of<Groups>(node.stats, values, scratch.sweep)) {}

    bool search(int32_t column, bool two_values, Absent absent, const Merit& best) {
        start(best);
        auto c = this->arrange(column, absent);
        if (!c) return false;
        c->drawn = c->drawn && !two_values;
        this->ask_about(*c, [&] { return spread(); });
        return true;
    }
    template <class Rows>
    void own_branch(int32_t column, const Rows& rows, const OrderedRows& ordered,
                    const Merit& best) {
        start(best);
        const KeyedOrder<Rows> order{rows, ordered, ordered.n_known, ordered.n - ordered.n_known};
        this->sweep_own_branch(column, order, [&](const NodeStats& stats) {
            return groups_of<Groups>(stats, values_, this->scratch_.known);
        });
    }
    void own_branch(int32_t column, std::span<const ChildGroup, 3> children, const Merit& best) {
        start(best);
        this->consider_own_branch(column, 0, children);
    }

  private:
    void start(const Merit& best) {
        Candidate outer;
        static_cast<Merit&>(outer) = best;
        this->restore_best(std::move(outer));
    }
    NodeSpread spread() const {
        if constexpr (Groups::kLayout != GroupLayout::values)
            return class_spread(node_.stats);
        else
            return value_spread(
                node_.stats, [&](int64_t i) { return values_.q[i]; },
                [&](int64_t i) { return values_.weight[i]; });
    }
    // Levels are counted before they are searched, and nothing is searched as bits or entries.
    bool column(int32_t) override { return false; }
    uint64_t bits(int, uint64_t, const std::vector<int32_t>&) override { return 0; }
    void runs(Entries) override {}

    ValueRows values_;
    Groups groups_;
};

template <class Sweep>
using SearchOf = LevelSearch<typename Sweep::Groups>;

}  // namespace

struct CategorySearch::Any {
    std::variant<std::monostate, LevelSearch<TwoClassGroups>, SearchOf<Gini<uint8_t>>,
                 SearchOf<Entropy<uint8_t>>, SearchOf<Error<uint8_t>>,
                 SearchOf<WeightedSquaredError>, SearchOf<Poisson>>
        search;
    std::variant<BinaryLabels, PackedLabels, Labels, ValueRows> targets;
    int64_t n = 0;

    template <class F>
    void visit(F&& f) {
        std::visit(
            [&](auto& one) {
                if constexpr (!std::is_same_v<decltype(one), std::monostate&>) f(one);
            },
            search);
    }
};

CategorySearch::CategorySearch(const SearchContext& context, bool weighted, SearchScratch& scratch)
    : context_(context), weighted_(weighted), scratch_(scratch), search_(std::make_unique<Any>()) {
    node_.stats.classes.assign(static_cast<size_t>(context.target.n_classes), 0);
}
CategorySearch::~CategorySearch() = default;

template <class Rows>
void CategorySearch::open(const Rows& rows, int64_t begin, int64_t n, uint64_t path) {
    ValueRows values{nullptr, nullptr};
    if constexpr (std::is_same_v<Rows, BinaryRows>) {
        search_->targets = BinaryLabels{rows.words.data() + begin};
    } else if constexpr (std::is_same_v<Rows, MulticlassRows>) {
        search_->targets = PackedLabels{rows.words.data() + begin};
    } else if (rows.classes) {
        search_->targets = Labels{rows.label.data() + begin, rows.weight.data() + begin};
    } else {
        values = {rows.q.data() + begin, rows.weight.data() + begin};
        search_->targets = values;
    }
    node_.path = path;
    search_->n = node_.end = node_.stats.rows = n;
    const Criterion criterion = context_.settings.criterion;
    const auto start = [&]<class Search>(std::type_identity<Search>) {
        search_->search.template emplace<Search>(context_, node_, scratch_, values, weighted_);
    };
    if (criterion == Criterion::gini && context_.target.n_classes == 2)
        return start(std::type_identity<LevelSearch<TwoClassGroups>>{});
    with_sweep<uint8_t>(criterion, [&](auto sweep) {
        start(std::type_identity<SearchOf<typename decltype(sweep)::type>>{});
    });
}
template void CategorySearch::open(const BinaryRows&, int64_t, int64_t, uint64_t);
template void CategorySearch::open(const MulticlassRows&, int64_t, int64_t, uint64_t);
template void CategorySearch::open(const SweepRows&, int64_t, int64_t, uint64_t);

// Calls f with the rows of the node, which have these codes.
template <class F>
auto CategorySearch::with_rows(const uint16_t* codes, F&& f) const {
    const bool as_two = search_->search.index() == 1;
    return std::visit(
        [&]<class Targets>(const Targets& targets) {
            if constexpr (std::is_same_v<Targets, ValueRows>)
                return f(
                    LevelRows<Targets, GroupLayout::values>{targets, codes, search_->n, weighted_});
            else if (as_two)
                return f(LevelRows<Targets, GroupLayout::classes>{targets, codes, search_->n,
                                                                  weighted_});
            else
                return f(LevelRows<Targets, GroupLayout::entries>{targets, codes, search_->n,
                                                                  weighted_});
        },
        search_->targets);
}

bool CategorySearch::column(int32_t column, int32_t n_codes, bool two_values, const uint16_t* codes,
                            const Merit& best) {
    const Absent absent = with_rows(codes, [&]<class Rows>(const Rows& rows) {
        const int64_t width =
            Rows::kLayout == GroupLayout::values ? 3 : std::ssize(node_.stats.classes);
        return LevelCounts(rows, width, scratch_.level, context_.stop).list(n_codes);
    });
    bool varies = false;
    search_->visit([&](auto& search) { varies = search.search(column, two_values, absent, best); });
    return varies;
}

void CategorySearch::own_branch(int32_t column, const OrderedRows& ordered, const Merit& best) {
    with_rows(nullptr, [&]<class Rows>(const Rows& rows) {
        search_->visit([&]<class Search>(Search& search) {
            if constexpr (Rows::kLayout == Search::kLayout)
                search.own_branch(column, rows, ordered, best);
        });
    });
}
void CategorySearch::own_branch(int32_t column, std::span<const ChildGroup, 3> children,
                                const Merit& best) {
    search_->visit([&](auto& search) { search.own_branch(column, children, best); });
}

const Candidate& CategorySearch::found() const {
    const Candidate* best = nullptr;
    search_->visit([&](auto& search) { best = &search.best(); });
    return *best;
}

}  // namespace silva
