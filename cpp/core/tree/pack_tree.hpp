// Arrays of a tree in few bytes: the only writer of the format that silva/ensemble/packing.py
// reads.
//
// An integer array is written as differences from its smallest value, in the width that takes the
// fewest bytes; those that do not fit are marked by the largest number of that width and follow as
// 64-bit integers. Constant arrays are one number. Other float64 arrays keep their 64 bits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/tree/tree_builder.hpp"

namespace silva {

// A count, a list of entries, then the arrays, each padded to a multiple of eight bytes. `number`
// is the place of an array's name in packing.NAMES. Empty arrays are left out.
class PackedArrays {
  public:
    void put(uint32_t number, std::span<const int8_t> values);
    void put(uint32_t number, std::span<const int32_t> values);
    void put(uint32_t number, std::span<const int64_t> values);
    void put(uint32_t number, std::span<const double> values);
    std::string bytes() const;

  private:
    enum Encoding : uint32_t { kConstant, kBits, kBytes, kShorts, kWords, kWhole };
    struct Entry {
        uint32_t number, encoding;
        int64_t base, count, n_apart;
    };
    // A width that most differences from the lowest value fit; the others stand apart.
    struct Width {
        Encoding encoding = kWhole;
        int64_t n_apart = 0;
    };

    template <class T>
    void put_integers(uint32_t number, std::span<const T> values);
    template <class T>
    void append_bits(std::span<const T> values, T low);
    template <class T>
    static Width best_width(std::span<const T> values, T low, uint64_t range);
    template <class Narrow, class T>
    void append_narrow(std::span<const T> values, T low, int64_t n_apart);
    template <class T>
    void append(std::span<const T> values);

    std::vector<Entry> entries_;
    std::string blocks_;
};

// The number of each array by its name.
using ArrayNumbers = std::map<std::string, uint32_t, std::less<>>;

// A tree of classes, packed by the thread that grew it. The shape of the tree is not read: numbers
// of children and splits, gains of leaves.
std::string pack_tree(const TreeArrays& tree, double weight_unit, const ArrayNumbers& numbers);

}  // namespace silva
