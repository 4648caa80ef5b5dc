// Rows by what several flags say of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace silva::optimal {

// A pattern is a set of rows that the flags so far do not tell apart.
class FlagPatterns {
  public:
    // One pattern of n rows. At most 64 flags.
    void begin(int64_t n);
    // Adds the flag that is set for these rows, unless that makes more patterns than `most`.
    bool add(std::span<const uint32_t> rows, int64_t most);

    int64_t flags() const { return n_flags_; }
    int64_t size() const { return static_cast<int64_t>(sizes_.size()); }
    int64_t of(int64_t row) const { return pattern_[static_cast<size_t>(row)]; }
    bool is_set(int64_t pattern, int64_t flag) const {
        return (flags_[static_cast<size_t>(pattern)] >> flag & 1) != 0;
    }

  private:
    void divide(uint16_t pattern);

    int64_t n_flags_ = 0;
    std::vector<uint16_t> pattern_;  // of each row
    // Of each pattern.
    std::vector<int64_t> sizes_;
    std::vector<uint64_t> flags_;
    // Of each pattern, for a new flag: the rows that have it, and their pattern from now on.
    std::vector<int64_t> set_;
    std::vector<uint16_t> moved_, touched_;
};

}  // namespace silva::optimal
