#include "core/search/finders/category.hpp"
#include "core/search/finders/coded.hpp"
#include "core/search/finders/subset.hpp"
#include "core/search/sweeps/classes.hpp"

namespace silva {

template class GroupSearch<TwoClassGroups>;
template class GroupSearch<GiniGroups<false>>;
template class GroupSearch<GiniGroups<true>>;
template class GroupSearch<EntropyGroups>;
template class GroupSearch<ErrorGroups>;

}  // namespace silva
