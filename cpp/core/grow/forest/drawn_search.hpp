// Finds and writes splits whose thresholds are drawn: between the lowest and the highest value of
// each column that a node draws (drawn_thresholds.hpp).
//
// Rows are told apart by the codes of their values; the values themselves are read where codes do
// not tell.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/split_values.hpp"
#include "core/grow/forest/drawn_sets.hpp"
#include "core/grow/forest/drawn_thresholds.hpp"
#include "core/grow/forest/extra_space.hpp"
#include "core/grow/forest/forest_growth.hpp"
#include "core/grow/forest/nested_rows.hpp"
#include "core/search/forest/masked_codes.hpp"

namespace silva {

template <class Finder>
class DrawnSearch {
    using Rows = typename Finder::Rows;

  public:
    using Marks = std::span<const uint64_t>;

    DrawnSearch(ForestGrowth<Finder>& tree, ExtraSpace<Rows>& memory)
        : tree_(tree),
          thresholds_(tree, memory.later),
          bits_(memory.bits),
          best_bits_(memory.best_bits),
          known_bits_(memory.known_bits),
          missing_bits_(memory.missing_bits),
          sets_(memory.sets),
          listed_(memory.listed) {
        const auto n_words = static_cast<size_t>((tree.space.whole.ids.size() + 63) / 64 + 1);
        for (auto* bits : {&bits_, &best_bits_, &known_bits_, &missing_bits_})
            bits->resize(n_words);
    }

    // Finds the best split of the marked rows, which are counted from `begin` on; codes_of gives
    // the codes of a column.
    template <class CodesOf>
    bool search(ForestNode& node, const Rows& rows, int64_t begin, const uint32_t* ids,
                const Marks& marks, CodesOf&& codes_of) {
        start(node, {&rows, begin, marks});
        return tree_.search_drawn(node, thresholds_.hash(), [&](std::span<const int32_t> drawn) {
            for (const int32_t c : drawn)
                if (tree_.may_vary(node, c) &&
                    !(is_categories(c) ? try_categories(marks, codes_of(c), c)
                                       : try_column(ids, marks, codes_of(c), c)))
                    node.mark_constant(c);
        });
    }
    // The same for few rows: several columns of numbers at a time, and other columns after them,
    // because `rows` keeps the codes of few columns.
    bool search_few(NestedRows<Rows>& rows, const Marks& marks, ForestNode& node) {
        start(node, {&rows.rows, 0, marks});
        return tree_.search_drawn(node, thresholds_.hash(), [&](std::span<const int32_t> drawn) {
            if (try_numbers(rows, marks, drawn, node) == std::ssize(drawn)) return;
            for (const int32_t c : drawn) {
                if (!is_categories(c) && !may_branch_off(c)) continue;
                if (tree_.may_vary(node, c) &&
                    !(is_categories(c) ? try_categories(marks, rows.codes(c), c)
                                       : try_column(rows.ids.data(), marks, rows.codes(c), c)))
                    node.mark_constant(c);
            }
        });
    }

    // The rows of the best split's left child.
    const uint64_t* left() const { return best_bits_.data(); }
    int64_t n_left() const { return best_rows_; }

    // Writes the best split, which has two children.
    void write_best(const uint32_t* ids, const Marks& marks, const uint16_t* codes) {
        const Cut& best = tree_.finder.best();
        if (is_categories(best.column)) return write_categories(marks, codes);
        tree_.write_split(
            thresholds_.complete(best.threshold, {best.column, ids, marks, codes}, best_range_));
    }

    // ---- the best split where CategorySplits found it: any number of children

    int64_t n_children() const {
        return tree_.finder.best().by_groups ? tree_.categories->n_children() : 2;
    }
    // Says where the listed rows go; its rule is written next.
    SplitRecord mark_children(const uint32_t* ids, const Marks& marks, const uint16_t* codes) {
        const int32_t c = tree_.finder.best().column;
        if (is_categories(c)) {
            listed_.list_codes(codes);
            listed_.child.resize(listed_.places.size());
            return tree_.categories->mark_children(listed_.codes.data(), listed_.child);
        }
        listed_.list_places(place_.marks);
        listed_.send(best_bits_.data(), best_missing_.data());
        SplitRecord rule;
        rule.kind = SplitKind::threshold;
        rule.column = c;
        rule.threshold = thresholds_.complete(best_threshold_, {c, ids, marks, codes}, best_range_);
        return rule;
    }
    // The rows of the node, and where they go.
    std::span<const uint32_t> listed() const { return listed_.places; }
    std::span<const uint32_t> child_of_listed() const { return listed_.child; }

