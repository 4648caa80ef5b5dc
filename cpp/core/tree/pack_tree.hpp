// A tree of classes in the bytes that silva/ensemble/packing.py describes: what `pack` makes of it
// there, made by the thread that grew the tree, beside which one thread with Python's lock is slow.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/tree/tree_builder.hpp"

namespace silva {

// The number of each array by its name.
using ArrayNumbers = std::map<std::string, uint32_t, std::less<>>;

constexpr bool kCanPack = std::endian::native == std::endian::little;

// The shape of the tree is not needed: numbers of children and splits, gains of leaves.
std::string pack_tree(const TreeArrays& tree, double weight_unit, const ArrayNumbers& numbers);

}  // namespace silva
