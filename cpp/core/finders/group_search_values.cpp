#include "core/finders/category.hpp"
#include "core/finders/coded.hpp"
#include "core/finders/subset.hpp"
#include "core/sweeps/values.hpp"

namespace silva {

template class GroupSearch<SquaredError>;
template class GroupSearch<WeightedSquaredError>;
template class GroupSearch<Poisson>;

}  // namespace silva
