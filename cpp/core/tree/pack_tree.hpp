// Arrays of a tree in few bytes: the only writer and the only reader of the format. Which arrays a
// tree keeps is the business of silva/ensemble/packing.py.
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
#include <string_view>
#include <vector>

#include "core/tree/tree_builder.hpp"

namespace silva {

enum PackedEncoding : uint32_t { kConstant, kBits, kBytes, kShorts, kWords, kWhole };

// How an array is written: `base` is the value of number 0, `n_apart` entries do not fit the width.
struct PackedEntry {
    uint32_t number, encoding;
    int64_t base, count, n_apart;
};

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
    // A width that most differences from the lowest value fit; the others stand apart.
    struct Width {
        PackedEncoding encoding = kWhole;
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

    std::vector<PackedEntry> entries_;
    std::string blocks_;
};

// The number of each array by its name.
using ArrayNumbers = std::map<std::string, uint32_t, std::less<>>;

// The arrays in bytes that PackedArrays wrote; borrows the bytes. Throws std::invalid_argument,
// with the name of the array, where the bytes cannot be a tree.
class UnpackedArrays {
  public:
    // `names` are those of all arrays in the order of their numbers.
    UnpackedArrays(std::string_view bytes, const std::vector<std::string>& names);

    bool has(std::string_view name) const { return places_.contains(name); }
    // Empty where the array was left out. T: int8_t, int32_t, int64_t or double.
    template <class T>
    std::vector<T> get(std::string_view name) const;
    // The values where they lie, if they are kept whole; nullptr if not.
    const double* whole(std::string_view name) const;

  private:
    struct Place {
        PackedEntry entry;
        std::string_view block;
    };
    const Place* find(std::string_view name) const;
    void check(const Place& place, std::string_view name) const;

    std::map<std::string, Place, std::less<>> places_;
    int64_t max_entries_;  // that arrays may still have
};

// The offsets that lengths stand for.
std::vector<int64_t> starts_of(const std::vector<int64_t>& lengths);

// A tree of classes, packed by the thread that grew it. The shape of the tree is not read: numbers
// of children and splits, gains of leaves.
std::string pack_tree(const TreeArrays& tree, double weight_unit, const ArrayNumbers& numbers);

}  // namespace silva
