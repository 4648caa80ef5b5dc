// Where a code stands in a list of codes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace silva {

// A table of all codes where many rows ask, a search of the sorted list where few do: a small node
// pays nothing for levels that it does not have.
class LevelIndex {
  public:
    // `codes` are ascending and must outlive the index.
    LevelIndex(const std::vector<int32_t>& codes, int32_t n_codes, int64_t n_rows) : codes_(codes) {
        if (n_rows < n_codes / 16) return;
        table_.assign(static_cast<size_t>(n_codes), -1);
        for (size_t i = 0; i < codes.size(); ++i)
            table_[static_cast<size_t>(codes[i])] = static_cast<int32_t>(i);
    }

    // -1: the code is not listed.
    int32_t of(int32_t code) const {
        if (!table_.empty()) return table_[static_cast<size_t>(code)];
        const auto at = std::lower_bound(codes_.begin(), codes_.end(), code);
        return at != codes_.end() && *at == code ? static_cast<int32_t>(at - codes_.begin()) : -1;
    }

  private:
    const std::vector<int32_t>& codes_;
    std::vector<int32_t> table_;
};

}  // namespace silva
