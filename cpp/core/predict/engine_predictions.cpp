#include "core/predict/engine_predictions.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace silva {
namespace {

template <class T>
void append(std::string& to, const T* values, int64_t n) {
    to.append(reinterpret_cast<const char*>(values), static_cast<size_t>(n) * sizeof(T));
}

template <class T>
int64_t bytes_of(const std::vector<T>& values) {
    return static_cast<int64_t>(values.size() * sizeof(T));
}

}  // namespace

PredictionBook::PredictionBook(int64_t n_classes) : n_classes_(static_cast<uint32_t>(n_classes)) {
    for (uint32_t k = 0; k <= n_classes_; ++k) start_.push_back(k);
    for (uint32_t k = 0; k < n_classes_; ++k) {
        code_.push_back(static_cast<int32_t>(k));
        majority_.push_back(static_cast<int32_t>(k));
        share_.emplace_back(1.0);
    }
}

uint32_t PredictionBook::add(const NodeShares& shares, int64_t node) {
    const int64_t begin = shares.start[node], n = shares.start[node + 1] - begin;
    const int32_t majority = shares.majority[node];
    if (n == 1 && shares.share[begin] == 1.0 && shares.code[begin] == majority)
        return static_cast<uint32_t>(majority);
    std::string key;
    append(key, &majority, 1);
    append(key, shares.code.data() + begin, n);
    append(key, shares.share.data() + begin, n);
    const auto [found, is_new] = known_.try_emplace(std::move(key), majority_.size());
    if (is_new) {
        if (code_.size() + static_cast<size_t>(n) > std::numeric_limits<uint32_t>::max())
            throw std::length_error("the forest has too many different predictions");
        code_.insert(code_.end(), shares.code.begin() + begin, shares.code.begin() + begin + n);
        for (int64_t i = 0; i < n; ++i) share_.emplace_back(shares.share[begin + i]);
        start_.push_back(static_cast<uint32_t>(code_.size()));
        majority_.push_back(majority);
    }
    return found->second;
}

void PredictionBook::close() {
    known_ = {};
    start_.shrink_to_fit();
    code_.shrink_to_fit();
    majority_.shrink_to_fit();
    share_.shrink_to_fit();
}

int64_t PredictionBook::bytes() const {
    return bytes_of(start_) + bytes_of(code_) + bytes_of(majority_) + bytes_of(share_);
}

void PredictionNumbers::narrow() {
    if (whole_.empty()) return;
    const uint32_t most = *std::max_element(whole_.begin(), whole_.end());
    if (most <= std::numeric_limits<uint8_t>::max())
        bytes_.assign(whole_.begin(), whole_.end());
    else if (most <= std::numeric_limits<uint16_t>::max())
        shorts_.assign(whole_.begin(), whole_.end());
    else
        return whole_.shrink_to_fit();
    whole_ = {};
}

int64_t PredictionNumbers::bytes() const {
    return bytes_of(bytes_) + bytes_of(shorts_) + bytes_of(whole_);
}

}  // namespace silva
