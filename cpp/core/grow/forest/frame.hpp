// The rows of a growing tree of a forest, and of the subtree that it is at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

// Rows in an order in which every open node is a slice. A local frame also has its columns in that
// order: ranks of 16 bits, and words of bits.
template <class Rows>
struct Frame {
    bool has_columns = false;
    Array<uint32_t> ids;
    Rows rows;
    std::vector<Array<uint16_t>> ranks;  // by column; empty: it is constant, or a bit of a word
    std::vector<Array<uint64_t>> words;  // by block

    void split_rows(int64_t begin, const RowParts& parts) {
        parts.split(ids.data() + begin);
        rows.split(begin, parts);
    }
    void split_columns(int64_t begin, const RowParts& parts) {
        for (Array<uint16_t>& column : ranks)
            if (!column.empty()) parts.split(column.data() + begin);
        for (Array<uint64_t>& block : words) parts.split(block.data() + begin);
    }
};

// One worker's frames and the memory between them.
template <class Rows>
class FrameSpace {
  public:
    Frame<Rows> whole, local;

    void start(Array<uint32_t> ids, const SharedColumns& columns) {
        const int64_t n = ids.size();
        whole.has_columns = false;
        whole.ids = std::move(ids);
        bits_.resize((n + 63) / 64 + 1);
        const int64_t local_words = std::min(n, local_rows(columns)) + kSparePadding;
        const int64_t whole_bytes = std::max(Rows::kBytes, bytes_gathered(columns));
        spare_.resize(std::max(local_words, (n + kSparePadding) * whole_bytes / 8 + 1));
    }
    uint64_t* bits() { return bits_.data(); }
    uint64_t* spare() { return spare_.data(); }

    // Of the widest column.
    static int64_t bytes_gathered(const SharedColumns& columns) {
        return columns.words.empty() ? 4 : 8;
    }
    // Nodes up to so many rows get a local frame. Many short ranks moved at once cost less than
    // ranks read at random places, also where they do not fit into the near caches; ranks that are
    // longer in the whole table must be numbered anew with 16 bits.
    static int64_t local_rows(const SharedColumns& columns) {
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

    void make_local(const Frame<Rows>& from, int64_t begin, int64_t end,
                    const SharedColumns& columns) {
        const int64_t n = end - begin;
        local.has_columns = true;
        local.ids.resize(n + kSparePadding);
        std::copy(from.ids.data() + begin, from.ids.data() + end, local.ids.data());
        local.rows.copy(from.rows, begin, end);
        local.words.resize(columns.words.size());
        for (size_t block = 0; block < columns.words.size(); ++block) {
            local.words[block].resize(n + kSparePadding);
            gather(columns.words[block].data(), local.ids.data(), n, local.words[block].data());
        }
        make_columns(columns, n);
    }

    // Calls f with the ranks of a column in the order of n rows from `begin` on.
    template <class F>
    bool with_ranks(Frame<Rows>& frame, const SharedColumns& columns, int32_t c, int64_t begin,
                    int64_t n, F&& f) {
        if (frame.has_columns) return f(frame.ranks[c].data() + begin);
        const SharedColumn& column = columns.columns[c];
        const uint32_t* ids = frame.ids.data() + begin;
        if (!column.rank16.empty()) return f(gathered(column.rank16.data(), ids, n));
        return f(gathered(column.rank32.data(), ids, n));
    }
    // The codes of a column for a slice of the whole frame.
    const uint16_t* codes(const SharedColumn& column, int64_t begin, int64_t n) {
        return gathered(column.coded.codes.data(), whole.ids.data() + begin, n);
    }
    const uint64_t* words(Frame<Rows>& frame, const SharedColumns& columns, int block,
                          int64_t begin, int64_t n) {
        if (frame.has_columns) return frame.words[block].data() + begin;
        return gathered(columns.words[block].data(), frame.ids.data() + begin, n);
    }

  private:
    template <class T>
    static void gather(const T* values, const uint32_t* ids, int64_t n, T* out) {
        const bool in_a_row = ids[n - 1] - ids[0] == static_cast<uint32_t>(n - 1);
        if (in_a_row) return static_cast<void>(std::copy_n(values + ids[0], n, out));
        for (int64_t i = 0; i < n; ++i) out[i] = values[ids[i]];
    }
    template <class T>
    const T* gathered(const T* values, const uint32_t* ids, int64_t n) {
        T* out = reinterpret_cast<T*>(spare_.data());
        gather(values, ids, n, out);
        return out;
    }

    void make_columns(const SharedColumns& columns, int64_t n) {
        local.ranks.resize(columns.columns.size());
        for (size_t c = 0; c < columns.columns.size(); ++c) {
            const SharedColumn& column = columns.columns[c];
            const bool has_ranks = !column.constant && column.block < 0;
            local.ranks[c].resize(has_ranks ? n + kSparePadding : 0);
            if (has_ranks) make_ranks(column, n, local.ranks[c].data());
        }
    }

    // Ranks among the values of these rows, where those of the whole column need 32 bits.
    void make_ranks(const SharedColumn& column, int64_t n, uint16_t* out) {
        const uint32_t* ids = local.ids.data();
        if (!column.rank16.empty()) return gather(column.rank16.data(), ids, n, out);
        const uint32_t* ranks = column.rank32.data();
        const auto n_words = static_cast<size_t>(column.n_ranks / 64 + 1);
        if (present_.size() < n_words) {
            present_.resize(n_words);
            before_.resize(n_words);
        }
        rank_among(ranks, ids, n, column.n_ranks, present_.data(), before_.data(), out);
    }

    Array<uint64_t> bits_;
    Array<uint64_t> spare_;  // of a column that is gathered, and after that of what is moved
    std::vector<uint64_t> present_;
    std::vector<uint32_t> before_;
};

}  // namespace silva
