#include "core/finders/category.hpp"
#include "core/finders/coded.hpp"
#include "core/finders/subset.hpp"
#include "core/sweeps/classes.hpp"

namespace silva {

template class GroupSearch<TwoClassGroups>;
template class GroupSearch<GiniGroups<false>>;
template class GroupSearch<GiniGroups<true>>;
template class GroupSearch<EntropyGroups>;
template class GroupSearch<ErrorGroups>;

}  // namespace silva
