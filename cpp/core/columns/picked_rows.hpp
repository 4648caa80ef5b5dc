// Some rows of a table, copied side by side a block at a time.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/array.hpp"
#include "core/columns/table.hpp"

namespace silva {

class PickedRows {
  public:
    static constexpr int64_t kBlock = 4096;

    explicit PickedRows(const Table& from) : from_(from), picked_(from) {
        int64_t bytes = 0;
        for (const ColumnView& column : from.columns) bytes += size_of(column.type);
        row_bytes_ = (bytes + 7) / 8 * 8;
        buffer_.resize(row_bytes_ * kBlock);
        // Wide columns first, so that every value is aligned.
        int64_t offset = 0;
        for (const int64_t size : {8, 4, 2, 1})
            for (ColumnView& column : picked_.columns) {
                if (size_of(column.type) != size) continue;
                column.data = buffer_.data() + offset;
                column.stride = row_bytes_;
                offset += size;
            }
    }

    // At most kBlock rows.
    const Table& pick(std::span<const uint32_t> rows) {
        picked_.n_rows = static_cast<int64_t>(rows.size());
        for (size_t c = 0; c < from_.columns.size(); ++c) copy_column(c, rows);
        return picked_;
    }

  private:
    void copy_column(size_t c, std::span<const uint32_t> rows) {
        const ColumnView& from = from_.columns[c];
        char* to = buffer_.data() + (picked_.columns[c].data - buffer_.data());
        switch (size_of(from.type)) {
            case 1: return copy<1>(from, rows, to);
            case 2: return copy<2>(from, rows, to);
            case 4: return copy<4>(from, rows, to);
            default: return copy<8>(from, rows, to);
        }
    }
    template <size_t size>
    void copy(const ColumnView& from, std::span<const uint32_t> rows, char* to) const {
        for (const uint32_t row : rows) {
            std::memcpy(to, from.data + row * from.stride, size);
            to += row_bytes_;
        }
    }

    const Table& from_;
    Table picked_;
    Array<char> buffer_;
    int64_t row_bytes_ = 0;
};

}  // namespace silva