    void draw_later() { thresholds_.draw_later(); }

  private:
    static constexpr size_t kTogether = NestedRows<Rows>::kTogether;

    // Where the rows of the node are.
    struct Place {
        const Rows* rows = nullptr;
        int64_t begin = 0;
        Marks marks;
    };

    void start(const ForestNode& node, const Place& place) {
        thresholds_.start(node);
        path_ = node.path;
        path_hash_ = mix(node.path, tree_.rules.settings.seed);
        place_ = place;
        is_listed_ = false;
        if (tree_.categories != nullptr) tree_.categories->start_node();
    }
    // Returns how many of the columns it looked after.
    int64_t try_numbers(NestedRows<Rows>& rows, const Marks& marks, std::span<const int32_t> drawn,
                        ForestNode& node) {
        std::array<SmallNodeColumn, kTogether> columns;
        size_t n = 0;
        int64_t n_numbers = 0;
        for (size_t i = 0; i < drawn.size(); ++i) {
            const int32_t c = drawn[i];
            if (i + kTogether < drawn.size()) rows.prefetch(drawn[i + kTogether]);
            if (is_categories(c) || may_branch_off(c)) continue;
            ++n_numbers;
            if (!tree_.may_vary(node, c)) continue;
            columns[n].column = c;
            columns[n].codes = rows.codes(c);
            columns[n].may_miss = missing_of(c).exist();
            columns[n].slack = codes_of(c).scale.slack();
            columns[n++].share = unit_draw(hash_of(c));
            if (n < kTogether) continue;
            try_few(rows.ids.data(), marks, {columns.data(), n}, node);
            n = 0;
        }
        try_few(rows.ids.data(), marks, {columns.data(), n}, node);
        return n_numbers;
    }
    // Whether missing values of a number may become a child of their own.
    bool may_branch_off(int32_t c) const {
        return missing_of(c).exist() && missing_of(c).own_branch;
    }
    bool is_categories(int32_t c) const { return tree_.columns.columns[c].is_categories(); }
    const ValueCodes& codes_of(int32_t c) const { return tree_.columns.columns[c].coded; }
    const MissingValues& missing_of(int32_t c) const { return tree_.columns.columns[c].missing; }
    uint64_t hash_of(int32_t c) const { return thresholds_.hash_of(c); }

    // ---- categories ----------------------------------------------------------------------------

    bool try_categories(const Marks& marks, const uint16_t* codes, int32_t c) {
        if (may_make_many(marks, codes, c)) {
            CategorySplits& categories = open_listed();
            listed_.list_codes(codes);
            return categories.search(c, listed_.codes.data(), tree_.finder);
        }
        const auto weight_of = [&](const Marks& some) {
            return tree_.finder.weight_of(some, count_marked(some.data(), 64 * std::ssize(some)));
        };
        const auto offer = [&](const Marks& left) {
            const int64_t left_rows = count_marked(left.data(), 64 * std::ssize(left));
            if (!tree_.finder.marked(c, left, left_rows, 0.0)) return;
            std::copy(left.begin(), left.end(), best_bits_.begin());
            best_rows_ = left_rows;
        };
        const uint64_t hash = mix(path_hash_, static_cast<uint64_t>(c));
        return sets_.ask({tree_.categories->column(c), codes, marks}, hash, weight_of, offer);
    }
    bool may_make_many(const Marks& marks, const uint16_t* codes, int32_t c) const {
        const CategoryColumn column = tree_.categories->column(c);
        if (column.asked.form == SplitForm::multiway) return true;
        return column.has_missing && column.asked.missing == Fallback::own_branch &&
               find_equal(codes, marks, 0, static_cast<uint16_t>(column.n_codes)) >= 0;
    }
    // CategorySplits looks at the rows of a node side by side.
    CategorySplits& open_listed() {
        CategorySplits& categories = *tree_.categories;
        if (is_listed_) return categories;
        listed_.list_places(place_.marks);
        listed_.rows.copy_listed(*place_.rows, place_.begin, listed_.places);
        categories.open(tree_.finder, listed_.rows, 0, std::ssize(listed_.places), path_);
        is_listed_ = true;
        return categories;
    }
    void write_categories(const Marks& marks, const uint16_t* codes) {
        const int32_t c = tree_.finder.best().column;
        const Candidate best = sets_.describe({tree_.categories->column(c), codes, marks},
                                              {best_bits_.data(), marks.size()});
        SplitRecord rule;
        rule.column = c;
        rule.kind = SplitKind::subset;
        rule.detail = best.detail;
        tree_.write_rule(best, rule);
    }

