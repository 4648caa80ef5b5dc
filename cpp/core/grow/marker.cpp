#include "core/grow/marker.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "core/columns/level_index.hpp"
#include "core/grow/sparse_split.hpp"
#include "core/projections/projected.hpp"

namespace silva {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

template <class Id>
void make_room_for_children(Store<Id>& store) {
    if (store.child.size() != store.n_rows) store.child.resize(store.n_rows);
}

template <class Id>
class Marker {
  public:
    Marker(const SearchContext& context, Store<Id>& store, const StoreNode& node, Team& team)
        : context_(context),
          store_(store),
          node_(node),
          team_(team),
          best_(node.best),
          form_(context.forms[best_.column]) {}

    SplitRecord mark() {
        SplitRecord split;
        split.column = best_.column;
        split.kind = best_.kind;
        split.detail = best_.detail;
        switch (best_.kind) {
            case SplitKind::multiway: mark_levels(); break;
            case SplitKind::subset:
                if (split.detail == nullptr) split.detail = one_level();
                mark_subset(*split.detail);
                break;
            case SplitKind::oblique:
            case SplitKind::distance: split.threshold = mark_projection(); break;
            case SplitKind::threshold: split.threshold = mark_threshold(); break;
            case SplitKind::leaf: break;
        }
        return split;
    }

  private:
    static constexpr Id kIdMask = Store<Id>::kIdMask;

    double value(int64_t id) const {
        const int64_t row = context_.target.row_of(store_.origin_of(id));
        return context_.table.columns[best_.column].value(row);
    }

    double mark_threshold() {
        const double threshold = mark_by_form();
        return std::isnan(best_.threshold) ? threshold : best_.threshold;
    }
    double mark_by_form() {
        switch (form_.form) {
            case Form::sorted: return mark_sorted();
            case Form::coded: return mark_coded();
            case Form::bit: return mark_bit(1);
            case Form::sparse: return mark_sparse();
            case Form::constant:
            case Form::category: break;  // have no thresholds
        }
        __builtin_unreachable();
    }

    bool is_lone_missing() const {
        return lone_join_missing(best_, context_.settings.column(best_.column));
    }

    uint8_t missing_side() const { return side_of_missing(best_); }

    double mark_sorted() {
        const Id* list = store_.lists[best_.column].data() + node_.begin;
        const int64_t n = node_.rows();
        const auto mark = [&](int64_t first, int64_t count, uint8_t side) {
            for_parts(team_, count, [&](int64_t from, int64_t to, int) {
                for (int64_t i = first + from; i < first + to; ++i)
                    store_.side[list[i] & kIdMask] = side;
            });
        };
        mark(0, best_.position, 1);
        mark(best_.position, n - best_.position, 0);
        if (missing_side() != 0) {
            const uint8_t* missing = store_.missing[best_.column].data();
            for (int64_t i = n; i-- > 0 && missing[list[i] & kIdMask] != 0;)
                store_.side[list[i] & kIdMask] = missing_side();
        }
        if (best_.position == 0) return kLowest;
        return threshold_between(value(list[best_.position - 1] & kIdMask),
                                 value(list[best_.position] & kIdMask));
    }

    double mark_coded() {
        const uint8_t* codes = store_.codes[best_.column].data();
        const int missing_code = form_.missing_code();
        const auto mark = [&](int64_t from, int64_t to, int& highest) {
            for (int64_t i = node_.begin + from; i < node_.begin + to; ++i) {
                const Id id = store_.rows[i];
                const int code = codes[id];
                const bool left = code < best_.position;
                store_.side[id] = code == missing_code ? missing_side() : left ? 1 : 0;
                if (left && code != missing_code) highest = std::max(highest, code);
            }
        };
        const int highest_left =
            sum_of_parts(team_, node_.rows(), -1, mark,
                         [](int& highest, int other) { highest = std::max(highest, other); });
        if (best_.position < 0) return kLowest;
        return threshold_between(form_.levels[highest_left], form_.levels[best_.position]);
    }

    Entries own_entries(EntryScratch& scratch) const {
        if constexpr (std::is_same_v<Id, uint32_t>)
            if (store_.sparse.stay())
                return scratch.find(store_, node_.begin, node_.end, {&best_.column, 1});
        return store_.sparse.run(best_.column, node_.entry_begin, node_.entry_end);
    }

    double mark_sparse() {
        EntryScratch scratch;
        const SparseSplit split =
            sparse_split(context_, store_, node_, own_entries(scratch), missing_side());
        for_rows([&](Id id) { store_.side[id] = split.zeros_left ? 1 : 0; });
        for (size_t i = 0; i < split.entries.size(); ++i)
            store_.side[split.entries[i].id()] = split.side_of(i);
        return split.threshold;
    }

    // Rows of the higher value get the given side's opposite.
    double mark_bit(uint8_t lower_side) {
        const uint64_t* words = store_.words[form_.block].data();
        const uint64_t flip = (form_.inverted ? 0 : 1) ^ (lower_side ^ 1);
        for_rows([&](Id id) {
            store_.side[id] = static_cast<uint8_t>(((words[id] >> form_.bit) & 1) ^ flip);
        });
        return threshold_between(form_.levels[0], form_.levels[1]);
    }

    double mark_projection() {
        const NodeRows rows = rows_of(context_, store_, node_);
        const std::vector<double> z =
            evaluate(context_, rows, best_.kind, best_.detail->projection);
        for (int64_t i = 0; i < rows.size(); ++i)
            store_.side[store_.rows[node_.begin + i]] = std::isnan(z[i])         ? missing_side()
                                                        : z[i] < best_.threshold ? 1
                                                                                 : 0;
        return best_.threshold;
    }

