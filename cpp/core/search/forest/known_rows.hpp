// The rows of a node that have a value of one column, side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/reductions.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

// Ranks of a column and the words of their rows.
template <class Rank>
struct RankedRows {
    const Rank* ranks;
    const uint32_t* words;
    int64_t n;
};

class KnownRows {
  public:
    // Those of the rows whose rank is below that of missing values.
    template <class Rank>
    RankedRows<Rank> copy(int32_t column, const RankedRows<Rank>& all, uint32_t missing_rank) {
        column_ = column;
        const auto n_marks = static_cast<size_t>((all.n + 63) / 64);
        if (marks_.size() < n_marks) marks_.resize(n_marks);
        mark_below(all.ranks, all.n, static_cast<Rank>(missing_rank), marks_.data());
        n_ = count_marked(marks_.data(), all.n);
        const MarkedCopy copy_marked({marks_.data(), n_marks}, n_, listed_);
        ranks<Rank>().resize(n_ + kSparePadding);
        words_.resize(n_ + kSparePadding);
        copy_marked(all.ranks, ranks<Rank>().data());
        copy_marked(all.words, words_.data());
        return {ranks<Rank>().data(), words_.data(), n_};
    }
    // The same for a column of the current node that was copied before.
    template <class Rank>
    RankedRows<Rank> again(int32_t column, const RankedRows<Rank>& all, uint32_t missing_rank) {
        if (column != column_) return copy(column, all, missing_rank);
        return {ranks<Rank>().data(), words_.data(), n_};
    }

  private:
    template <class Rank>
    Array<Rank>& ranks() {
        if constexpr (sizeof(Rank) == 2)
            return short_ranks_;
        else
            return long_ranks_;
    }

    int32_t column_ = -1;
    int64_t n_ = 0;
    std::vector<uint64_t> marks_;
    Array<uint32_t> listed_, words_, long_ranks_;
    Array<uint16_t> short_ranks_;
};

}  // namespace silva
