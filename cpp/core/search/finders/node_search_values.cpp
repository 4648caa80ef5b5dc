#include "core/search/finders/sorted.hpp"

namespace silva {

template void search_with<uint16_t, SquaredError>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, SquaredError>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, WeightedSquaredError>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, WeightedSquaredError>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Poisson>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Poisson>(const NodeTask&, const Store<uint32_t>&);

}  // namespace silva