    // The same as one_code where only bits know the levels.
    std::shared_ptr<const SplitDetail> one_level() const {
        const ColumnSettings asked = context_.settings.column(best_.column);
        if (asked.form != SplitForm::subset || asked.unseen == Fallback::majority)
            return one_code(best_.position);
        SplitDetail detail = *one_code(best_.position);
        for (double code : form_.levels)
            if (static_cast<int64_t>(code) != best_.position)
                detail.rest.push_back(static_cast<int32_t>(code));
        return std::make_shared<const SplitDetail>(std::move(detail));
    }

    // Listed codes are the right child.
    void mark_subset(const SplitDetail& detail) {
        if (form_.form == Form::bit) {
            mark_bit(detail.codes[0] == static_cast<int32_t>(form_.levels[0]) ? 0 : 1);
            return;
        }
        const LevelIndex listed(detail.codes, form_.n_codes, node_.rows());
        const uint8_t lone_side = is_lone_missing() ? missing_side() : 1;
        for_codes([&](Id id, int32_t code) {
            store_.side[id] = code == form_.n_codes       ? missing_side()
                              : code == form_.lone_code() ? lone_side
                              : listed.of(code) >= 0      ? 0
                                                          : 1;
        });
    }

    void mark_levels() {
        const std::vector<int32_t>& codes = best_.detail->codes;
        const LevelIndex child(codes, form_.n_codes, node_.rows());
        const auto of_missing =
            static_cast<uint32_t>(best_.own_branch ? codes.size() : best_.position);
        const auto of_lone =
            is_lone_missing() ? of_missing : static_cast<uint32_t>(best_.lone_child);
        make_room_for_children(store_);
        for_codes([&](Id id, int32_t code) {
            store_.child[id] = code == form_.n_codes       ? of_missing
                               : code == form_.lone_code() ? of_lone
                                                           : static_cast<uint32_t>(child.of(code));
        });
    }

    // Calls f(id) for the rows of the node.
    template <class F>
    void for_rows(F&& f) const {
        for_parts(team_, node_.rows(), [&](int64_t from, int64_t to, int) {
            for (int64_t i = node_.begin + from; i < node_.begin + to; ++i) f(store_.rows[i]);
        });
    }
    template <class F>
    void for_codes(F&& f) const {
        store_.with_levels(best_.column, [&](const auto* codes) {
            for_rows([&](Id id) { f(id, static_cast<int32_t>(codes[id])); });
        });
    }

    const SearchContext& context_;
    Store<Id>& store_;
    const StoreNode& node_;
    Team& team_;
    const Candidate& best_;
    const ColumnForm& form_;
};

}  // namespace

template <class Id>
SplitRecord mark_sides(const SearchContext& context, Store<Id>& store, const StoreNode& node,
                       Team& team) {
    return Marker<Id>(context, store, node, team).mark();
}

std::shared_ptr<const SplitDetail> one_code(int64_t position) {
    SplitDetail detail;
    if (position >= 0) detail.codes = {static_cast<int32_t>(position)};
    return std::make_shared<const SplitDetail>(std::move(detail));
}

bool makes_many(const Candidate& candidate) {
    return candidate.own_branch || candidate.kind == SplitKind::multiway;
}

int64_t n_children(const Candidate& candidate) {
    const bool multiway = candidate.kind == SplitKind::multiway;
    return (multiway ? std::ssize(candidate.detail->codes) : 2) + (candidate.own_branch ? 1 : 0);
}

template <class Id>
void mark_children(Store<Id>& store, const StoreNode& node) {
    constexpr uint32_t child_of_side[] = {1, 0, 2};
    make_room_for_children(store);
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        store.child[id] = child_of_side[store.side[id]];
    }
}

void resolve_missing(const ColumnSettings& asked, bool continuous, const Candidate& candidate,
                     std::span<const int64_t> weights, SplitRecord& rule) {
    const auto heaviest =
        static_cast<int32_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    const auto own_branch = static_cast<int32_t>(weights.size()) - 1;
    const bool stops = asked.missing == Fallback::stop || asked.missing == Fallback::error;
    int32_t actual = candidate.missing_left ? 0 : 1;  // where the node's missing values are
    if (candidate.own_branch)
        actual = own_branch;
    else if (candidate.kind == SplitKind::multiway)
        actual = static_cast<int32_t>(candidate.position);
    if (candidate.missing_chosen)
        rule.missing_child = stops ? kStop : actual;
    else
        rule.missing_child = stops || asked.missing == Fallback::own_branch ? kStop : heaviest;
    if (continuous) {
        rule.unseen_child = rule.missing_child;
        return;
    }
    switch (asked.unseen) {
        case Fallback::majority: rule.unseen_child = heaviest; break;
        case Fallback::learn:
            rule.unseen_child = candidate.missing_chosen ? rule.missing_child : heaviest;
            break;
        case Fallback::own_branch:
            rule.unseen_child = candidate.own_branch ? own_branch : kStop;
            break;
        case Fallback::stop:
        case Fallback::error: rule.unseen_child = kStop; break;
    }
}

#define SILVA_INSTANTIATE(Id)                                                                   \
    template SplitRecord mark_sides(const SearchContext&, Store<Id>&, const StoreNode&, Team&); \
    template void mark_children(Store<Id>&, const StoreNode&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
