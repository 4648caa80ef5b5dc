#include "core/grow/forest/drawn_sets.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace silva {
namespace {

// Marks those of the marked rows for which is_found is 1. It may be asked about others too.
template <class IsFound>
uint64_t find_rows(uint64_t marked, IsFound&& is_found) {
    constexpr int many = 24;
    uint64_t found = 0;
    if (std::popcount(marked) >= many) {
        for (int i = 0; i < 64; ++i) found |= is_found(i) << i;
        return found & marked;
    }
    for (uint64_t rest = marked; rest != 0; rest &= rest - 1) {
        const int i = std::countr_zero(rest);
        found |= is_found(i) << i;
    }
    return found;
}

}  // namespace

void DrawnSets::list(const Rows& rows) {
    const CategoryColumn& column = rows.column;
    if (column.has_few_places())
        list_few(rows);
    else
        list_many(rows);
    const auto n_codes = static_cast<size_t>(column.n_codes);
    has_missing_ = seen_.has(n_codes);
    has_lone_ = seen_.has(n_codes + 1);
    lone_are_missing_ = has_missing_ && has_lone_ && column.asked.lone_follow_missing();
}

// Stops where all levels of the column are seen and nothing else can be.
void DrawnSets::list_few(const Rows& rows) {
    const CategoryColumn& column = rows.column;
    const uint64_t levels = (uint64_t{1} << column.n_codes) - 1;
    uint64_t found = 0;
    for (size_t word = 0; word < rows.marks.size(); ++word) {
        const auto first = static_cast<int64_t>(64 * word);
        for (uint64_t rest = rows.marks[word]; rest != 0; rest &= rest - 1)
            found |= uint64_t{1} << rows.place(first + std::countr_zero(rest));
        if (found == levels && !column.has_missing) break;
    }
    seen_.first() = found;
    n_known_ = std::popcount(found & levels);
}

void DrawnSets::list_many(const Rows& rows) {
    const auto n_codes = static_cast<size_t>(rows.column.n_codes);
    listed_.clear();
    for_each_row(rows.marks, [&](int64_t i) {
        const size_t place = rows.place(i);
        if (seen_.has(place)) return;
        seen_.set(place, true);
        if (place < n_codes) listed_.push_back(static_cast<uint16_t>(place));
    });
    n_known_ = std::ssize(listed_);
}

void DrawnSets::forget(const CategoryColumn& column) {
    const auto n_codes = static_cast<size_t>(column.n_codes);
    for (Places* places : {&seen_, &chosen_, &follows_}) {
        if (!column.has_few_places())
            for (const uint16_t level : listed_) places->clear_word_of(level);
        places->clear_word_of(n_codes);
        places->clear_word_of(n_codes + 1);
    }
}

void DrawnSets::place_absent(const CategoryColumn& column, Side missing) {
    const auto put = [&](size_t place, Side side) {
        chosen_.set(place, side == Side::chosen);
        follows_.set(place, side == Side::follows);
    };
    const auto n_codes = static_cast<size_t>(column.n_codes);
    put(n_codes, missing);
    put(n_codes + 1, lone_are_missing_ ? missing : Side::follows);
}

// A fair coin for each level; missing values come before the known ones.
void DrawnSets::choose_by_coins(const CategoryColumn& column, uint64_t hash) {
    if (column.two_values) return chosen_.set(nth_known(column, 0), true);
    const bool with_missing = missing_are_level(column);
    const int64_t n_levels = n_known_ + (with_missing ? 1 : 0);
    int64_t n_chosen = 0;
    const auto toss = [&](int32_t code) {
        const bool is_chosen = (mix(hash, static_cast<uint64_t>(code)) & 1) != 0;
        n_chosen += is_chosen ? 1 : 0;
        return is_chosen;
    };
    for_known(column, [&](size_t level) { chosen_.set(level, toss(static_cast<int32_t>(level))); });
    const auto choose_missing = [&](bool choose) {
        if (with_missing) place_absent(column, choose ? Side::chosen : Side::others);
    };
    choose_missing(with_missing && toss(kMissingLevel));
    if (n_chosen != 0 && n_chosen != n_levels) return;
    const uint64_t one = hash % static_cast<uint64_t>(n_levels);
    const uint64_t first_known = with_missing ? 1 : 0;
    for_known(column, [&](size_t level) { chosen_.set(level, false); });
    choose_missing(one < first_known);
    if (one >= first_known) chosen_.set(nth_known(column, one - first_known), true);
}

size_t DrawnSets::nth_known(const CategoryColumn& column, uint64_t n) {
    if (column.has_few_places()) {
        uint64_t rest = known_levels(column);
        for (; n > 0; --n) rest &= rest - 1;
        return static_cast<size_t>(std::countr_zero(rest));
    }
    const auto nth = listed_.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(listed_.begin(), nth, listed_.end());
    return *nth;
}

void DrawnSets::mark(const Rows& rows, const Places& places, std::vector<uint64_t>& out) const {
    out.resize(rows.marks.size());
    const auto by = [&](auto&& has_code) {
        for (size_t word = 0; word < out.size(); ++word) {
            const uint16_t* codes = rows.codes + 64 * word;
            out[word] = find_rows(rows.marks[word], [&](int i) { return has_code(codes[i]); });
        }
    };
    const auto has_place = [&](uint16_t code) { return uint64_t{places.has(rows.place_of(code))}; };
    if (rows.column.has_few_places() && rows.column.places == nullptr)
        by([word = places.first()](uint16_t code) { return word >> (code % 64) & 1; });
    else
        by(has_place);
}

// The places of rows that do not go left.
void DrawnSets::choose_right(const Rows& rows, Marks left) {
    for (size_t word = 0; word < left.size(); ++word)
        for (uint64_t rest = rows.marks[word] & ~left[word]; rest != 0; rest &= rest - 1)
            chosen_.set(rows.place(static_cast<int64_t>(64 * word) + std::countr_zero(rest)), true);
}

Candidate DrawnSets::describe(const Rows& rows, Marks left) {
    const CategoryColumn& column = rows.column;
    list(rows);
    choose_right(rows, left);
    SplitDetail detail;
    const bool keeps_rest =
        column.asked.form == SplitForm::subset && column.asked.unseen != Fallback::majority;
    for_known(column, [&](size_t level) {
        if (chosen_.has(level))
            detail.codes.push_back(static_cast<int32_t>(level));
        else if (keeps_rest)
            detail.rest.push_back(static_cast<int32_t>(level));
    });
    std::sort(detail.codes.begin(), detail.codes.end());
    std::sort(detail.rest.begin(), detail.rest.end());
    Candidate candidate;
    candidate.kind = SplitKind::subset;
    candidate.missing_chosen = has_missing_;
    candidate.missing_left = has_missing_ && !chosen_.has(static_cast<size_t>(column.n_codes));
    candidate.detail = std::make_shared<const SplitDetail>(std::move(detail));
    forget(column);
    return candidate;
}

}  // namespace silva