    // ---- numbers -------------------------------------------------------------------------------

    // Most columns are judged by codes alone: of the threshold it is enough to know its code
    // nearly, as long as no row has such a code. The threshold is not a number then.
    bool try_column(const uint32_t* ids, const Marks& marks, const uint16_t* codes, int32_t c) {
        const Parts parts = parts_of(marks, codes, c);
        if (parts.known.empty()) return false;
        const ValueCodes& coded = codes_of(c);
        const Range<uint16_t> range = range_of(codes, parts.known);
        const bool may_vary = range.low < range.high || coded.has_collision(range.low);
        if (!may_vary && parts.n_missing == 0) return false;
        double threshold = kDeferredThreshold;
        bool is_clear = false;
        if (coded.scale.has_windows() && range.low < range.high) {
            const auto window = coded.scale.window(range.low, range.high, unit_draw(hash_of(c)));
            is_clear = !mark_below(codes, parts.known, window.first, window.last, bits_.data());
        }
        if (!is_clear) {
            const CodedRows rows{c, ids, parts.known, codes};
            threshold = thresholds_.draw(rows, range);
            if (std::isnan(threshold)) return ask_missing(c, parts);
            thresholds_.mark_left(rows, threshold, bits_);
        }
        if (parts.n_missing > 0 && missing_of(c).own_branch) {
            branch_off(c, parts, threshold, range);
            return true;
        }
        int64_t left_rows = count_marked(bits_.data(), 64 * std::ssize(marks));
        const MissingPass pass =
            place_missing(c, parts.missing, parts.n_missing, bits_.data(), left_rows);
        take_if_best(c, {bits_.data(), marks.size()}, left_rows, threshold, range, pass);
        return true;
    }
    // `left` are the first words of `bits_`.
    void take_if_best(int32_t c, const Marks& left, int64_t left_rows, double threshold,
                      Range<uint16_t> range, const MissingPass& pass) {
        if (!tree_.finder.marked(c, left, left_rows, threshold, pass)) return;
        std::swap(bits_, best_bits_);
        best_rows_ = left_rows;
        best_range_ = range;
    }

    // ---- missing values ------------------------------------------------------------------------

    // The rows of a node that have a value of a column, and those that have none.
    struct Parts {
        Marks known, missing;
        int64_t n_missing = 0;
    };
    Parts parts_of(const Marks& marks, const uint16_t* codes, int32_t c) {
        if (!missing_of(c).exist()) return {marks, {}};
        mark_below(codes, marks, kMissingCode, kMissingCode, known_bits_.data());
        int64_t n_known = 0, n_missing = 0;
        for (size_t word = 0; word < marks.size(); ++word) {
            missing_bits_[word] = marks[word] ^ known_bits_[word];
            n_known += std::popcount(known_bits_[word]);
            n_missing += std::popcount(missing_bits_[word]);
        }
        const size_t n_words = n_known > 0 ? marks.size() : 0;
        return {{known_bits_.data(), n_words}, {missing_bits_.data(), marks.size()}, n_missing};
    }
    // The rows that `bits_` has go left, missing ones to a child of their own.
    void branch_off(int32_t c, const Parts& parts, double threshold, Range<uint16_t> range) {
        CategorySplits& categories = *tree_.categories;
        const int64_t n = count_marked(parts.known.data(), 64 * std::ssize(parts.known)),
                      n_left = count_marked(bits_.data(), 64 * std::ssize(parts.known));
        if (!categories.is_open())
            categories.open(tree_.finder, listed_.rows, 0, n + parts.n_missing, path_);
        right_.resize(parts.known.size());
        for (size_t word = 0; word < right_.size(); ++word)
            right_[word] = parts.known[word] & ~bits_[word];
        const size_t width = categories.group_width();
        groups_.assign(3 * width, 0);
        const auto child = [&](size_t which, const Marks& marks, int64_t rows) {
            tree_.finder.write_group(marks, rows, groups_.data() + which * width);
            return ChildGroup{groups_.data() + which * width, rows};
        };
        const ChildGroup children[] = {child(0, {bits_.data(), right_.size()}, n_left),
                                       child(1, right_, n - n_left),
                                       child(2, parts.missing, parts.n_missing)};
        categories.offer_own_branch(c, children, tree_.finder);
        if (!tree_.finder.best().by_groups || tree_.finder.best().column != c) return;
        std::swap(bits_, best_bits_);
        best_missing_.assign(parts.missing.begin(), parts.missing.end());
        best_threshold_ = threshold;
        best_range_ = range;
    }
    // Where no two known values differ, the only question is "is it missing?". False: it cannot be
    // asked, since there are no missing values.
    bool ask_missing(int32_t c, const Parts& parts) {
        if (parts.n_missing == 0) return false;
        if (missing_of(c).follow_majority) return true;
        std::copy(parts.missing.begin(), parts.missing.end(), bits_.begin());
        constexpr double lowest = -std::numeric_limits<double>::infinity();
        take_if_best(c, parts.missing, parts.n_missing, lowest, {}, {true, true});
        return true;
    }
    // Sends missing rows left or right: adds them to the marked ones, or not.
    MissingPass place_missing(int32_t c, const Marks& missing, int64_t n_missing, uint64_t* left,
                              int64_t& left_rows) {
        if (n_missing == 0) return {};
        const Marks known_left(left, missing.size());
        const bool goes_left =
            missing_of(c).follow_majority
                ? MissingPass::is_heavier(
                      tree_.finder.weight_of(known_left, left_rows),
                      tree_.finder.weight() - tree_.finder.weight_of(missing, n_missing))
                : (mix(hash_of(c)) & 1) != 0;
        if (goes_left) {
            for (size_t word = 0; word < missing.size(); ++word) left[word] |= missing[word];
            left_rows += n_missing;
        }
        return {true, goes_left};
    }
    MissingPass place_missing(SmallNodeColumn& column, size_t n_words) {
        if (!column.is_clear) return {};
        const Marks missing(column.missing, n_words);
        const int64_t n_missing = count_marked(missing.data(), 64 * std::ssize(missing));
        return place_missing(column.column, missing, n_missing, column.below, column.n_below);
    }

