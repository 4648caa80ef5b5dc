#include "core/columns/marked_rows.hpp"

#include <algorithm>

namespace silva {
namespace {

constexpr int64_t kFarBetween = 5;  // rows that are fewer are listed

}  // namespace

MarkedCopy::MarkedCopy(std::span<const uint64_t> rows, int64_t n, Array<uint32_t>& spare,
                       bool must_list)
    : rows_(rows), n_(n), is_dense_(n * kFarBetween > 64 * std::ssize(rows)) {
    if (is_dense_ && !must_list) return;
    spare.resize(n + kSparePadding);
    simd::kernels().marked.list(rows.data(), std::ssize(rows), spare.data());
    std::fill_n(spare.data() + n, kSparePadding, 0);
    listed_ = {spare.data(), static_cast<size_t>(n)};
}

}  // namespace silva
