#include "core/search/finders/sorted.hpp"

namespace silva {

template void search_with<uint16_t, TwoClassGini<uint8_t>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, TwoClassGini<uint8_t>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Gini<uint8_t, false>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Gini<uint8_t, false>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Gini<uint8_t, true>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Gini<uint8_t, true>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Gini<uint32_t, false>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Gini<uint32_t, false>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Gini<uint32_t, true>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Gini<uint32_t, true>>(const NodeTask&, const Store<uint32_t>&);

}  // namespace silva
