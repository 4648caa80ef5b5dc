#include "core/search.hpp"

#include <bit>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/random.hpp"
#include "core/sweep.hpp"

namespace silva {
namespace {

// Uniform in (low, high].
double random_between(double low, double high, uint64_t hash) {
    const double u = unit_draw(hash);
    const double drawn = low * (1 - u) + high * u;
    return drawn > low && drawn <= high ? drawn : high;
}

// One worker's search of some columns of one node.
template <class Id, class Sweep>
class NodeSearch {
public:
    NodeSearch(const SearchContext& context, const Store<Id>& store, const OpenNode& node,
               Sweep sweep, SearchScratch& scratch)
        : context_(context), store_(store), node_(node), sweep_(std::move(sweep)), scratch_(scratch) {
        sweep_.set_best(-1.0);
        if constexpr (Sweep::kBoundsSmallNodes)
            if (node.rows() <= kBoundedRows && context.settings.min_rows_leaf == 1 &&
                context.min_leaf_weight <= 1.0)
                sweep_.bound_by(store.rows.data() + node.begin, node.rows());
    }

    // False when the column is constant in this node.
    bool column(int32_t column) {
        return context_.forms[column].form == Form::sorted ? sorted(column) : coded(column);
    }
    // All bit columns of `wanted` in one word; returns those that are constant in this node.
    uint64_t bits(int block, uint64_t wanted, const std::vector<int32_t>& column_of_bit);

    const Candidate& best() const { return best_; }
    // No candidate of a later column can be better, only equal.
    bool perfect() const {
        return best_.exists() && (node_.rows() == 2 || (best_.gain == sweep_.perfect_gain() &&
                                                        best_.lighter == sweep_.perfect_lighter()));
    }

private:
    static constexpr int64_t kStopInterval = 1 << 16;  // positions between two looks at the stop flag
    static constexpr size_t kFewClasses = 16;          // exact entropies are cheap up to here
    static constexpr int64_t kExactProducts = 90'000'000;  // squares below 2^53
    static constexpr Id kNew = Store<Id>::kNew;
    static constexpr Id kIdMask = Store<Id>::kIdMask;

    bool sorted(int32_t column);
    void sweep_thresholds(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                          int64_t n_missing, bool missing_left);
    void raise_floor(const Id* known, int64_t first, int64_t last)
        requires(Sweep::kCostlyGain);
    void sweep_positions(int32_t column, const Id* known, int64_t first, int64_t last,
                         int64_t already_left, bool missing_left, bool missing_chosen);
    void sweep_blocks(int32_t column, const Id* known, int64_t first, int64_t last,
                      int64_t already_left, bool missing_left, bool missing_chosen)
        requires(Sweep::kHasFilter);
    void sweep_runs(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                    int64_t n_missing);
    void random_sorted(int32_t column, const Id* known, int64_t n_known, const Id* missing,
                       int64_t n_missing);

    bool coded(int32_t column);
    int64_t group_width() const { return store_.n_classes > 0 ? store_.n_classes : 3; }
    int64_t* group(int64_t code) { return scratch_.groups.data() + code * group_width(); }
    int64_t* bit_group(int64_t bit) { return scratch_.bit_groups.data() + bit * group_width(); }
    void count_codes(const uint8_t* codes, int missing_code);
    void clear_codes(int missing_code);
    void sweep_codes(int32_t column, const std::vector<int>& occupied, int missing_code, bool has_missing,
                     bool missing_left);
    void one_vs_rest(int32_t column, const std::vector<int>& occupied, int missing_code, bool has_missing);
    void random_coded(int32_t column, const std::vector<int>& occupied, int missing_code, bool has_missing);

    void count_bits(const uint64_t* words, uint64_t wanted);
    void one_bit(int32_t column, const int64_t* set_group, int64_t set_rows);

    uint64_t draw(int32_t column) const { return mix(mix(node_.path, context_.settings.seed), column); }
    double value_of(int32_t column, Id entry) const {
        const int64_t id = store_.origin_of(entry & kIdMask);
        return context_.table.columns[column].value(context_.target.row_of(id));
    }

