// Reads a row-major matrix a group of columns at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/table.hpp"

namespace silva {

constexpr int64_t kGroup = 16;                    // columns copied together
constexpr int64_t kGroupRows = int64_t{1} << 19;  // of more rows only half as many

// At least a column for each thread, as long as what they sort side by side is not too much.
inline int64_t group_size(const Table& table, int threads) {
    constexpr int64_t most_values = int64_t{1} << 25;
    const int64_t usual = table.n_rows > kGroupRows ? kGroup / 2 : kGroup;
    return threads * table.n_rows <= most_values ? std::max<int64_t>(usual, threads) : usual;
}

// Columns of a row-major matrix lie far apart; a group of them is copied side by side first, so
// that every cache line is read once. Other columns are left where they are.
class GroupCopy {
  public:
    std::vector<ColumnView> gather(const Table& table, int64_t first, int64_t last, Team& team,
                                   const StopFlag& stop) {
        std::vector<ColumnView> views(table.columns.begin() + first, table.columns.begin() + last);
        buffers_.resize(views.size());
        for (size_t c = 0; c < views.size(); ++c)
            buffers_[c].resize(far_apart(views[c]) ? table.n_rows * size_of(views[c].type) : 0);
        if (std::none_of(views.begin(), views.end(), far_apart)) return views;
        constexpr int64_t chunk = 8192, block = 128;
        team.for_each((table.n_rows + chunk - 1) / chunk, [&](int64_t item, int) {
            stop.check();
            const int64_t end = std::min((item + 1) * chunk, table.n_rows);
            for (int64_t begin = item * chunk; begin < end; begin += block)
                for (size_t c = 0; c < views.size(); ++c)
                    copy(views[c], begin, std::min(begin + block, end), buffers_[c]);
        });
        for (size_t c = 0; c < views.size(); ++c) {
            if (buffers_[c].empty()) continue;
            views[c].data = buffers_[c].data();
            views[c].stride = size_of(views[c].type);
        }
        return views;
    }

  private:
    static bool far_apart(const ColumnView& view) {
        if (view.is_sparse()) return false;
        return view.stride < 0 || view.stride >= 2 * size_of(view.type);
    }
    static void copy(const ColumnView& view, int64_t begin, int64_t end, Array<char>& buffer) {
        if (buffer.empty()) return;
        switch (size_of(view.type)) {
            case 1: return copy_as<uint8_t>(view, begin, end, buffer.data());
            case 2: return copy_as<uint16_t>(view, begin, end, buffer.data());
            case 4: return copy_as<uint32_t>(view, begin, end, buffer.data());
            default: return copy_as<uint64_t>(view, begin, end, buffer.data());
        }
    }
    template <class Bits>
    static void copy_as(const ColumnView& view, int64_t begin, int64_t end, char* buffer) {
        const char* from = view.data + begin * view.stride;
        auto* to = reinterpret_cast<Bits*>(buffer) + begin;
        for (int64_t i = 0; i < end - begin; ++i, from += view.stride)
            std::memcpy(to + i, from, sizeof(Bits));
    }

    std::vector<Array<char>> buffers_;
};

}  // namespace silva
