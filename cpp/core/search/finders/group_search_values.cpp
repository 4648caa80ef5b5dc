#include "core/search/finders/category.hpp"
#include "core/search/finders/coded.hpp"
#include "core/search/finders/subset.hpp"
#include "core/search/sweeps/values.hpp"

namespace silva {

template class GroupSearch<SquaredError>;
template class GroupSearch<WeightedSquaredError>;
template class GroupSearch<Poisson>;

}  // namespace silva