    void consider(int32_t column, int64_t position, int64_t left_rows, bool missing_left,
                  bool missing_chosen, bool swapped = false, double threshold = NAN);

    const SearchContext& context_;
    const Store<Id>& store_;
    const OpenNode& node_;
    Sweep sweep_;
    SearchScratch& scratch_;
    Candidate best_;
};

// Takes the sweep's present state as a candidate. `swapped`: the sweep gathered the right child.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::consider(int32_t column, int64_t position, int64_t gathered_rows,
                                     bool missing_left, bool missing_chosen, bool swapped,
                                     double threshold) {
    context_.stop.check();
    const int64_t rest_rows = node_.rows() - gathered_rows;
    if (std::min(gathered_rows, rest_rows) < context_.settings.min_rows_leaf) return;
    const int64_t weight = sweep_.left(), rest = node_.stats.weight - weight;
    Candidate candidate;
    candidate.lighter = std::min(weight, rest);
    if (static_cast<double>(candidate.lighter) < context_.min_leaf_weight) return;
    candidate.gain = sweep_.gain(swapped);
    if (candidate.gain < 0.0) return;
    candidate.column = column;
    candidate.position = position;
    candidate.missing_left = missing_left;
    candidate.missing_chosen = missing_chosen;
    candidate.threshold = threshold;
    if (!better(candidate, best_)) return;
    best_ = candidate;
    sweep_.set_best(best_.gain);
}

// ---- sorted columns ----------------------------------------------------------------------------

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::sorted(int32_t column) {
    const NodeList<Id> own = node_.list(store_, column);
    const Id* list = own.entries();
    int64_t n_known = node_.rows();
    if (context_.forms[column].has_missing) {
        const uint8_t* missing = store_.missing[column].data();
        while (n_known > 0 && missing[list[n_known - 1] & kIdMask] != 0) --n_known;
    }
    const int64_t n_missing = node_.rows() - n_known;
    Id any_new = 0;
    for (int64_t i = 1; i < n_known && (any_new & kNew) == 0; ++i) any_new |= list[i];
    const bool splits_known = (any_new & kNew) != 0;
    if (!splits_known && (n_missing == 0 || n_known == 0)) return false;
    const Id* missing_rows = list + n_known;
    if (context_.settings.random_splitter) {
        random_sorted(column, list, n_known, missing_rows, n_missing);
    } else if (context_.forms[column].kind == Kind::categorical) {
        sweep_runs(column, list, n_known, missing_rows, n_missing);
    } else {
        sweep_thresholds(column, list, n_known, missing_rows, n_missing, false);
        if (n_missing > 0) sweep_thresholds(column, list, n_known, missing_rows, n_missing, true);
    }
    return true;
}

// Position i sends the first i known rows left; position 0 (missing left) asks "is it missing?".
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_thresholds(int32_t column, const Id* known, int64_t n_known,
                                             const Id* missing, int64_t n_missing,
                                             bool missing_left) {
    const int64_t already_left = missing_left ? n_missing : 0;
    const int64_t least = context_.settings.min_rows_leaf;
    const int64_t first = std::max<int64_t>(missing_left ? 0 : 1, least - already_left);
    const int64_t last = std::min(n_known - 1, node_.rows() - least - already_left);
    if (first > last) return;
    sweep_.clear();
    for (int64_t i = 0; i < already_left; ++i) sweep_.add(Id(missing[i] & kIdMask));
    for (int64_t i = 0; i < first; ++i) sweep_.add(Id(known[i] & kIdMask));
    if constexpr (Sweep::kCostlyGain) raise_floor(known, first, last);
    for (int64_t begin = first; begin <= last; begin += kStopInterval) {
        context_.stop.check();
        const int64_t end = std::min(begin + kStopInterval - 1, last);
        if constexpr (Sweep::kHasFilter) {
            if (node_.rows() < kExactProducts) {
                sweep_blocks(column, known, begin, end, already_left, missing_left, n_missing > 0);
                continue;
            }
        }
        sweep_positions(column, known, begin, end, already_left, missing_left, n_missing > 0);
    }
}

// A first pass finds the best approximate score, so that the second one computes few exact gains.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::raise_floor(const Id* known, int64_t first, int64_t last)
    requires(Sweep::kCostlyGain)
{
    sweep_.set_floor(-INFINITY);
    if (sweep_.n_present() <= kFewClasses) return;
    const Sweep before = sweep_;
    double floor = -INFINITY;
    for (int64_t i = first; i <= last; ++i) {
        if (i % kStopInterval == 0) context_.stop.check();
        const int64_t lighter = std::min(sweep_.left(), node_.stats.weight - sweep_.left());
        const bool allowed = (known[i] & kNew) != 0 || i == 0;
        if (allowed && static_cast<double>(lighter) >= context_.min_leaf_weight)
            floor = std::max(floor, sweep_.score());
        sweep_.add(Id(known[i] & kIdMask));
    }
    for (int64_t i = first; i <= last; ++i) sweep_.forget(Id(known[i] & kIdMask));
    sweep_ = before;
    sweep_.set_floor(floor);
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_positions(int32_t column, const Id* known, int64_t first,
                                            int64_t last, int64_t already_left, bool missing_left,
                                            bool missing_chosen) {
    Sweep sweep = sweep_;  // a copy that lives in registers
    for (int64_t i = first; i <= last; ++i) {
        if (sweep.promising() && ((known[i] & kNew) != 0 || i == 0)) [[unlikely]] {
            sweep_ = sweep;
            consider(column, i, already_left + i, missing_left, missing_chosen);
            sweep = sweep_;
        }
        sweep.add(Id(known[i] & kIdMask));
    }
    sweep_ = sweep;
}

// The same, a block of positions at a time: few of them are promising.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_blocks(int32_t column, const Id* known, int64_t first, int64_t last,
                                         int64_t already_left, bool missing_left,
                                         bool missing_chosen)
    requires(Sweep::kHasFilter)
{
    constexpr int64_t block = 64;
    int64_t sums[block];
    for (int64_t i = first; i <= last; i += block) {
        const auto n = static_cast<int>(std::min(block, last + 1 - i));
        const int64_t left = sweep_.left();
        Sweep sweep = sweep_;  // a copy that lives in registers
        for (int j = 0; j < n; ++j) {
            sums[j] = sweep.sum();
            sweep.add(Id(known[i + j] & kIdMask));
        }
        uint64_t mask = promising_positions(sweep_.filter(), sums, n, left);
        for (; mask != 0; mask &= mask - 1) {
            const int j = std::countr_zero(mask);
            if ((known[i + j] & kNew) == 0 && i + j > 0) continue;
            sweep_.place(sums[j], left + j);
            if (sweep_.promising())
                consider(column, i + j, already_left + i + j, missing_left, missing_chosen);
        }
        sweep_.place(sweep.sum(), left + n);
    }
}

// One value against the rest: the run of equal values is gathered, and is the right child.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_runs(int32_t column, const Id* known, int64_t n_known,
                                       const Id* missing, int64_t n_missing) {
    const auto gather = [&](const Id* rows, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sweep_.add(Id(rows[i] & kIdMask));
    };
    const bool has_missing = n_missing > 0;
    if (has_missing) {
        sweep_.clear();
        gather(missing, n_missing);
        if (n_known > 0) consider(column, -1, n_missing, false, true, true);
    }
    for (int64_t begin = 0, end; begin < n_known; begin = end) {
        for (end = begin + 1; end < n_known && (known[end] & kNew) == 0;) ++end;
        const auto code = static_cast<int64_t>(value_of(column, known[begin]));
        sweep_.clear();
        gather(known + begin, end - begin);
        const bool others_left = end - begin < node_.rows();
        if (others_left) consider(column, code, end - begin, has_missing, has_missing, true);
        if (!has_missing || end - begin == n_known) continue;
        gather(missing, n_missing);
        consider(column, code, end - begin + n_missing, false, true, true);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_sorted(int32_t column, const Id* known, int64_t n_known,
                                          const Id* missing, int64_t n_missing) {
    const uint64_t hash = draw(column);
    const bool missing_left = n_missing > 0 && (mix(hash) & 1) != 0;
    sweep_.clear();
    const auto gather = [&](const Id* rows, int64_t n) {
        for (int64_t i = 0; i < n; ++i) sweep_.add(Id(rows[i] & kIdMask));
    };
    if (context_.forms[column].kind == Kind::categorical) {
        std::vector<int64_t> starts;
        for (int64_t i = 0; i < n_known; ++i)
            if (i == 0 || (known[i] & kNew) != 0) starts.push_back(i);
        starts.push_back(n_known);
        const auto chosen = static_cast<size_t>(hash % (starts.size() - 1));
        const int64_t begin = starts[chosen], end = starts[chosen + 1];
        const bool all_known = end - begin == n_known;
        gather(known + begin, end - begin);
        const bool with_missing = n_missing > 0 && !missing_left && !all_known;
        if (with_missing) gather(missing, n_missing);
        consider(column, static_cast<int64_t>(value_of(column, known[begin])),
                 end - begin + (with_missing ? n_missing : 0), !with_missing && n_missing > 0,
                 n_missing > 0, true);
        return;
    }
    const double low = value_of(column, known[0]), high = value_of(column, known[n_known - 1]);
    if (low == high) {
        gather(missing, n_missing);
        consider(column, 0, n_missing, true, true, false, -std::numeric_limits<double>::infinity());
        return;
    }
    const double threshold = random_between(low, high, hash);
    int64_t left = 0, right = n_known;
    while (left < right) {
        const int64_t middle = (left + right) / 2;
        if (value_of(column, known[middle]) < threshold)
            left = middle + 1;
        else
            right = middle;
    }
    gather(known, left);
    if (missing_left) gather(missing, n_missing);
    consider(column, left, left + (missing_left ? n_missing : 0), missing_left, n_missing > 0, false,
             threshold);
}

// ---- coded columns -----------------------------------------------------------------------------

// Fills the groups of the codes that occur, and lists those codes (missing excluded).
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::count_codes(const uint8_t* codes, int missing_code) {
    scratch_.groups.resize(kMaxCodes * group_width(), 0);
    scratch_.group_rows.resize(kMaxCodes, 0);
    uint64_t seen[kMaxCodes / 64] = {};
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        const uint8_t code = codes[id];
        seen[code / 64] |= uint64_t{1} << (code % 64);
        ++scratch_.group_rows[code];
        sweep_.count(id, group(code));
    }
    scratch_.occupied.clear();
    for (int word = 0; word < kMaxCodes / 64; ++word)
        for (uint64_t rest = seen[word]; rest != 0; rest &= rest - 1)
            scratch_.occupied.push_back(64 * word + std::countr_zero(rest));
    if (!scratch_.occupied.empty() && scratch_.occupied.back() == missing_code)
        scratch_.occupied.pop_back();
}

// Leaves all groups empty, as count_codes expects them.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::clear_codes(int missing_code) {
    scratch_.occupied.push_back(missing_code);
    for (int code : scratch_.occupied) {
        std::fill_n(group(code), group_width(), 0);
        scratch_.group_rows[code] = 0;
    }
}

