#include "core/optimal/value_table.hpp"

#include <algorithm>

namespace silva::optimal {

int64_t ValueTable::bucket_of(const Key& key) const {
    const auto buckets = entries_.size() / kBucket;
    return static_cast<int64_t>(key.a & (buckets - 1)) * kBucket;
}

const ValueTable::Entry* ValueTable::find(const Key& key) const {
    if (entries_.empty()) return nullptr;
    const Entry* bucket = entries_.data() + bucket_of(key);
    for (int64_t i = 0; i < kBucket; ++i)
        if (bucket[i].effort != 0 && bucket[i].key == key) return bucket + i;
    return nullptr;
}

void ValueTable::put(const Entry& entry) {
    if (static_cast<size_t>(used_) * 2 >= entries_.size()) grow();
    if (!entries_.empty()) place(entry);
}

void ValueTable::place(const Entry& entry) {
    Entry* bucket = entries_.data() + bucket_of(entry.key);
    Entry* chosen = bucket;
    for (int64_t i = 0; i < kBucket; ++i) {
        if (bucket[i].effort != 0 && bucket[i].key == entry.key) {
            if (bucket[i].is_exact || bucket[i].lower >= entry.lower) {
                if (!entry.is_exact) return;
            }
            chosen = bucket + i;
            break;
        }
        if (bucket[i].effort < chosen->effort) chosen = bucket + i;
    }
    used_ += chosen->effort == 0;
    *chosen = entry;
    chosen->effort = std::max<uint32_t>(entry.effort, 1);
}

void ValueTable::grow() {
    constexpr size_t kFirst = 1 << 6;
    const size_t size = entries_.empty() ? kFirst : entries_.size() * 2;
    if (static_cast<int64_t>(size * sizeof(Entry)) > max_bytes_) return;
    std::vector<Entry> old(size);
    old.swap(entries_);
    used_ = 0;
    for (const Entry& entry : old)
        if (entry.effort != 0) place(entry);
}

void ValueTable::clear() {
    std::fill(entries_.begin(), entries_.end(), Entry{});
    used_ = 0;
}

}  // namespace silva::optimal
