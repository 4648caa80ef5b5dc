// The rows of a growing tree of a forest, and of the subtree that it is at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/forest/shared_columns.hpp"
#include "core/forest/split_values.hpp"

namespace silva {

// Rows in an order in which every open node is a slice. A local frame also has its columns in that
// order: ranks of 16 bits, words of bits, or values.
template <class Rows>
struct Frame {
    bool has_columns = false;
    Array<uint32_t> ids;
    Rows rows;
    std::vector<int32_t> numbers;  // which columns `ranks`, `floats` or `doubles` are
    std::vector<Array<uint16_t>> ranks;
    std::vector<Array<uint32_t>> floats;  // by their bits
    std::vector<Array<uint64_t>> doubles;
    std::vector<Array<uint64_t>> words;
    std::vector<int32_t> place;  // by column of the table, in `numbers`; -1: constant

    void split_rows(int64_t begin, int64_t n, const uint64_t* bits, uint64_t* spare) {
        split_values(ids.data() + begin, n, bits, reinterpret_cast<uint32_t*>(spare), true);
        rows.split(begin, n, bits, spare);
    }
    // Columns that are not alive need not be moved.
    void split_columns(int64_t begin, int64_t n, const uint64_t* bits, uint64_t* spare,
                       uint64_t alive, bool keep_right) {
        if (!has_columns) return;
        for (size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] < 64 && (alive >> numbers[i] & 1) == 0) continue;
            if (!ranks.empty())
                split_values(ranks[i].data() + begin, n, bits, reinterpret_cast<uint16_t*>(spare),
                             keep_right);
            else if (!floats.empty())
                split_values(floats[i].data() + begin, n, bits, reinterpret_cast<uint32_t*>(spare),
                             keep_right);
            else
                split_values(doubles[i].data() + begin, n, bits, spare, keep_right);
        }
        for (Array<uint64_t>& block : words)
            split_values(block.data() + begin, n, bits, spare, keep_right);
    }
};

// The highest rank below the cut and the lowest one that is not; both exist.
template <class Rank>
std::pair<Rank, Rank> neighbours(const Rank* ranks, int64_t n, Rank cut) {
    Rank below = 0, above = static_cast<Rank>(~Rank(0));
    for (int64_t i = 0; i < n; ++i) {
        const Rank rank = ranks[i];
        below = rank < cut && rank > below ? rank : below;
        above = rank >= cut && rank < above ? rank : above;
    }
    return {below, above};
}

// One worker's frames and the memory between them.
template <class Rows>
class FrameSpace {
  public:
    Frame<Rows> whole, local;

    void start(const Array<uint32_t>& ids, const SharedColumns& columns) {
        const int64_t n = ids.size();
        whole.has_columns = false;
        whole.ids.resize(n);
        std::copy_n(ids.data(), n, whole.ids.data());
        bits_.resize((n + 63) / 64 + 1);
        const int64_t room = n + kSparePadding;
        spare_.resize(std::max(room, std::min(room, local_rows(columns) + kSparePadding)));
        gathered_.resize(room);
    }
    uint64_t* bits() { return bits_.data(); }
    uint64_t* spare() { return spare_.data(); }

    // Nodes up to so many rows get a local frame, which then fits into the near caches.
    static int64_t local_rows(const SharedColumns& columns) {
        int64_t bytes = 16 + 8 * static_cast<int64_t>(columns.words.size());
        for (const SharedColumn& column : columns.columns)
            if (!column.constant && column.block < 0)
                bytes += column.floats != nullptr ? 4 : column.doubles != nullptr ? 8 : 2;
        constexpr int64_t near = int64_t{5} << 18;
        return std::clamp<int64_t>(near / bytes, 512, 65536);
    }

    void make_local(const Frame<Rows>& from, int64_t begin, int64_t end,
                    const SharedColumns& columns) {
        const int64_t n = end - begin;
        local.has_columns = true;
        local.ids.resize(n);
        std::copy(from.ids.data() + begin, from.ids.data() + end, local.ids.data());
        copy_kind(from.rows, local.rows);
        local.rows.resize(n);
        local.rows.copy(from.rows, begin, end);
        local.words.resize(columns.words.size());
        for (size_t block = 0; block < columns.words.size(); ++block) {
            local.words[block].resize(n);
            gather(columns.words[block].data(), local.ids.data(), n, local.words[block].data());
        }
        make_columns(columns, n);
    }

