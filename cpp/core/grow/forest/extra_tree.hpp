// A tree of thresholds that are drawn: between the lowest and the highest value of each column that
// a node draws.
//
// Rows are told apart by the codes of their values; the values themselves are read where codes do
// not tell. A node is a set of rows among others that lie side by side, and nothing is moved when
// it is split; a node that has become a small part of them gets its rows side by side anew.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/columns/reductions.hpp"
#include "core/columns/split_values.hpp"
#include "core/grow/forest/extra_space.hpp"
#include "core/grow/forest/nested_rows.hpp"
#include "core/grow/forest/tree_growth.hpp"
#include "core/search/forest/masked_codes.hpp"

namespace silva {

template <class Finder>
class ExtraTree : TreeGrowth<Finder> {
    using Base = TreeGrowth<Finder>;
    using Rows = typename Base::Rows;
    using Marks = std::span<const uint64_t>;
    using Base::bag_, Base::columns_, Base::settings_, Base::space_, Base::finder_, Base::stop_,
        Base::writer_;

  public:
    template <class... Args>
    explicit ExtraTree(ExtraSpace<Rows>& memory, Args&&... args)
        : Base(std::forward<Args>(args)...),
          memory_(memory),
          bits_(memory.bits),
          best_bits_(memory.best_bits),
          all_(memory.all) {}

    // The rows of the whole frame are in place.
    TreeArrays grow(bool shape) {
        const int64_t n = space_.whole.ids.size();
        for (auto* bits : {&bits_, &best_bits_})
            bits->resize(static_cast<size_t>((n + 63) / 64 + 1));
        memory_.later.clear();
        grow_whole({0, 1, 0, this->not_constant()}, n);
        draw_later();
        return writer_.take(shape);
    }

  private:
    static constexpr size_t kTogether = 8;
    static constexpr double kDeferredThreshold = std::numeric_limits<double>::quiet_NaN();
    // A node that is searched has at least this part of the rows around it.
    static constexpr int64_t kLeastShare = 3;

    using Node = RandomNode;
    using SetNode = RandomSet;
    using Level = RandomLevel<Rows>;

    bool lives(const Node& node, int32_t c) const {
        return !columns_.columns[c].constant && !this->is_dead(node.alive, c);
    }
    bool finds_split() const { return finder_.best().exists() && this->gains_enough(); }

    // ---- nodes of the whole frame: slices of its rows ------------------------------------------

    struct SliceNode {
        Node node;
        int64_t begin, end;
    };

    void grow_whole(const Node& root, int64_t n_rows) {
        std::vector<SliceNode> open{{root, 0, n_rows}};
        while (!open.empty()) {
            stop_.check();
            SliceNode slice = open.back();
            open.pop_back();
            const int64_t n = slice.end - slice.begin;
            finder_.open(space_.whole.rows, slice.begin, slice.end);
            if (this->must_be_leaf(n, slice.node.depth) || finder_.pure()) {
                write_slice(slice);
            } else if (n <= local_rows()) {
                const Frame<Rows>& whole = space_.whole;
                NestedRows<Rows>& rows = level(0).rows;
                rows.start(whole.ids.data(), whole.rows, slice.begin, slice.end, columns_);
                grow_local(slice.node, 0);
            } else {
                search_slice(slice);
                if (finds_split())
                    split_slice(slice, open);
                else
                    write_slice(slice);
            }
        }
    }
    // Nodes up to so many rows get a set of their own, which takes little memory then.
    int64_t local_rows() const {
        constexpr int64_t most_bytes = int64_t{5} << 20;
        const auto bytes_of_row = 16 + 2 * static_cast<int64_t>(columns_.columns.size());
        return std::max<int64_t>(most_bytes / bytes_of_row, 512);
    }
    void write_slice(const SliceNode& slice) {
        this->write_leaf(space_.whole.rows, space_.whole.ids, [&](auto&& f) {
            for (int64_t i = slice.begin; i < slice.end; ++i) f(i);
        });
    }
    void search_slice(SliceNode& slice) {
        const int64_t n = slice.end - slice.begin;
        all_.assign(static_cast<size_t>(n + 63) / 64, ~uint64_t{0});
        all_.back() >>= (64 - n % 64) % 64;
        search(slice.node, [&](int32_t c) {
            const uint16_t* codes = space_.codes(columns_.columns[c], slice.begin, n);
            return try_column(space_.whole.ids.data() + slice.begin, all_, codes, c);
        });
    }
    void split_slice(const SliceNode& slice, std::vector<SliceNode>& open) {
        const int64_t n = slice.end - slice.begin;
        const uint16_t* codes =
            space_.codes(columns_.columns[finder_.best().column], slice.begin, n);
        write_best(space_.whole.ids.data() + slice.begin, all_, codes);
        const int64_t middle = slice.begin + count_marked(best_bits_.data(), n);
        space_.whole.split_rows(slice.begin, {n, best_bits_.data(), space_.spare(), true});
        SliceNode left{slice.node, slice.begin, middle}, right{slice.node, middle, slice.end};
        left.node.go_to_child(0);
        right.node.go_to_child(1);
        open.push_back(right);
        open.push_back(left);
    }

