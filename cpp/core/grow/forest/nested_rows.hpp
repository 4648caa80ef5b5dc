// Rows of a growing tree that lie side by side: some of the rows of a larger set, which may be some
// of a larger one. Columns are copied when they are first asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/array.hpp"
#include "core/columns/code_lines.hpp"
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
               const SharedColumns& columns, bool is_wide) {
        is_wide_ = is_wide;
        clear(columns, end - begin);
        std::copy(all_ids + begin, all_ids + end, ids.data());
        rows.copy(all_rows, begin, end);
        in_a_row_ = ids[n_ - 1] - ids[0] == static_cast<uint32_t>(n_ - 1);
        parent_ = nullptr;
    }
    // The marked rows of a larger set, n of them; both must stay as they are.
    void start(NestedRows& parent, std::span<const uint64_t> marked, int64_t n) {
        is_wide_ = parent.is_wide_;
        clear(*parent.columns_, n);
        parent_ = &parent;
        copy_.emplace(marked, n, listed_, comes_by_line());
        (*copy_)(parent.ids.data(), ids.data());
        rows.copy_marked(parent.rows, *copy_);
    }
    int64_t size() const { return n_; }
    // The codes of a column that will be copied from the table, of the first rows at least.
    void prefetch(int32_t c) const {
        if (!is_wide_ || columns_->columns[c].constant) return;
        constexpr int64_t most = 32;
        const uint16_t* shared = columns_->columns[c].coded.codes.data();
        for (int64_t i = 0; i < std::min(n_, most); ++i) __builtin_prefetch(shared + ids[i]);
    }
    bool is_wide() const { return is_wide_; }

    // The codes of a column; those up to the end of a word of 64 can be read. Those of the last
    // kTogether columns asked for stay in place.
    static constexpr size_t kTogether = 8;

    const uint16_t* codes(int32_t c) {
        const Array<uint16_t>& shared = columns_->columns[c].coded.codes;
        if (in_table_order()) return shared.data() + ids[0];
        if (is_wide_) return passing_codes(shared);
        if (has_[c] != start_) {
            if (comes_by_line())
                copy_eight(c / kEight);
            else
                copy_column(c, shared);
        }
        return codes_[c].data();
    }

  private:
    static constexpr int32_t kEight = CodeLine::kColumns;
    static constexpr int64_t kLineRows = 8192;

    // The columns of the table serve as they are.
    bool in_table_order() const { return parent_ == nullptr && in_a_row_; }

    void clear(const SharedColumns& columns, int64_t n) {
        columns_ = &columns;
        n_ = n;
        const size_t n_columns = is_wide_ ? 0 : columns.columns.size(),
                     n_eights = n_columns / kEight + 1;
        ids.resize(n + kSparePadding);
        codes_.resize(n_eights * kEight);
        ++start_;
        has_.resize(n_eights * kEight, 0);
        lines_.resize(n_eights);
        has_lines_.resize(n_eights, 0);
    }
    // Rows of a set that is in the near caches are copied line by line.
    bool comes_by_line() const {
        return !is_wide_ && parent_ != nullptr && parent_->size() <= kLineRows;
    }

    const uint16_t* passing_codes(const Array<uint16_t>& shared) {
        Array<uint16_t>& own = passing_[next_passing_++ % kTogether];
        own.resize(n_ + kSparePadding);
        if (parent_ != nullptr && parent_->in_table_order())
            (*copy_)(shared.data() + parent_->ids[0], own.data());
        else
            for (int64_t i = 0; i < n_; ++i) own[i] = shared[ids[i]];
        return own.data();
    }
    void copy_column(int32_t c, const Array<uint16_t>& shared) {
        Array<uint16_t>& own = codes_[c];
        own.resize(n_ + kSparePadding);
        if (parent_ != nullptr)
            (*copy_)(parent_->codes(c), own.data());
        else
            for (int64_t i = 0; i < n_; ++i) own[i] = shared[ids[i]];
        has_[c] = start_;
    }
    void copy_eight(int32_t eight) {
        EightColumns<uint16_t> columns;
        for (int32_t i = 0; i < kEight; ++i) {
            Array<uint16_t>& own = codes_[eight * kEight + i];
            own.resize(n_ + kSparePadding);
            columns[i] = own.data();
            has_[eight * kEight + i] = start_;
        }
        lines_to_columns(parent_->lines(eight), copy_->listed(), columns);
    }
    // The codes of columns 8 * eight to 8 * eight + 7.
    const CodeLine* lines(int32_t eight) {
        Array<CodeLine>& own = lines_[eight];
        if (has_lines_[eight] != start_) {
            own.resize(n_ + kLinesTogether);
            if (comes_by_line())
                copy_->pick_listed(parent_->lines(eight), own.data());
            else
                columns_to_lines(columns_of(eight), n_, own.data());
            has_lines_[eight] = start_;
        }
        return own.data();
    }
    EightColumns<const uint16_t> columns_of(int32_t eight) {
        EightColumns<const uint16_t> columns{};
        const auto n_columns = static_cast<int32_t>(columns_->columns.size());
        for (int32_t c = eight * kEight; c < std::min(n_columns, (eight + 1) * kEight); ++c)
            if (!columns_->columns[c].constant) columns[c % kEight] = codes(c);
        return columns;
    }

    const SharedColumns* columns_ = nullptr;
    int64_t n_ = 0;
    bool is_wide_ = false, in_a_row_ = false;
    NestedRows* parent_ = nullptr;
    std::optional<MarkedCopy> copy_;
    Array<uint32_t> listed_;
    std::vector<Array<uint16_t>> codes_;  // by column
    std::vector<Array<CodeLine>> lines_;  // by eight columns
    std::array<Array<uint16_t>, kTogether> passing_;
    size_t next_passing_ = 0;
    uint64_t start_ = 0;                     // counts the sets of rows
    std::vector<uint64_t> has_, has_lines_;  // the last set that a copy was made for
};

}  // namespace silva
