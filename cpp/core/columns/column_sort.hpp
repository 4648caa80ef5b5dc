// Sorts one column: entries of a key and an id are moved once, into groups of neighbouring keys,
// most of which fit in the second-level cache, and each group is sorted there. Keys are values
// rounded to float32; what rounding merged is told apart by the values.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/array.hpp"
#include "core/base/pool.hpp"
#include "core/columns/column_reader.hpp"
#include "core/columns/keyed_entries.hpp"

namespace silva {

// The steps in their order; those of parts of the rows, and those of groups, can run side by side.
// Memory is used again from column to column: 12 bytes a row.
class ColumnSort {
  public:
    void start(int64_t n_rows, int64_t n_parts);
    void read(const ColumnReader& reader, int64_t part);
    void choose_buckets();
    void count(int64_t part, const StopFlag& stop);
    void make_groups();
    void scatter(int64_t part, const StopFlag& stop);
    // Writes the group's place in the list of ids with their kNew bits.
    void write(const ColumnReader& reader, int64_t group, KeyedScratch& scratch, uint32_t* list);

    int64_t n_groups() const { return static_cast<int64_t>(groups_.size()); }
    // Entries before those of missing values, which are the last group.
    int64_t n_known() const { return n_known_; }

  private:
    struct Part {
        int64_t begin = 0, end = 0;
        uint32_t lowest = std::numeric_limits<uint32_t>::max(), highest = 0;  // known keys
        bool exact = true;
        std::vector<uint32_t> counts;  // by bucket
        std::vector<int64_t> at;       // by group: where the part's next entry goes
    };
    struct Group {
        int64_t begin = 0, end = 0;
        uint32_t lowest = 0;  // no key of the group is lower
        int bits = 0;         // of the highest key less the lowest
    };

    template <class F>
    void for_buckets(const Part& part, const StopFlag& stop, F&& f) const;
    void add_group(int64_t first_bucket, int64_t last_bucket, int64_t begin, int64_t end);

    Array<uint32_t> keys_;     // by id, in the order of the values
    Array<uint64_t> entries_;  // a key and an id, by group
    std::vector<Part> parts_;
    std::vector<Group> groups_;
    std::vector<uint16_t> group_of_;  // by bucket
    uint32_t lowest_ = 0;
    int shift_ = 0;
    uint32_t n_buckets_ = 0;  // of known keys; missing values have one more
    bool exact_ = true;       // keys tell all about the order of the values
    int64_t n_known_ = 0;
};

}  // namespace silva