    // ---- nodes below: sets of rows -------------------------------------------------------------

    Level& level(size_t depth) {
        auto& levels = memory_.levels;
        while (levels.size() <= depth) levels.push_back(std::make_unique<Level>());
        return *levels[depth];
    }

    void grow_local(const Node& root, size_t depth) {
        Level& here = level(depth);
        SetNode set{root, here.rows.size()};
        here.start(set.n);
        stop_.check();
        while (true) {
            if (grow_set(set, here, depth)) continue;
            if (here.waiting.empty()) return;
            set = here.waiting.back();
            here.waiting.pop_back();
        }
    }
    // Splits the node: the right child waits, the left one takes its place. False where nothing is
    // left to do: the node is a leaf, or it is grown.
    bool grow_set(SetNode& set, Level& here, size_t depth) {
        const Marks marks = here.marks_of_next();
        finder_.open_marked(here.rows.rows, marks, set.n);
        if (this->must_be_leaf(set.n, set.node.depth) || finder_.pure()) {
            write_set(here.rows, marks);
            return false;
        }
        if (is_small_part(set.n, here.rows.size())) {
            level(depth + 1).rows.start(here.rows, marks, set.n);
            grow_local(set.node, depth + 1);
            return false;
        }
        search_set(here.rows, marks, set.node);
        if (!finds_split()) {
            write_set(here.rows, marks);
            return false;
        }
        split_set(set, here, marks);
        return true;
    }
    static bool is_small_part(int64_t n, int64_t n_rows) {
        return n_rows > kFewRows && (n <= kFewRows || n * kLeastShare < n_rows);
    }
    void write_set(const NestedRows<Rows>& rows, const Marks& marks) {
        this->write_leaf(rows.rows, rows.ids, [&](auto&& f) { for_each_row(marks, f); });
    }
    void search_set(NestedRows<Rows>& rows, const Marks& marks, Node& node) {
        if (marks.size() <= kFewWords) return search_few(rows, marks, node);
        search(node,
               [&](int32_t c) { return try_column(rows.ids.data(), marks, rows.codes(c), c); });
    }
    void split_set(SetNode& set, Level& here, const Marks& marks) {
        write_best(here.rows.ids.data(), marks, here.rows.codes(finder_.best().column));
        here.split_next({best_bits_.data(), marks.size()});
        SetNode& right = here.waiting.emplace_back(set);
        right.node.go_to_child(1);
        right.n -= best_rows_;
        set.node.go_to_child(0);
        set.n = best_rows_;
    }

    // ---- search --------------------------------------------------------------------------------

