#include "core/search/finders/sorted.hpp"

namespace silva {

template void search_with<uint16_t, Entropy<uint8_t, false>>(const NodeTask&,
                                                             const Store<uint16_t>&);
template void search_with<uint32_t, Entropy<uint8_t, false>>(const NodeTask&,
                                                             const Store<uint32_t>&);
template void search_with<uint16_t, Entropy<uint8_t, true>>(const NodeTask&,
                                                            const Store<uint16_t>&);
template void search_with<uint32_t, Entropy<uint8_t, true>>(const NodeTask&,
                                                            const Store<uint32_t>&);
template void search_with<uint16_t, Entropy<uint32_t, false>>(const NodeTask&,
                                                              const Store<uint16_t>&);
template void search_with<uint32_t, Entropy<uint32_t, false>>(const NodeTask&,
                                                              const Store<uint32_t>&);
template void search_with<uint16_t, Entropy<uint32_t, true>>(const NodeTask&,
                                                             const Store<uint16_t>&);
template void search_with<uint32_t, Entropy<uint32_t, true>>(const NodeTask&,
                                                             const Store<uint32_t>&);
template void search_with<uint16_t, Error<uint8_t, false>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Error<uint8_t, false>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Error<uint8_t, true>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Error<uint8_t, true>>(const NodeTask&, const Store<uint32_t>&);
template void search_with<uint16_t, Error<uint32_t, false>>(const NodeTask&,
                                                            const Store<uint16_t>&);
template void search_with<uint32_t, Error<uint32_t, false>>(const NodeTask&,
                                                            const Store<uint32_t>&);
template void search_with<uint16_t, Error<uint32_t, true>>(const NodeTask&, const Store<uint16_t>&);
template void search_with<uint32_t, Error<uint32_t, true>>(const NodeTask&, const Store<uint32_t>&);

}  // namespace silva
