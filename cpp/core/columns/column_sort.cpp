#include "core/columns/column_sort.hpp"

#include <algorithm>
#include <bit>

#include "core/columns/store.hpp"

namespace silva {
namespace {

constexpr int64_t kGroupEntries = 1 << 14;
constexpr int kBucketBits = 11;
constexpr uint32_t kNew = Store<uint32_t>::kNew;

// All keys of a group differ from those of the groups before it.
void write_ids(const uint64_t* entries, int64_t n, uint32_t* list) {
    if (n > 0) list[0] = id_of(entries[0]) | kNew;
    for (int64_t i = 1; i < n; ++i)
        list[i] = id_of(entries[i]) | (key_of(entries[i]) != key_of(entries[i - 1]) ? kNew : 0);
}

}  // namespace

void ColumnSort::start(int64_t n_rows, int64_t n_parts) {
    keys_.resize(n_rows);
    entries_.resize(n_rows);
    groups_.clear();
    parts_.resize(static_cast<size_t>(n_parts));
    for (int64_t p = 0; p < n_parts; ++p) {
        Part& part = parts_[static_cast<size_t>(p)];
        part.begin = n_rows * p / n_parts;
        part.end = n_rows * (p + 1) / n_parts;
        part.lowest = kMissingValueKey;
        part.highest = 0;
        part.exact = true;
    }
}

// Keys are the values rounded to float32, which keeps their order.
void ColumnSort::read(const ColumnReader& reader, int64_t part_number) {
    Part& part = parts_[static_cast<size_t>(part_number)];
    uint32_t lowest = part.lowest, highest = part.highest;
    bool exact = part.exact;
    reader.for_blocks(part.begin, part.end, [&](int64_t begin, int64_t end, const double* values) {
        uint32_t* keys = keys_.data() + begin;
        for (int64_t i = 0; i < end - begin; ++i) {
            const auto rounded = static_cast<float>(values[i]);
            const bool known = values[i] == values[i];
            const uint32_t key = ordered_bits<uint32_t>(rounded);
            keys[i] = known ? key : kMissingValueKey;
            lowest = std::min(lowest, keys[i]);
            highest = std::max(highest, known ? key : 0);
            exact &= !known | (rounded == values[i]);
        }
        return true;
    });
    part.lowest = lowest;
    part.highest = highest;
    part.exact = exact;
}

// Buckets of equal width from the lowest known key to the highest; one if all rows are one group.
void ColumnSort::choose_buckets() {
    uint32_t highest = 0;
    lowest_ = kMissingValueKey;
    exact_ = true;
    for (const Part& part : parts_) {
        lowest_ = std::min(lowest_, part.lowest);
        highest = std::max(highest, part.highest);
        exact_ = exact_ && part.exact;
    }
    const int bucket_bits = keys_.size() > kGroupEntries ? kBucketBits : 0;
    const int range_bits = static_cast<int>(std::bit_width(std::max(highest, lowest_) - lowest_));
    shift_ = std::max(0, range_bits - bucket_bits);
    n_buckets_ = uint32_t{1} << bucket_bits;
}

// Calls f(id, key, bucket) for the rows of a part.
template <class F>
void ColumnSort::for_buckets(const Part& part, const StopFlag& stop, F&& f) const {
    constexpr int64_t block = 1 << 18;
    const uint32_t* keys = keys_.data();
    const uint32_t lowest = lowest_;
    const int shift = shift_;
    const uint32_t missing_bucket = n_buckets_;
    for (int64_t begin = part.begin; begin < part.end; begin += block) {
        stop.check();
        const int64_t end = std::min(begin + block, part.end);
        for (int64_t id = begin; id < end; ++id) {
            const auto bucket = static_cast<uint32_t>(uint64_t{keys[id] - lowest} >> shift);
            f(id, keys[id], keys[id] == kMissingValueKey ? missing_bucket : bucket);
        }
    }
}

void ColumnSort::count(int64_t part_number, const StopFlag& stop) {
    Part& part = parts_[static_cast<size_t>(part_number)];
    part.counts.assign(n_buckets_ + 1, 0);
    uint32_t* counts = part.counts.data();
    for_buckets(part, stop, [&](int64_t, uint32_t, uint32_t bucket) { ++counts[bucket]; });
}

void ColumnSort::add_group(int64_t first_bucket, int64_t last_bucket, int64_t begin, int64_t end) {
    std::fill(group_of_.begin() + first_bucket, group_of_.begin() + last_bucket + 1,
              static_cast<uint16_t>(groups_.size()));
    const uint64_t width = static_cast<uint64_t>(last_bucket - first_bucket + 1) << shift_;
    const auto lowest = lowest_ + static_cast<uint32_t>(first_bucket << shift_);
    groups_.push_back({begin, end, lowest, static_cast<int>(std::bit_width(width - 1))});
    for (Part& part : parts_) {
        part.at.push_back(begin);
        for (int64_t b = first_bucket; b <= last_bucket; ++b)
            begin += part.counts[static_cast<size_t>(b)];
    }
}

// Neighbouring buckets make a group as long as they are few enough together.
void ColumnSort::make_groups() {
    group_of_.resize(n_buckets_ + 1);
    for (Part& part : parts_) part.at.clear();
    const auto size_of_bucket = [&](uint32_t bucket) {
        int64_t size = 0;
        for (const Part& part : parts_) size += part.counts[bucket];
        return size;
    };
    int64_t begin = 0, end = 0;
    uint32_t first = 0;
    for (uint32_t bucket = 0; bucket < n_buckets_; ++bucket) {
        const int64_t size = size_of_bucket(bucket);
        if (end > begin && end - begin + size > kGroupEntries) {
            add_group(first, bucket - 1, begin, end);
            begin = end;
            first = bucket;
        }
        end += size;
    }
    add_group(first, n_buckets_ - 1, begin, end);
    n_known_ = end;
    add_group(n_buckets_, n_buckets_, end, keys_.size());
    groups_.back().bits = 0;
}

void ColumnSort::scatter(int64_t part_number, const StopFlag& stop) {
    Part& part = parts_[static_cast<size_t>(part_number)];
    int64_t* at = part.at.data();
    const uint16_t* group_of = group_of_.data();
    uint64_t* entries = entries_.data();
    for_buckets(part, stop, [&](int64_t id, uint32_t key, uint32_t bucket) {
        entries[at[group_of[bucket]]++] = keyed_entry(key, id);
    });
}

void ColumnSort::write(const ColumnReader& reader, int64_t number, KeyedScratch& scratch,
                       uint32_t* list) {
    const Group& group = groups_[static_cast<size_t>(number)];
    const int64_t n = group.end - group.begin;
    uint64_t* entries =
        sort_keys(entries_.data() + group.begin, n, group.lowest, group.bits, scratch);
    if (!exact_ && group.begin < n_known_) {
        const auto value_of = [&](uint64_t entry) { return reader.value(id_of(entry)); };
        sort_collisions(entries, n, kNew, value_of, scratch);
    }
    write_ids(entries, n, list + group.begin);
}

}  // namespace silva