    // Most nodes are leaves, which need no path.
    void set_hash(Node& node) {
        if (node.number != 0) node.path = mix(node.path, node.number);
        node.number = 0;
        hash_ = mix(mix(node.path, settings_.seed));
    }
    // Calls f with each column that the node draws: false where the column is constant here.
    template <class F>
    void search(Node& node, F&& f) {
        set_hash(node);
        this->search_drawn(mix(hash_ ^ Base::kColumnDraws), node.alive,
                           [&](std::span<const int32_t> drawn) {
                               for (const int32_t c : drawn)
                                   if (lives(node, c) && !f(c)) this->mark_dead(node.alive, c);
                           });
    }
    const ValueCodes& codes_of(int32_t c) const { return columns_.columns[c].coded; }
    double value(int32_t c, uint32_t id) const {
        return bag_.table.columns[c].value(bag_.shared.row_of(id));
    }
    void prefetch(int32_t c, uint32_t id) const {
        __builtin_prefetch(bag_.table.columns[c].at(bag_.shared.row_of(id)));
    }
    uint64_t hash_of(int32_t c) const { return mix(hash_ ^ static_cast<uint64_t>(c)); }

    // Most columns are judged by codes alone: of the threshold it is enough to know its code
    // nearly, as long as no row has such a code. The threshold is not a number then.
    bool try_column(const uint32_t* ids, const Marks& marks, const uint16_t* codes, int32_t c) {
        const ValueCodes& coded = codes_of(c);
        const Range<uint16_t> range = range_of(codes, marks);
        if (range.low == range.high && !coded.has_collision(range.low)) return false;
        double threshold = kDeferredThreshold;
        bool is_clear = false;
        if (coded.scale.has_windows() && range.low < range.high) {
            const auto window = coded.scale.window(range.low, range.high, unit_draw(hash_of(c)));
            is_clear = !mark_below(codes, marks, window.first, window.last, bits_.data());
        }
        if (!is_clear) {
            threshold = draw_threshold(ids, marks, codes, c, range);
            if (std::isnan(threshold)) return false;
            mark_left(ids, marks, codes, c, threshold);
        }
        const auto n_words = static_cast<int64_t>(marks.size());
        const int64_t left_rows = count_marked(bits_.data(), 64 * n_words);
        if (finder_.marked(c, {bits_.data(), marks.size()}, left_rows, threshold)) {
            std::swap(bits_, best_bits_);
            best_rows_ = left_rows;
            best_range_ = range;
        }
        return true;
    }

    // NaN where the column is constant here.
    double draw_threshold(const uint32_t* ids, const Marks& marks, const uint16_t* codes, int32_t c,
                          Range<uint16_t> range) const {
        const double low = extreme(ids, marks, codes, c, range.low, std::less());
        const double high = extreme(ids, marks, codes, c, range.high, std::greater());
        return low == high ? kDeferredThreshold : random_between(low, high, hash_of(c));
    }
    // The value beyond all others that have the code.
    template <class IsBeyond>
    double extreme(const uint32_t* ids, const Marks& marks, const uint16_t* codes, int32_t c,
                   uint16_t code, IsBeyond&& is_beyond) const {
        int64_t at = find_equal(codes, marks, 0, code);
        double found = value(c, ids[at]);
        if (!codes_of(c).has_collision(code)) return found;
        while ((at = find_equal(codes, marks, at + 1, code)) >= 0) {
            const double other = value(c, ids[at]);
            if (is_beyond(other, found)) found = other;
        }
        return found;
    }
    void mark_left(const uint32_t* ids, const Marks& marks, const uint16_t* codes, int32_t c,
                   double threshold) {
        const ValueCodes& coded = codes_of(c);
        const uint16_t cut = coded.scale.code(threshold);
        if (!mark_below(codes, marks, cut, cut, bits_.data())) return;
        int64_t at = find_equal(codes, marks, 0, cut);
        bool is_below = value(c, ids[at]) < threshold;
        for (; at >= 0; at = find_equal(codes, marks, at + 1, cut)) {
            if (coded.has_collision(cut)) is_below = value(c, ids[at]) < threshold;
            bits_[static_cast<size_t>(at / 64)] |= static_cast<uint64_t>(is_below) << (at % 64);
        }
    }
    // Writes the best split. Values that were not needed so far lie far
    // apart in memory, so that they are read for all splits together in the end.
    void write_best(const uint32_t* ids, const Marks& marks, const uint16_t* codes) {
        const Cut& best = finder_.best();
        if (!std::isnan(best.threshold)) return this->write_split(best.threshold);
        const int32_t c = best.column;
        const Ends ends = find_ends(codes, marks, best_range_);
        if ((ends.one_low || !codes_of(c).has_collision(best_range_.low)) &&
            (ends.one_high || !codes_of(c).has_collision(best_range_.high))) {
            memory_.later.push_back(
                {writer_.n_splits(), c, ids[ends.low], ids[ends.high], hash_of(c)});
            return this->write_split(kDeferredThreshold);
        }
        return this->write_split(draw_threshold(ids, marks, codes, c, best_range_));
    }
    // The values lie far apart in memory: those of splits to come are asked for ahead.
    void draw_later() {
        constexpr size_t ahead = 16;
        const std::vector<LaterThreshold>& later = memory_.later;
        for (size_t i = 0; i < later.size(); ++i) {
            if (i + ahead < later.size()) {
                const LaterThreshold& next = later[i + ahead];
                prefetch(next.column, next.low_id);
                prefetch(next.column, next.high_id);
            }
            const LaterThreshold& one = later[i];
            const double low = value(one.column, one.low_id);
            const double high = value(one.column, one.high_id);
            writer_.set_threshold(one.split, random_between(low, high, one.hash));
        }
    }

