// Some entries of an array, side by side.
#pragma once

#include <cstdint>

#include "core/base/array.hpp"

namespace silva {

// An empty array stays empty.
template <class T>
void gather(const Array<T>& from, const Array<uint32_t>& ids, Array<T>& to) {
    to.resize(from.empty() ? 0 : ids.size());
    for (int64_t i = 0; i < to.size(); ++i) to[i] = from[ids[i]];
}

}  // namespace silva
