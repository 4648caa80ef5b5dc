// The rows of a tree of a forest as the finder for a few classes has them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/row_parts.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

// The class in the lower 8 bits, the weight above it.
struct MulticlassRows {
    static constexpr int64_t kBytes = 4;  // of the widest array
    static constexpr int64_t kMostWeight = (1 << 24) - 1;

    Array<uint32_t> counts;

    static bool needs_ids() { return false; }
    void resize(int64_t n) { counts.resize(n + kSparePadding); }
    void copy_marked(const MulticlassRows& from, const MarkedCopy& copy) {
        resize(copy.size());
        copy(from.counts.data(), counts.data());
    }
    void copy(const MulticlassRows& from, int64_t begin, int64_t end) {
        resize(end - begin);
        std::copy(from.counts.data() + begin, from.counts.data() + end, counts.data());
    }
    void split(int64_t begin, const RowParts& parts) { parts.split(counts.data() + begin); }
};

}  // namespace silva
