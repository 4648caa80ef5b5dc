// The rows of a growing tree of a forest, and of the subtree that it is at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/row_parts.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

// Rows in an order in which every open node is a slice. A local frame also has its columns in that
// order: ranks of 16 bits, and words of bits.
template <class Rows>
struct Frame {
    bool has_columns = false;
    bool needs_ids = true;  // else they may be left behind when rows are moved
    Array<uint32_t> ids;
    Rows rows;
    std::vector<int32_t> numbers;  // which columns `ranks` are
    std::vector<Array<uint16_t>> ranks;
    std::vector<MissingValues> missing;  // of these columns: what ranks they have here
    std::vector<Array<uint64_t>> words;
    std::vector<int32_t> place;  // by column of the table, in `numbers`; -1: constant

    void split_rows(int64_t begin, const RowParts& parts) {
        if (needs_ids) parts.split(ids.data() + begin);
        rows.split(begin, parts);
    }
    // Columns that are not alive need not be moved.
    void split_columns(int64_t begin, const RowParts& parts, uint64_t alive, bool keep_right) {
        if (!has_columns) return;
        moved_.clear();
        for (size_t i = 0; i < numbers.size(); ++i)
            if (is_alive(alive, numbers[i])) moved_.push_back(ranks[i].data() + begin);
        parts.split_columns(moved_, keep_right);
        for (Array<uint64_t>& block : words) parts.split(block.data() + begin, keep_right);
    }

  private:
    static bool is_alive(uint64_t alive, int32_t c) { return c >= 64 || (alive >> c & 1) != 0; }

    std::vector<uint16_t*> moved_;
};

// A small node need not have its columns moved: it is some of the rows of an ancestor, whose
// columns begin at `base`. Without any rows listed the node's columns are its own slice.
struct Members {
    static constexpr int64_t kMost = 32;

    int64_t base = 0;
    uint32_t rows = 0;

    // The two parts of a node; `left` has a bit for each of its rows.
    std::pair<Members, Members> split(const struct Slice& node, uint64_t left) const;
};

struct Slice {
    int64_t begin, end;
    Members members;

    int64_t size() const { return end - begin; }
};

inline std::pair<Members, Members> Members::split(const Slice& node, uint64_t left) const {
    const Members all =
        rows != 0 ? *this
                  : Members{node.begin, static_cast<uint32_t>((uint64_t{1} << node.size()) - 1)};
    const uint32_t first = spread_bits(left, all.rows);
    return {{all.base, first}, {all.base, all.rows & ~first}};
}

// One worker's frames and the memory between them.
template <class Rows>
class FrameSpace {
  public:
    Frame<Rows> whole, local;

    void start(Array<uint32_t> ids, const SharedColumns& columns, int64_t max_columns) {
        const int64_t n = ids.size();
        whole.has_columns = false;
        whole.ids = std::move(ids);
        bits_.resize((n + 63) / 64 + 1);
        local_rows_ = local_rows_for(columns, max_columns);
        const int64_t local_words = std::min(n, local_rows_) + kSparePadding;
        const int64_t whole_bytes = std::max(Rows::kBytes, bytes_gathered(columns));
        spare_.resize(std::max(local_words, (n + kSparePadding) * whole_bytes / 8 + 1));
    }
    uint64_t* bits() { return bits_.data(); }
    // Marks the rows of missing values besides those that are marked.
    template <class Rank>
    void mark_missing(const Rank* ranks, int64_t n, uint32_t missing_rank) {
        known_bits_.resize(bits_.size());
        mark_below(ranks, n, static_cast<Rank>(missing_rank), known_bits_.data());
        for (int64_t word = 0; 64 * word < n; ++word) {
            const int64_t beyond = std::max<int64_t>(64 * (word + 1) - n, 0);
            bits_[word] |= ~known_bits_[word] & ~uint64_t{0} >> beyond;
        }
    }
    uint64_t* spare() { return spare_.data(); }
    // Which child each row of a node goes to; room for n.
    std::vector<uint32_t>& child(int64_t n) {
        child_.resize(static_cast<size_t>(n + kSparePadding));
        return child_;
    }

