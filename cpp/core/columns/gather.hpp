// Some entries of an array, side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/array.hpp"

namespace silva {

// An empty array stays empty.
template <class T>
void gather(const Array<T>& from, const Array<uint32_t>& ids, Array<T>& to) {
    to.resize(from.empty() ? 0 : ids.size());
    for (int64_t i = 0; i < to.size(); ++i) to[i] = from[ids[i]];
}

// The same of one column, where there are arrays by column at all.
template <class T>
void gather_column(const std::vector<Array<T>>& from, int32_t column, const Array<uint32_t>& ids,
                   std::vector<Array<T>>& to) {
    if (!from.empty())
        gather(from[static_cast<size_t>(column)], ids, to[static_cast<size_t>(column)]);
}

}  // namespace silva