template <class Id, class Sweep>
bool NodeSearch<Id, Sweep>::coded(int32_t column) {
    const ColumnForm& form = context_.forms[column];
    const int missing_code = form.missing_code();
    count_codes(store_.codes[column].data(), missing_code);
    const std::vector<int>& occupied = scratch_.occupied;
    const bool has_missing = scratch_.group_rows[missing_code] > 0;
    const bool constant = occupied.size() + (has_missing ? 1 : 0) < 2;
    if (!constant) {
        if (context_.settings.random_splitter) {
            random_coded(column, occupied, missing_code, has_missing);
        } else if (form.kind == Kind::categorical) {
            one_vs_rest(column, occupied, missing_code, has_missing);
        } else {
            sweep_codes(column, occupied, missing_code, has_missing, false);
            if (has_missing) sweep_codes(column, occupied, missing_code, has_missing, true);
        }
    }
    clear_codes(missing_code);
    return !constant;
}

// Position: the lowest code that goes right; -1 (missing left) asks "is it missing?".
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::sweep_codes(int32_t column, const std::vector<int>& occupied,
                                        int missing_code, bool has_missing, bool missing_left) {
    sweep_.clear();
    int64_t rows = 0;
    if (missing_left) {
        sweep_.add_group(group(missing_code));
        rows = scratch_.group_rows[missing_code];
        if (sweep_.promising()) consider(column, -1, rows, true, true);
    }
    for (size_t i = 0; i + 1 < occupied.size(); ++i) {
        sweep_.add_group(group(occupied[i]));
        rows += scratch_.group_rows[occupied[i]];
        if (sweep_.promising()) consider(column, occupied[i + 1], rows, missing_left, has_missing);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_vs_rest(int32_t column, const std::vector<int>& occupied,
                                        int missing_code, bool has_missing) {
    const int64_t missing_rows = scratch_.group_rows[missing_code];
    const auto code_of = [&](int level) {
        return static_cast<int64_t>(context_.forms[column].levels[level]);
    };
    if (has_missing) {
        sweep_.clear();
        sweep_.add_group(group(missing_code));
        consider(column, -1, missing_rows, false, true, true);
    }
    for (int level : occupied) {
        sweep_.clear();
        sweep_.add_group(group(level));
        consider(column, code_of(level), scratch_.group_rows[level], has_missing, has_missing, true);
        if (!has_missing || occupied.size() == 1) continue;
        sweep_.add_group(group(missing_code));
        consider(column, code_of(level), scratch_.group_rows[level] + missing_rows, false, true, true);
    }
}

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::random_coded(int32_t column, const std::vector<int>& occupied,
                                         int missing_code, bool has_missing) {
    const ColumnForm& form = context_.forms[column];
    const uint64_t hash = draw(column);
    const bool missing_left = has_missing && (mix(hash) & 1) != 0;
    const int64_t missing_rows = scratch_.group_rows[missing_code];
    sweep_.clear();
    if (form.kind == Kind::categorical) {
        const int level = occupied[hash % occupied.size()];
        const bool with_missing = has_missing && !missing_left && occupied.size() > 1;
        sweep_.add_group(group(level));
        if (with_missing) sweep_.add_group(group(missing_code));
        consider(column, static_cast<int64_t>(form.levels[level]),
                 scratch_.group_rows[level] + (with_missing ? missing_rows : 0),
                 has_missing && !with_missing, has_missing, true);
        return;
    }
    const double low = form.levels[occupied.front()], high = form.levels[occupied.back()];
    if (low == high) {
        sweep_.add_group(group(missing_code));
        consider(column, -1, missing_rows, true, true);
        return;
    }
    const double threshold = random_between(low, high, hash);
    int64_t rows = missing_left ? missing_rows : 0;
    if (missing_left) sweep_.add_group(group(missing_code));
    size_t i = 0;
    for (; form.levels[occupied[i]] < threshold; ++i) {
        sweep_.add_group(group(occupied[i]));
        rows += scratch_.group_rows[occupied[i]];
    }
    consider(column, occupied[i], rows, missing_left, has_missing, false, threshold);
}

// ---- bit columns -------------------------------------------------------------------------------

template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::count_bits(const uint64_t* words, uint64_t wanted) {
    scratch_.bit_groups.assign(64 * group_width(), 0);
    scratch_.bit_rows.assign(64, 0);
    for (int64_t i = node_.begin; i < node_.end; ++i) {
        const Id id = store_.rows[i];
        for (uint64_t word = words[id] & wanted; word != 0; word &= word - 1) {
            const int bit = std::countr_zero(word);
            ++scratch_.bit_rows[bit];
            sweep_.count(id, bit_group(bit));
        }
    }
}

template <class Id, class Sweep>
uint64_t NodeSearch<Id, Sweep>::bits(int block, uint64_t wanted,
                                     const std::vector<int32_t>& column_of_bit) {
    count_bits(store_.words[block].data(), wanted);
    uint64_t constant = 0;
    for (uint64_t rest = wanted; rest != 0; rest &= rest - 1) {
        const int bit = std::countr_zero(rest);
        const int64_t set_rows = scratch_.bit_rows[bit];
        if (set_rows == 0 || set_rows == node_.rows())
            constant |= uint64_t{1} << bit;
        else
            one_bit(column_of_bit[bit], bit_group(bit), set_rows);
    }
    return constant;
}

// The set rows are gathered. They hold the lower value if the column is inverted.
template <class Id, class Sweep>
void NodeSearch<Id, Sweep>::one_bit(int32_t column, const int64_t* set_group, int64_t set_rows) {
    const ColumnForm& form = context_.forms[column];
    sweep_.clear();
    sweep_.add_group(set_group);
    if (!sweep_.promising()) return;
    if (context_.settings.random_splitter && form.kind != Kind::categorical) {
        const double low = form.levels[0], high = form.levels[1];
        consider(column, 1, set_rows, false, false, !form.inverted,
                 random_between(low, high, draw(column)));
    } else if (form.kind != Kind::categorical) {
        consider(column, 1, set_rows, false, false, !form.inverted);
    } else {
        const auto low = static_cast<int64_t>(form.levels[0]);
        const auto high = static_cast<int64_t>(form.levels[1]);
        consider(column, low, set_rows, false, false, form.inverted);
        consider(column, high, set_rows, false, false, !form.inverted);
    }
}

// ---- one node ----------------------------------------------------------------------------------

// Calls f with the sweep type that fits the criterion, the classes and the weights.
template <class Id, class F>
void with_sweep(const SearchContext& context, const Store<Id>& store, F&& f) {
    const int64_t* weight = store.weight.empty() ? nullptr : store.weight.data();
    const auto classes = [&](const auto* label) {
        using Label = std::remove_cvref_t<decltype(*label)>;
        const ClassRows<Label> rows{label, weight};
        switch (context.settings.criterion) {
            case Criterion::gini:
                if (weight != nullptr) return f(rows, std::type_identity<Gini<Label, true>>());
                if (store.n_classes == 2) return f(rows, std::type_identity<TwoClassGini<Label>>());
                return f(rows, std::type_identity<Gini<Label, false>>());
            case Criterion::entropy:
                if (weight != nullptr) return f(rows, std::type_identity<Entropy<Label, true>>());
                return f(rows, std::type_identity<Entropy<Label, false>>());
            default:
                if (weight != nullptr) return f(rows, std::type_identity<Error<Label, true>>());
                return f(rows, std::type_identity<Error<Label, false>>());
        }
    };
    const ValueRows values{store.q.data(), weight};
    if (!store.label8.empty())
        classes(store.label8.data());
    else if (!store.label32.empty())
        classes(store.label32.data());
    else if (context.settings.criterion == Criterion::poisson)
        f(values, std::type_identity<Poisson>());
    else if (weight != nullptr || context.target.wide)
        f(values, std::type_identity<WeightedSquaredError>());
    else
        f(values, std::type_identity<SquaredError>());
}

// What is searched as a whole: one sorted or coded column, or the bit columns of one word.
struct Unit {
    int32_t column = -1;
    int block = -1;
    uint64_t wanted = 0;
};

// Calls f(unit) for each sorted or coded column and for each word of bit columns.
template <class F>
void for_units(const std::vector<int32_t>& columns, const std::vector<ColumnForm>& forms, F&& f) {
    Unit block;
    for (int32_t column : columns) {
        const ColumnForm& form = forms[column];
        if (form.form != Form::bit) {
            f(Unit{column, -1, 0});
            continue;
        }
        if (block.block != form.block && block.wanted != 0) f(std::exchange(block, Unit{}));
        block.block = form.block;
        block.wanted |= uint64_t{1} << form.bit;
    }
    if (block.wanted != 0) f(block);
}

template <class Search>
void search_unit(const Unit& unit, const SearchContext& context, Search& search,
                 std::vector<uint8_t>& dead) {
    context.stop.check();
    if (unit.block < 0) {
        if (search.perfect() && unit.column > search.best().column) return;
        if (!search.column(unit.column)) dead[unit.column] = 1;
        return;
    }
    const std::vector<int32_t>& column_of_bit = context.block_columns[unit.block];
    uint64_t constant = search.bits(unit.block, unit.wanted, column_of_bit);
    for (; constant != 0; constant &= constant - 1)
        dead[column_of_bit[std::countr_zero(constant)]] = 1;
}

// Searches `columns` and marks the constant ones in `dead`.
template <class Id>
void search_columns(const SearchContext& context, const Store<Id>& store, OpenNode& node,
                    const std::vector<int32_t>& columns, Team& team,
                    std::vector<SearchScratch>& scratch, std::vector<uint8_t>& dead) {
    with_sweep(context, store, [&](const auto& rows, auto type) {
        using Sweep = typename decltype(type)::type;
        const auto new_search = [&](int worker) {
            return NodeSearch<Id, Sweep>(context, store, node,
                                         Sweep(rows, node.stats, scratch[worker].sweep),
                                         scratch[worker]);
        };
        if (team.size() == 1) {
            auto search = new_search(0);
            for_units(columns, context.forms,
                      [&](const Unit& unit) { search_unit(unit, context, search, dead); });
            if (better(search.best(), node.best)) node.best = search.best();
            return;
        }
        std::vector<Unit> units;
        for_units(columns, context.forms, [&](const Unit& unit) { units.push_back(unit); });
        std::vector<std::optional<NodeSearch<Id, Sweep>>> searches(team.size());
        team.for_each(static_cast<int64_t>(units.size()), [&](int64_t i, int worker) {
            if (!searches[worker]) searches[worker].emplace(new_search(worker));
            search_unit(units[i], context, *searches[worker], dead);
        });
        for (const auto& search : searches)
            if (search && better(search->best(), node.best)) node.best = search->best();
    });
}

// Columns in the order of their draws for this node.
std::vector<int32_t> drawn_order(const OpenNode& node, const Settings& settings, size_t n_columns) {
    std::vector<std::pair<uint64_t, int32_t>> draws(n_columns);
    const uint64_t seed = mix(mix(node.path, settings.seed), 0x636F6C756D6E73u);
    for (size_t c = 0; c < n_columns; ++c) draws[c] = {mix(seed, c), static_cast<int32_t>(c)};
    std::sort(draws.begin(), draws.end());
    std::vector<int32_t> order(n_columns);
    for (size_t i = 0; i < n_columns; ++i) order[i] = draws[i].second;
    return order;
}

Columns without(const Columns& alive, const std::vector<uint8_t>& dead) {
    const auto is_dead = [&](int32_t column) { return dead[column] != 0; };
    if (std::none_of(alive->begin(), alive->end(), is_dead)) return alive;
    std::vector<int32_t> rest;
    for (int32_t column : *alive)
        if (dead[column] == 0) rest.push_back(column);
    return std::make_shared<const std::vector<int32_t>>(std::move(rest));
}

}  // namespace

template <class Id>
void search(const SearchContext& context, const Store<Id>& store, OpenNode& node, Team& team,
            std::vector<SearchScratch>& scratch) {
    std::vector<uint8_t>& dead = scratch[0].dead;
    dead.assign(context.forms.size(), 0);
    const size_t limit = static_cast<size_t>(context.settings.max_columns);
    if (limit >= context.forms.size()) {
        search_columns(context, store, node, *node.alive, team, scratch, dead);
    } else {
        std::vector<uint8_t> alive(context.forms.size(), 0);
        for (int32_t column : *node.alive) alive[column] = 1;
        const auto order = drawn_order(node, context.settings, context.forms.size());
        std::vector<int32_t> drawn;
        for (size_t i = 0; i < order.size(); ++i) {
            if (alive[order[i]] != 0) drawn.push_back(order[i]);
            if (i + 1 < limit) continue;
            std::sort(drawn.begin(), drawn.end());
            search_columns(context, store, node, drawn, team, scratch, dead);
            if (node.best.exists()) break;
            drawn.clear();
        }
    }
    node.alive = without(node.alive, dead);
}

template void search(const SearchContext&, const Store<uint16_t>&, OpenNode&, Team&,
                     std::vector<SearchScratch>&);
template void search(const SearchContext&, const Store<uint32_t>&, OpenNode&, Team&,
                     std::vector<SearchScratch>&);

}  // namespace silva