    // Of the widest column.
    static int64_t bytes_gathered(const SharedColumns& columns) {
        return columns.words.empty() ? 4 : 8;
    }
    // Nodes up to so many rows get a local frame.
    int64_t local_rows() const { return local_rows_; }

    void make_local(const Frame<Rows>& from, int64_t begin, int64_t end,
                    const SharedColumns& columns) {
        const int64_t n = end - begin;
        local.has_columns = true;
        local.needs_ids = from.rows.needs_ids() || !columns.have_levels();
        local.ids.resize(n + kSparePadding);
        std::copy(from.ids.data() + begin, from.ids.data() + end, local.ids.data());
        local.rows.copy(from.rows, begin, end);
        mark_dense(n);
        local.words.resize(columns.words.size());
        for (size_t block = 0; block < columns.words.size(); ++block) {
            local.words[block].resize(n + kSparePadding);
            gather_local(columns.words[block].data(), n, local.words[block].data());
        }
        make_columns(columns, n);
    }

    // Calls f with the ranks of a column in the order of the rows, and that of missing values.
    template <class F>
    bool with_ranks(Frame<Rows>& frame, const SharedColumns& columns, int32_t c, const Slice& slice,
                    F&& f) {
        if (frame.has_columns) {
            const int32_t at = frame.place[c];
            return at >= 0 && f(own(frame.ranks[at], slice), frame.missing[at]);
        }
        const SharedColumn& column = columns.columns[c];
        const uint32_t* ids = frame.ids.data() + slice.begin;
        if (!column.rank16.empty())
            return f(gathered(column.rank16.data(), ids, slice.size()), column.missing);
        return f(gathered(column.rank32.data(), ids, slice.size()), column.missing);
    }
    // The codes of a column for a slice of the whole frame.
    const uint16_t* codes(const SharedColumn& column, int64_t begin, int64_t n) {
        return gathered(column.coded.codes.data(), whole.ids.data() + begin, n);
    }
    const uint64_t* words(Frame<Rows>& frame, const SharedColumns& columns, int block,
                          const Slice& slice) {
        if (frame.has_columns) return own(frame.words[block], slice);
        return gathered(columns.words[block].data(), frame.ids.data() + slice.begin, slice.size());
    }

  private:
    // Many short ranks moved at once cost less than ranks read at random places, also where they do
    // not fit into the near caches; ranks that are longer in the whole table must be numbered anew
    // with 16 bits.
    static int64_t local_rows_for(const SharedColumns& columns, int64_t max_columns) {
        if (columns.are_wide_for(max_columns)) return 0;
        constexpr int64_t near = int64_t{5} << 18, far = int64_t{1} << 24;
        int64_t bytes = 16 + 8 * static_cast<int64_t>(columns.words.size());
        bool all_short = true;
        for (const SharedColumn& column : columns.columns) {
            if (column.constant || column.block >= 0) continue;
            bytes += 2;
            all_short &= !column.rank16.empty();
        }
        if (all_short) return std::max<int64_t>(far / bytes, 512);
        return std::clamp<int64_t>(near / bytes, 512, 65536);
    }

    template <class T>
    const T* own(const Array<T>& column, const Slice& slice) {
        if (slice.members.rows == 0) return column.data() + slice.begin;
        T* picked = reinterpret_cast<T*>(picked_);
        pick(column.data() + slice.members.base, slice.members.rows, picked);
        return picked;
    }
    template <class T>
    static void gather(const T* values, const uint32_t* ids, int64_t n, T* out) {
        const bool in_a_row = ids[n - 1] - ids[0] == static_cast<uint32_t>(n - 1);
        if (in_a_row) return static_cast<void>(std::copy_n(values + ids[0], n, out));
        for (int64_t i = 0; i < n; ++i) out[i] = values[ids[i]];
    }
    // The rows of the local frame, in the order of the table, as bits: where they are near enough
    // to each other that whole registers are packed sooner than values are picked.
    void mark_dense(int64_t n) {
        const uint32_t* ids = local.ids.data();
        const int64_t n_words = ids[n - 1] / 64 + 1;
        dense_ = {};
        const bool in_a_row = ids[n - 1] - ids[0] == static_cast<uint32_t>(n - 1);
        if (in_a_row || 4 * n < 64 * n_words) return;
        std::fill_n(spare_.data(), n_words, uint64_t{0});
        for (int64_t i = 0; i < n; ++i) spare_[ids[i] / 64] |= uint64_t{1} << (ids[i] % 64);
        dense_ = {spare_.data(), static_cast<size_t>(n_words)};
    }
    template <class T>
    void gather_local(const T* values, int64_t n, T* out) {
        if (dense_.empty()) return gather(values, local.ids.data(), n, out);
        MarkedCopy(dense_, n, listed_)(values, out);
    }
    template <class T>
    const T* gathered(const T* values, const uint32_t* ids, int64_t n) {
        T* out = reinterpret_cast<T*>(spare_.data());
        gather(values, ids, n, out);
        return out;
    }

