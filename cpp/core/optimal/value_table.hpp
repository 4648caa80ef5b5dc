// What is known of sets of rows that were met before: a table of a fixed size. A lost entry costs
// time, never correctness.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/random.hpp"

namespace silva::optimal {

// A set of rows (two hashes of it) with the limits under which it was solved.
struct Key {
    uint64_t a = 0, b = 0;
    bool operator==(const Key&) const = default;
    Key with(uint64_t limits) const { return {mix(a, limits), b + 0x9E3779B97F4A7C15u * limits}; }
};

// The least value of a set of rows: at least `lower`, and equal to it if `is_exact`.
struct Known {
    int64_t lower = 0;
    bool is_exact = false;
};

class ValueTable {
  public:
    struct Entry {
        Key key;
        int64_t lower = 0;
        uint32_t effort = 0;  // 0: the place is free
        bool is_exact = false;
    };

    // Grows up to `max_bytes`, and needs half as much again for a moment; then entries that were
    // cheap to find make room.
    explicit ValueTable(int64_t max_bytes = 0) : max_bytes_(max_bytes) {}

    const Entry* find(const Key& key) const;
    // Keeps the better of this and what is known already.
    void put(const Entry& entry);
    void clear();
    int64_t bytes() const { return static_cast<int64_t>(entries_.size() * sizeof(Entry)); }
    // Every place, free ones too.
    const std::vector<Entry>& entries() const { return entries_; }
    int64_t size() const { return used_; }

  private:
    static constexpr int64_t kBucket = 4;
    int64_t bucket_of(const Key& key) const;
    void grow();
    void place(const Entry& entry);

    std::vector<Entry> entries_;
    int64_t used_ = 0, max_bytes_;
};

}  // namespace silva::optimal