    // ---- search of few rows: several columns at a time -----------------------------------------

    void search_few(NestedRows<Rows>& rows, const Marks& marks, Node& node) {
        set_hash(node);
        const auto these = [&](std::span<const int32_t> drawn) {
            std::array<SmallNodeColumn, kTogether> columns;
            size_t n = 0;
            for (const int32_t c : drawn) {
                if (!lives(node, c)) continue;
                columns[n].column = c;
                columns[n].codes = rows.codes(c);
                columns[n].slack = codes_of(c).scale.slack();
                columns[n++].share = unit_draw(hash_of(c));
                if (n < kTogether) continue;
                try_few(rows.ids.data(), marks, {columns.data(), n}, node);
                n = 0;
            }
            try_few(rows.ids.data(), marks, {columns.data(), n}, node);
        };
        this->search_drawn(mix(hash_ ^ Base::kColumnDraws), node.alive, these);
    }
    // Which of the columns are the best is known but for rounding: only these are weighed exactly.
    void try_few(const uint32_t* ids, const Marks& marks, std::span<SmallNodeColumn> columns,
                 Node& node) {
        cut_few(columns, marks);
        std::array<double, kTogether> approximate_scores;
        double best = 0.0;
        for (size_t i = 0; i < columns.size(); ++i) {
            approximate_scores[i] =
                columns[i].is_clear ? approximate_score(columns[i], marks.size()) : -1.0;
            best = std::max(best, approximate_scores[i]);
        }
        for (size_t i = 0; i < columns.size(); ++i) {
            const SmallNodeColumn& column = columns[i];
            const int32_t c = column.column;
            if (!column.is_clear) {
                if (!try_column(ids, marks, column.codes, c)) this->mark_dead(node.alive, c);
                continue;
            }
            if (approximate_scores[i] < best * kSlack) continue;
            const Marks left(column.below, marks.size());
            if (!finder_.marked(c, left, column.n_below, kDeferredThreshold)) continue;
            std::copy(left.begin(), left.end(), best_bits_.begin());
            best_rows_ = column.n_below;
            best_range_ = column.range;
        }
    }
    double approximate_score(const SmallNodeColumn& column, size_t n_words) const {
        if constexpr (requires { &Finder::approximate_score; })
            return finder_.approximate_score({column.below, n_words}, column.n_below);
        else
            return 0.0;
    }

    ExtraSpace<Rows>& memory_;
    std::vector<uint64_t>&bits_, &best_bits_, &all_;
    uint64_t hash_ = 0;      // of the node at hand, mixed: what mix(hash, x) begins with
    int64_t best_rows_ = 0;  // of the left child
    Range<uint16_t> best_range_{};
};

}  // namespace silva
