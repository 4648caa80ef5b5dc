// The rows of a tree of a forest as ClassFinder has them: a word each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "core/base/array.hpp"
#include "core/columns/marked_rows.hpp"
#include "core/columns/row_parts.hpp"
#include "core/columns/split_values.hpp"

namespace silva {

struct PackedRows {
    static constexpr int64_t kBytes = 4;  // of the widest array

    Array<uint32_t> words;

    static bool needs_ids() { return false; }
    void resize(int64_t n) { words.resize(n + kSparePadding); }
    void copy(const PackedRows& from, int64_t begin, int64_t end) {
        resize(end - begin);
        std::copy(from.words.data() + begin, from.words.data() + end, words.data());
    }
    void copy_marked(const PackedRows& from, const MarkedCopy& copy) {
        resize(copy.size());
        copy(from.words.data(), words.data());
    }
    // Those of the listed rows, which are counted from `begin` on.
    void copy_listed(const PackedRows& from, int64_t begin, std::span<const uint32_t> listed) {
        resize(std::ssize(listed));
        for (size_t i = 0; i < listed.size(); ++i) words[i] = from.words[begin + listed[i]];
    }
    void split(int64_t begin, const RowParts& parts) { parts.split(words.data() + begin); }
};

// A few classes: the class in the lower 8 bits, the weight above it.
struct MulticlassRows : PackedRows {
    static constexpr int64_t kMostWeight = (1 << 24) - 1;
};

// Two classes: the weight in the lower 16 bits, and once more in the upper ones if it is of
// class 1.
struct BinaryRows : PackedRows {
    static constexpr int64_t kMostWeight = 65535;
    static constexpr uint32_t kOne = 1 << 16;  // words of class 1 are not below

    // The word with 32 bits for each half, so that words can be added up.
    static uint64_t widened(uint32_t word) {
        return (word & 0xFFFFu) | static_cast<uint64_t>(word >> 16) << 32;
    }

    bool unit = false;      // all weights are one
    Array<uint64_t> zeros;  // of a copy of unit rows: those of class 0

    void copy(const BinaryRows& from, int64_t begin, int64_t end) {
        PackedRows::copy(from, begin, end);
        start_zeros(from, end - begin);
        if (unit) mark_below(words.data(), end - begin, kOne, zeros.data());
    }
    // Of a copy; that of unit rows has no words.
    void copy_marked(const BinaryRows& from, const MarkedCopy& copy) {
        start_zeros(from, copy.size());
        if (unit) return copy.bits(from.zeros.data(), zeros.data());
        PackedRows::copy_marked(from, copy);
    }
    // Words, also where only the zeros are known.
    void copy_listed(const BinaryRows& from, int64_t begin, std::span<const uint32_t> listed) {
        if (from.zeros.empty()) return PackedRows::copy_listed(from, begin, listed);
        resize(std::ssize(listed));
        for (size_t i = 0; i < listed.size(); ++i) {
            const uint64_t zero = from.zeros[listed[i] / 64] >> (listed[i] % 64) & 1;
            words[i] = zero != 0 ? 1 : kOne | 1;
        }
    }

  private:
    void start_zeros(const BinaryRows& from, int64_t n) {
        unit = from.unit;
        zeros.resize(unit ? (n + 63) / 64 : 0);
    }
};

}  // namespace silva
