#include "core/splitter.hpp"

#include <cstring>
#include <limits>

#include "core/level_index.hpp"
#include "core/partition_list.hpp"
#include "core/projections/projected.hpp"

namespace silva {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

template <class Id>
class Marker {
  public:
    Marker(const SearchContext& context, Store<Id>& store, const OpenNode& node)
        : context_(context),
          store_(store),
          node_(node),
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
            default: split.threshold = mark_threshold(); break;
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
        double threshold;
        switch (form_.form) {
            case Form::sorted: threshold = mark_sorted(); break;
            case Form::coded: threshold = mark_coded(); break;
            default: threshold = mark_bit(1); break;
        }
        return std::isnan(best_.threshold) ? threshold : best_.threshold;
    }

    // Where missing values go: left, right or to their own branch.
    uint8_t missing_side() const { return best_.own_branch ? 2 : best_.missing_left ? 1 : 0; }

    double mark_sorted() {
        const NodeList<Id> own = node_.list(store_, best_.column);
        const Id* list = own.entries();
        const int64_t n = node_.rows();
        for (int64_t i = 0; i < best_.position; ++i) store_.side[list[i] & kIdMask] = 1;
        for (int64_t i = best_.position; i < n; ++i) store_.side[list[i] & kIdMask] = 0;
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
        int highest_left = -1;
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const Id id = store_.rows[i];
            const int code = codes[id];
            const bool left = code < best_.position;
            store_.side[id] = code == missing_code ? missing_side() : left ? 1 : 0;
            if (left && code != missing_code) highest_left = std::max(highest_left, code);
        }
        if (best_.position < 0) return kLowest;
        return threshold_between(form_.levels[highest_left], form_.levels[best_.position]);
    }

    // Rows of the higher value get the given side's opposite.
    double mark_bit(uint8_t lower_side) {
        const uint64_t* words = store_.words[form_.block].data();
        const uint64_t flip = (form_.inverted ? 0 : 1) ^ (lower_side ^ 1);
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const Id id = store_.rows[i];
            store_.side[id] = static_cast<uint8_t>(((words[id] >> form_.bit) & 1) ^ flip);
        }
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

    // The detail of a split whose position is the only code listed, or -1 for none.
    std::shared_ptr<const SplitDetail> one_level() const {
        SplitDetail detail;
        if (best_.position >= 0) detail.codes = {static_cast<int32_t>(best_.position)};
        const ColumnSettings asked = context_.settings.column(best_.column);
        if (asked.form == SplitForm::subset && asked.unseen != Fallback::majority)
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
        for_codes([&](Id id, int32_t code) {
            store_.side[id] = code == form_.n_codes ? missing_side() : listed.of(code) < 0 ? 1 : 0;
        });
    }

    void mark_levels() {
        const std::vector<int32_t>& codes = best_.detail->codes;
        const LevelIndex child(codes, form_.n_codes, node_.rows());
        const auto of_missing =
            static_cast<uint32_t>(best_.own_branch ? codes.size() : best_.position);
        store_.child.resize(store_.n_rows);
        for_codes([&](Id id, int32_t code) {
            store_.child[id] =
                code == form_.n_codes ? of_missing : static_cast<uint32_t>(child.of(code));
        });
    }

    template <class F>
    void for_codes(F&& f) const {
        const Array<uint16_t>& short_codes = store_.level16[best_.column];
        const Array<uint32_t>& long_codes = store_.level32[best_.column];
        for (int64_t i = node_.begin; i < node_.end; ++i) {
            const Id id = store_.rows[i];
            f(id, static_cast<int32_t>(short_codes.empty() ? long_codes[id] : short_codes[id]));
        }
    }

    const SearchContext& context_;
    Store<Id>& store_;
    const OpenNode& node_;
    const Candidate& best_;
    const ColumnForm& form_;
};

template <class Id>
int64_t weight_of(const Store<Id>& store, int64_t id) {
    return store.weight.empty() ? 1 : store.weight[id];
}

template <class Id>
void add_row(const Store<Id>& store, int64_t id, NodeStats& stats) {
    const int64_t w = weight_of(store, id);
    ++stats.rows;
    stats.weight += w;
    if (!store.label8.empty()) {
        stats.classes[store.label8[id]] += w;
    } else if (!store.label32.empty()) {
        stats.classes[store.label32[id]] += w;
    } else {
        const int64_t q = store.q[id];
        stats.sum += Wide(w) * q;
        stats.lowest = std::min(stats.lowest, q);
        stats.highest = std::max(stats.highest, q);
    }
}

}  // namespace

template <class Id>
SplitRecord mark_sides(const SearchContext& context, Store<Id>& store, const OpenNode& node) {
    return Marker<Id>(context, store, node).mark();
}

bool makes_many(const Candidate& candidate) {
    return candidate.own_branch || candidate.kind == SplitKind::multiway;
}

template <class Id>
void mark_children(Store<Id>& store, const OpenNode& node) {
    constexpr uint32_t child_of_side[] = {1, 0, 2};
    store.child.resize(store.n_rows);
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        store.child[id] = child_of_side[store.side[id]];
    }
}

void settle_absent(const ColumnSettings& asked, bool continuous, const Candidate& candidate,
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
        default: rule.unseen_child = kStop; break;
    }
}

