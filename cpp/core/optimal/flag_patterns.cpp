#include "core/optimal/flag_patterns.hpp"

#include <algorithm>

namespace silva::optimal {

void FlagPatterns::begin(int64_t n) {
    n_flags_ = 0;
    pattern_.assign(static_cast<size_t>(n), 0);
    sizes_.assign(1, n);
    flags_.assign(1, 0);
}

bool FlagPatterns::add(std::span<const uint32_t> rows, int64_t most) {
    set_.assign(sizes_.size(), 0);
    moved_.resize(sizes_.size());
    touched_.clear();
    int64_t n_new = 0;
    for (const uint32_t row : rows) {
        const uint16_t pattern = pattern_[row];
        if (set_[pattern]++ == 0) touched_.push_back(pattern);
    }
    for (const uint16_t pattern : touched_) n_new += set_[pattern] < sizes_[pattern];
    if (size() + n_new > most) return false;
    for (const uint16_t pattern : touched_) divide(pattern);
    for (const uint32_t row : rows) pattern_[row] = moved_[pattern_[row]];
    ++n_flags_;
    return true;
}

void FlagPatterns::divide(uint16_t pattern) {
    const uint64_t flag = uint64_t{1} << n_flags_;
    moved_[pattern] = pattern;
    if (set_[pattern] == sizes_[pattern]) {
        flags_[pattern] |= flag;
        return;
    }
    moved_[pattern] = static_cast<uint16_t>(sizes_.size());
    sizes_[pattern] -= set_[pattern];
    sizes_.push_back(set_[pattern]);
    flags_.push_back(flags_[pattern] | flag);
}

}  // namespace silva::optimal
