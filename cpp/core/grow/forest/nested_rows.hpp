// Rows of a growing tree that lie side by side: some of the rows of a larger set, which may be some
// of a larger one. Columns are copied when they are first asked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/shared_columns.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

template <class Rows>
class NestedRows {
  public:
    Array<uint32_t> ids;
    Rows rows;

    // A slice of all rows.
    void start(const uint32_t* all_ids, const Rows& all_rows, int64_t begin, int64_t end,
               const SharedColumns& columns) {
        clear(columns, end - begin);
        std::copy(all_ids + begin, all_ids + end, ids.data());
        rows.copy(all_rows, begin, end);
        in_a_row_ = ids[n_ - 1] - ids[0] == static_cast<uint32_t>(n_ - 1);
        parent_ = nullptr;
    }
    // The marked rows of a larger set, n of them; both must stay as they are.
    void start(NestedRows& parent, std::span<const uint64_t> marked, int64_t n) {
        clear(*parent.columns_, n);
        parent_ = &parent;
        copy_.emplace(marked, n, listed_);
        (*copy_)(parent.ids.data(), ids.data());
        rows.copy_marked(parent.rows, *copy_);
    }
    int64_t size() const { return n_; }

    // The codes of a column; those up to the end of a word of 64 can be read.
    const uint16_t* codes(int32_t c) {
        const Array<uint16_t>& shared = columns_->columns[c].coded.codes;
        if (parent_ == nullptr && in_a_row_) return shared.data() + ids[0];
        if (!has_[c]) copy_column(c, shared);
        return codes_[c].data();
    }

  private:
    void clear(const SharedColumns& columns, int64_t n) {
        columns_ = &columns;
        n_ = n;
        ids.resize(n + kSparePadding);
        codes_.resize(columns.columns.size());
        has_.assign(columns.columns.size(), 0);
    }
    void copy_column(int32_t c, const Array<uint16_t>& shared) {
        Array<uint16_t>& own = codes_[c];
        own.resize(n_ + kSparePadding);
        if (parent_ != nullptr)
            (*copy_)(parent_->codes(c), own.data());
        else
            for (int64_t i = 0; i < n_; ++i) own[i] = shared[ids[i]];
        has_[c] = 1;
    }

    const SharedColumns* columns_ = nullptr;
    int64_t n_ = 0;
    bool in_a_row_ = false;
    NestedRows* parent_ = nullptr;
    std::optional<MarkedCopy> copy_;
    Array<uint32_t> listed_;
    std::vector<Array<uint16_t>> codes_;  // by column
    std::vector<uint8_t> has_;
};

}  // namespace silva