template <class Id>
NodeStats stats_of(const Store<Id>& store, int64_t begin, int64_t end) {
    NodeStats stats;
    stats.classes.assign(store.n_classes, 0);
    for (int64_t i = begin; i < end; ++i) add_row(store, store.rows[i], stats);
    return stats;
}

namespace {

// The left child's statistics, without a branch on the side of a row.
template <class Id>
void count_left(const Store<Id>& store, const OpenNode& node, NodeStats& left) {
    const bool weighted = !store.weight.empty();
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id];
        const int64_t w = weighted ? here * store.weight[id] : here;
        left.rows += here;
        left.weight += w;
        left.classes[store.label8.empty() ? store.label32[id] : store.label8[id]] += w;
    }
}

// Unit weights and sums of at most 64 bits.
template <class Id>
void sum_sides(const Store<Id>& store, const OpenNode& node, NodeStats& left, NodeStats& right) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = -most;
    int64_t rows = 0, sum = 0, low_left = most, high_left = least, low_right = most,
            high_right = least;
    for (int64_t i = node.begin; i < node.end; ++i) {
        const Id id = store.rows[i];
        const int64_t here = store.side[id], q = store.q[id];
        rows += here;
        sum += q & -here;
        low_left = std::min(low_left, here != 0 ? q : most);
        high_left = std::max(high_left, here != 0 ? q : least);
        low_right = std::min(low_right, here != 0 ? most : q);
        high_right = std::max(high_right, here != 0 ? least : q);
    }
    left.rows = left.weight = rows;
    left.sum = sum;
    left.lowest = low_left;
    left.highest = high_left;
    right.rows = right.weight = node.rows() - rows;
    right.sum = node.stats.sum - sum;
    right.lowest = low_right;
    right.highest = high_right;
}

constexpr int64_t kShortSumRows = int64_t{1} << 22;  // sums of so many q fit into 64 bits

}  // namespace

template <class Id>
std::pair<NodeStats, NodeStats> child_stats(const Store<Id>& store, const OpenNode& node) {
    NodeStats left, right;
    if (store.n_classes == 0) {
        if (store.weight.empty() && node.rows() < kShortSumRows) {
            sum_sides(store, node, left, right);
            return {left, right};
        }
        for (int64_t i = node.begin; i < node.end; ++i)
            add_row(store, store.rows[i], store.side[store.rows[i]] != 0 ? left : right);
        return {left, right};
    }
    left.classes.assign(store.n_classes, 0);
    count_left(store, node, left);
    right.rows = node.rows() - left.rows;
    right.weight = node.stats.weight - left.weight;
    right.classes = node.stats.classes;
    for (size_t k = 0; k < right.classes.size(); ++k) right.classes[k] -= left.classes[k];
    return {left, right};
}

namespace {

// The sides of a node's rows as partition_list wants them.
const uint8_t* sides_of(Store<uint16_t>& store, const OpenNode&) { return store.side.data(); }
const uint32_t* sides_of(Store<uint32_t>& store, const OpenNode& node) {
    for (int64_t i = node.begin; i < node.end; ++i)
        put_bit(store.side_bits.data(), store.rows[i], store.side[store.rows[i]] != 0);
    return store.side_bits.data();
}

}  // namespace

template <class Id>
void partition(const SearchContext& context, Store<Id>& store, const OpenNode& node,
               int64_t left_rows, Keep keep, Team& team, std::vector<Array<Id>>& spare) {
    const auto* sides = sides_of(store, node);
    const auto move = [&](Id* list, bool keep_right, int worker) {
        context.stop.check();
        Id* others = spare[worker].data();
        partition_list(list + node.begin, node.rows(), sides, others);
        if (keep_right)
            std::memcpy(list + node.begin + left_rows, others,
                        sizeof(Id) * (node.rows() - left_rows));
    };
    move(store.rows.data(), true, 0);
    if (!keep.left && !keep.right) return;
    if (node.rows() <= kTinyRows) {
        for (int64_t i = node.begin; i < node.end; ++i)
            store.place[store.rows[i]] = static_cast<uint32_t>(i);
        return;
    }
    const std::vector<int32_t>& columns = *node.alive;
    const auto move_column = [&](int64_t i, int worker) {
        if (context.forms[columns[i]].form == Form::sorted)
            move(store.lists[columns[i]].data(), keep.right, worker);
    };
    const auto n_columns = static_cast<int64_t>(columns.size());
    if (team.size() == 1)
        for (int64_t i = 0; i < n_columns; ++i) move_column(i, 0);
    else
        team.for_each(n_columns, move_column);
}

#define SILVA_INSTANTIATE(Id)                                                                 \
    template SplitRecord mark_sides(const SearchContext&, Store<Id>&, const OpenNode&);       \
    template void mark_children(Store<Id>&, const OpenNode&);                                 \
    template NodeStats stats_of(const Store<Id>&, int64_t, int64_t);                          \
    template std::pair<NodeStats, NodeStats> child_stats(const Store<Id>&, const OpenNode&);  \
    template void partition(const SearchContext&, Store<Id>&, const OpenNode&, int64_t, Keep, \
                            Team&, std::vector<Array<Id>>&);
SILVA_INSTANTIATE(uint16_t)
SILVA_INSTANTIATE(uint32_t)
#undef SILVA_INSTANTIATE

}  // namespace silva