    // ---- several columns of few rows -----------------------------------------------------------

    // Which of the columns are the best is known but for rounding: only these are weighed exactly.
    void try_few(const uint32_t* ids, const Marks& marks, std::span<SmallNodeColumn> columns,
                 ForestNode& node) {
        cut_few(columns, marks);
        std::array<double, kTogether> approximate_scores;
        double best = 0.0;
        uint32_t with_missing = 0, missing_left = 0;  // a bit for each column
        for (size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].may_miss) {
                const MissingPass pass = place_missing(columns[i], marks.size());
                with_missing |= static_cast<uint32_t>(pass.exist) << i;
                missing_left |= static_cast<uint32_t>(pass.left) << i;
            }
            approximate_scores[i] =
                columns[i].is_clear ? approximate_score(columns[i], marks.size()) : -1.0;
            best = std::max(best, approximate_scores[i]);
        }
        for (size_t i = 0; i < columns.size(); ++i) {
            const SmallNodeColumn& column = columns[i];
            const int32_t c = column.column;
            if (!column.is_clear) {
                if (!try_column(ids, marks, column.codes, c)) node.mark_constant(c);
                continue;
            }
            if (approximate_scores[i] < best * kSlack) continue;
            const Marks left(column.below, marks.size());
            const MissingPass pass{(with_missing >> i & 1) != 0, (missing_left >> i & 1) != 0};
            if (!tree_.finder.marked(c, left, column.n_below, kDeferredThreshold, pass)) continue;
            std::copy(left.begin(), left.end(), best_bits_.begin());
            best_rows_ = column.n_below;
            best_range_ = column.range;
        }
    }
    double approximate_score(const SmallNodeColumn& column, size_t n_words) const {
        if constexpr (requires { &Finder::approximate_score; })
            return tree_.finder.approximate_score({column.below, n_words}, column.n_below);
        else
            return 0.0;
    }

    ForestGrowth<Finder>& tree_;
    DrawnThresholds<Finder> thresholds_;
    std::vector<uint64_t>&bits_, &best_bits_, &known_bits_, &missing_bits_;
    DrawnSets& sets_;
    ListedRows<Rows>& listed_;
    Place place_;
    uint64_t path_ = 0, path_hash_ = 0;
    bool is_listed_ = false;
    int64_t best_rows_ = 0;  // of the left child
    Range<uint16_t> best_range_{};
    // Of the best split beside a branch of missing values.
    std::vector<uint64_t> best_missing_;
    double best_threshold_ = 0.0;
    // Of a split that is tried.
    std::vector<uint64_t> right_;
    std::vector<int64_t> groups_;
};

}  // namespace silva