    void make_columns(const SharedColumns& columns, int64_t n) {
        local.numbers.clear();
        local.place.assign(columns.columns.size(), -1);
        for (size_t c = 0; c < columns.columns.size(); ++c) {
            const SharedColumn& column = columns.columns[c];
            if (column.constant || column.block >= 0) continue;
            local.place[c] = static_cast<int32_t>(local.numbers.size());
            local.numbers.push_back(static_cast<int32_t>(c));
        }
        local.ranks.resize(local.numbers.size());
        local.missing.resize(local.numbers.size());
        for (size_t i = 0; i < local.ranks.size(); ++i) {
            const SharedColumn& column = columns.columns[local.numbers[i]];
            local.ranks[i].resize(n + kSparePadding);
            make_ranks(column, n, local.ranks[i].data());
            local.missing[i] = column.missing;
            if (!column.rank32.empty()) renumber_missing(column, n, i);
        }
    }
    // The rank of missing values among those of the rows, where any of these has one.
    void renumber_missing(const SharedColumn& column, int64_t n, size_t i) {
        const uint32_t* ids = local.ids.data();
        const uint32_t* end = ids + n;
        const uint32_t* found = end;
        if (column.missing.exist())
            found = std::find_if(
                ids, end, [&](uint32_t id) { return column.rank32[id] == column.missing.rank; });
        local.missing[i].rank =
            found == end ? MissingValues::kNone : uint32_t{local.ranks[i][found - ids]};
    }

    // Ranks among the values of these rows, where those of the whole column need 32 bits.
    void make_ranks(const SharedColumn& column, int64_t n, uint16_t* out) {
        const uint32_t* ids = local.ids.data();
        if (!column.rank16.empty()) return gather_local(column.rank16.data(), n, out);
        const uint32_t* ranks = column.rank32.data();
        if (n < column.n_ranks / 64) return rank_by_order(ranks, ids, n, out);
        const int64_t n_used = column.n_ranks + (column.missing.exist() ? 1 : 0);
        const auto n_words = static_cast<size_t>(n_used / 64 + 1);
        if (present_.size() < n_words) {
            present_.resize(n_words);
            before_.resize(n_words);
        }
        rank_among(ranks, ids, n, n_used, present_.data(), before_.data(), out);
    }
    void rank_by_order(const uint32_t* ranks, const uint32_t* ids, int64_t n, uint16_t* out) {
        order_.resize(static_cast<size_t>(n));
        for (int64_t i = 0; i < n; ++i)
            order_[static_cast<size_t>(i)] =
                static_cast<uint64_t>(ranks[ids[i]]) << 32 | static_cast<uint64_t>(i);
        std::sort(order_.begin(), order_.end());
        uint32_t rank = 0;
        for (size_t i = 0; i < order_.size(); ++i) {
            rank += i > 0 && order_[i] >> 32 != order_[i - 1] >> 32 ? 1 : 0;
            out[static_cast<uint32_t>(order_[i])] = static_cast<uint16_t>(rank);
        }
    }

    int64_t local_rows_ = 0;
    Array<uint64_t> bits_, known_bits_;
    Array<uint64_t> spare_;  // of a column that is gathered, and after that of what is moved
    std::vector<uint32_t> child_;
    std::span<const uint64_t> dense_;
    Array<uint32_t> listed_;
    alignas(64) uint64_t picked_[2 * Members::kMost];
    std::vector<uint64_t> present_, order_;
    std::vector<uint32_t> before_;
};

}  // namespace silva
