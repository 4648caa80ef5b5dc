// Random questions about columns of categories: some levels of a node against the others, as
// GroupSearch::random_categories asks them of a single tree.
//
// The levels of the node's rows are listed, and each row is told by the side of its level. A split
// is written down from the sides alone.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/base/random.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/grow/forest/category_splits.hpp"
#include "core/search/candidate.hpp"

namespace silva {

class DrawnSets {
  public:
    using Marks = std::span<const uint64_t>;

    // A column, its codes by row, and which rows count.
    struct Rows {
        CategoryColumn column;
        const uint16_t* codes;
        Marks marks;

        size_t place(int64_t i) const { return place_of(codes[i]); }
        // Of any code, also of rows that are not marked.
        size_t place_of(uint16_t code) const {
            if (column.places == nullptr) return code;
            return column.places[std::min<int32_t>(code, column.n_codes)];
        }
    };

    // Calls offer(rows that go left) for the questions of this hash; weight_of(marks) is what some
    // rows weigh. False where the column is constant.
    template <class WeightOf, class Offer>
    bool ask(const Rows& rows, uint64_t hash, WeightOf&& weight_of, Offer&& offer) {
        list(rows);
        const bool varies = n_known_ + (has_missing_ ? 1 : 0) >= 2 ||
                            (has_missing_ && has_lone_ && !lone_are_missing_);
        if (varies) ask_about(rows, hash, weight_of, offer);
        forget(rows.column);
        return varies;
    }

    // The candidate of a question whose left rows are given.
    Candidate describe(const Rows& rows, Marks left);

  private:
    // A bit for each place of a column.
    class Places {
      public:
        bool has(size_t place) const { return (words_[place / 64] >> (place % 64) & 1) != 0; }
        void set(size_t place, bool value) {
            uint64_t& word = words_[place / 64];
            word = (word & ~(uint64_t{1} << (place % 64))) | static_cast<uint64_t>(value)
                                                                 << (place % 64);
        }
        void clear_word_of(size_t place) { words_[place / 64] = 0; }
        uint64_t& first() { return words_[0]; }
        uint64_t first() const { return words_[0]; }

      private:
        std::vector<uint64_t> words_ = std::vector<uint64_t>(65536 / 64 + 1, 0);
    };
    enum class Side : uint8_t { others, chosen, follows };  // followers go left

    void list(const Rows& rows);
    void list_few(const Rows& rows);
    void list_many(const Rows& rows);
    void forget(const CategoryColumn& column);
    // Calls f with the places of the known levels, in some order.
    template <class F>
    void for_known(const CategoryColumn& column, F&& f) const {
        if (column.has_few_places()) {
            for (uint64_t rest = known_levels(column); rest != 0; rest &= rest - 1)
                f(static_cast<size_t>(std::countr_zero(rest)));
        } else {
            for (const uint16_t place : listed_) f(size_t{place});
        }
    }
    uint64_t known_levels(const CategoryColumn& column) const {
        return seen_.first() & ((uint64_t{1} << column.n_codes) - 1);
    }
    size_t nth_known(const CategoryColumn& column, uint64_t n);
    bool missing_are_level(const CategoryColumn& column) const {
        return has_missing_ && column.asked.missing == Fallback::learn;
    }
    void choose_by_coins(const CategoryColumn& column, uint64_t hash);
    void choose_right(const Rows& rows, Marks left);
    // Where missing values go, and lone levels.
    void place_absent(const CategoryColumn& column, Side missing);
    void mark(const Rows& rows, const Places& places, std::vector<uint64_t>& out) const;
    Marks left_of(const Rows& rows, const std::vector<uint64_t>& right) {
        left_.resize(rows.marks.size());
        for (size_t w = 0; w < left_.size(); ++w) left_[w] = rows.marks[w] & ~right[w];
        return left_;
    }

    template <class WeightOf, class Offer>
    void ask_about(const Rows& rows, uint64_t hash, WeightOf&& weight_of, Offer&& offer) {
        const CategoryColumn& column = rows.column;
        place_absent(column, Side::follows);
        if (n_known_ < 2) {
            if (!missing_are_level(column)) return;
            place_absent(column, Side::chosen);
            mark(rows, chosen_, set_);
            return offer(left_of(rows, set_));
        }
        if (column.asked.form == SplitForm::onevsrest)
            return one_against_rest(rows, hash, weight_of, offer);
        choose_by_coins(column, hash);
        mark(rows, chosen_, set_);
        if (!set_goes_right(rows, weight_of)) {
            list_others(rows);
            std::swap(set_, others_);
        }
        offer(left_of(rows, set_));
    }

    // Missing values that follow the majority join the level if it is heavier than all others.
    template <class WeightOf, class Offer>
    void one_against_rest(const Rows& rows, uint64_t hash, WeightOf&& weight_of, Offer&& offer) {
        const CategoryColumn& column = rows.column;
        const auto ask_level = [&](size_t level) {
            chosen_.set(level, true);
            if (missing_are_level(column) && (mix(hash) & 1) == 0)
                place_absent(column, Side::chosen);
            mark(rows, chosen_, set_);
            if (has_missing_ && !missing_are_level(column) &&
                weight_of(Marks(set_)) > weight_of_others(rows, weight_of)) {
                place_absent(column, Side::chosen);
                mark(rows, chosen_, set_);
            }
            offer(left_of(rows, set_));
            chosen_.set(level, false);
        };
        if (!column.two_values)
            return ask_level(nth_known(column, hash % static_cast<uint64_t>(n_known_)));
        ask_level(nth_known(column, 0));
        ask_level(nth_known(column, 1));
    }

    // The lighter side of the levels goes right, of equals the one without the lowest code.
    template <class WeightOf>
    bool set_goes_right(const Rows& rows, WeightOf&& weight_of) {
        const CategoryColumn& column = rows.column;
        int64_t n_chosen = 0;
        for_known(column, [&](size_t level) { n_chosen += chosen_.has(level) ? 1 : 0; });
        if (n_chosen == 0 || n_chosen == n_known_) return n_chosen == 0;
        const int64_t weight = weight_of(Marks(set_)), rest = weight_of_others(rows, weight_of);
        return weight != rest ? weight < rest : !chosen_.has(nth_known(column, 0));
    }
    // Of the levels that are not chosen.
    template <class WeightOf>
    int64_t weight_of_others(const Rows& rows, WeightOf&& weight_of) {
        list_others(rows);
        return weight_of(Marks(others_));
    }
    void list_others(const Rows& rows) {
        others_.resize(rows.marks.size());
        for (size_t w = 0; w < others_.size(); ++w) others_[w] = rows.marks[w] & ~set_[w];
        if (!has_missing_ && !has_lone_) return;
        mark(rows, follows_, left_);
        for (size_t w = 0; w < others_.size(); ++w) others_[w] &= ~left_[w];
    }

    Places seen_, chosen_, follows_;  // empty between two columns
    std::vector<uint16_t> listed_;    // known levels of a column of many places
    int64_t n_known_ = 0;
    bool has_missing_ = false, has_lone_ = false, lone_are_missing_ = false;
    std::vector<uint64_t> set_, others_, left_;
};

}  // namespace silva