    // Calls f with the ranks of a column in the order of the rows.
    template <class F>
    bool with_ranks(Frame<Rows>& frame, const SharedColumns& columns, int32_t c, int64_t begin,
                    int64_t end, F&& f) {
        if (frame.has_columns) {
            const int32_t at = frame.place[c];
            return at >= 0 && f(const_cast<const uint16_t*>(frame.ranks[at].data() + begin));
        }
        const SharedColumn& column = columns.columns[c];
        const uint32_t* ids = frame.ids.data() + begin;
        if (!column.rank16.empty()) return f(gathered(column.rank16.data(), ids, end - begin));
        return f(gathered(column.rank32.data(), ids, end - begin));
    }
    template <class F>
    bool with_values(Frame<Rows>& frame, const SharedColumns& columns, int32_t c, int64_t begin,
                     int64_t end, F&& f) {
        const SharedColumn& column = columns.columns[c];
        if (frame.has_columns) {
            const int32_t at = frame.place[c];
            if (at < 0) return false;
            if (columns.single)
                return f(reinterpret_cast<const float*>(frame.floats[at].data()) + begin);
            return f(reinterpret_cast<const double*>(frame.doubles[at].data()) + begin);
        }
        const uint32_t* ids = frame.ids.data() + begin;
        if (columns.single) return f(gathered(column.floats, ids, end - begin));
        return f(gathered(column.doubles, ids, end - begin));
    }
    const uint64_t* words(Frame<Rows>& frame, const SharedColumns& columns, int block,
                          int64_t begin, int64_t end) {
        if (frame.has_columns) return frame.words[block].data() + begin;
        return gathered(columns.words[block].data(), frame.ids.data() + begin, end - begin);
    }

  private:
    template <class T>
    static void copy_kind(const T& from, T& to) {
        if constexpr (requires { from.classes; }) to.classes = from.classes;
    }
    template <class From, class To>
    static void gather(const From* values, const uint32_t* ids, int64_t n, To* out) {
        for (int64_t i = 0; i < n; ++i) out[i] = std::bit_cast<To>(values[ids[i]]);
    }
    template <class T>
    const T* gathered(const T* values, const uint32_t* ids, int64_t n) {
        T* out = reinterpret_cast<T*>(gathered_.data());
        for (int64_t i = 0; i < n; ++i) out[i] = values[ids[i]];
        return out;
    }

    void make_columns(const SharedColumns& columns, int64_t n) {
        local.numbers.clear();
        local.place.assign(columns.columns.size(), -1);
        const bool has_values =
            columns.columns.front().floats != nullptr || columns.columns.front().doubles != nullptr;
        for (size_t c = 0; c < columns.columns.size(); ++c) {
            const SharedColumn& column = columns.columns[c];
            if (column.constant || column.block >= 0) continue;
            local.place[c] = static_cast<int32_t>(local.numbers.size());
            local.numbers.push_back(static_cast<int32_t>(c));
        }
        const size_t n_columns = local.numbers.size();
        local.ranks.resize(has_values ? 0 : n_columns);
        local.floats.resize(has_values && columns.single ? n_columns : 0);
        local.doubles.resize(has_values && !columns.single ? n_columns : 0);
        for (size_t i = 0; i < n_columns; ++i) {
            const SharedColumn& column = columns.columns[local.numbers[i]];
            if (!has_values) {
                local.ranks[i].resize(n);
                make_ranks(column, n, local.ranks[i].data());
            } else if (columns.single) {
                local.floats[i].resize(n);
                gather(column.floats, local.ids.data(), n, local.floats[i].data());
            } else {
                local.doubles[i].resize(n);
                gather(column.doubles, local.ids.data(), n, local.doubles[i].data());
            }
        }
    }

    // Ranks among the values of these rows, where those of the whole column need 32 bits.
    void make_ranks(const SharedColumn& column, int64_t n, uint16_t* out) {
        const uint32_t* ids = local.ids.data();
        if (!column.rank16.empty()) return gather(column.rank16.data(), ids, n, out);
        const uint32_t* ranks = column.rank32.data();
        if (n < column.n_ranks / 64) return rank_by_order(ranks, ids, n, out);
        const auto n_words = static_cast<size_t>(column.n_ranks / 64 + 1);
        present_.assign(n_words, 0);
        before_.resize(n_words);
        for (int64_t i = 0; i < n; ++i)
            present_[ranks[ids[i]] / 64] |= uint64_t{1} << (ranks[ids[i]] % 64);
        uint32_t sum = 0;
        for (size_t word = 0; word < n_words; ++word) {
            before_[word] = sum;
            sum += static_cast<uint32_t>(std::popcount(present_[word]));
        }
        for (int64_t i = 0; i < n; ++i) {
            const uint32_t rank = ranks[ids[i]];
            const uint64_t lower = present_[rank / 64] & ((uint64_t{1} << (rank % 64)) - 1);
            out[i] = static_cast<uint16_t>(before_[rank / 64] +
                                           static_cast<uint32_t>(std::popcount(lower)));
        }
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

    Array<uint64_t> bits_, spare_, gathered_;
    std::vector<uint64_t> present_, order_;
    std::vector<uint32_t> before_;
};

}  // namespace silva
