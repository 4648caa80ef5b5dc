// The predictions of the nodes of a forest: entries of a book that they share.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/mean_sum.hpp"

namespace silva {

// The class shares of some nodes: node i has the entries start[i] to start[i + 1]; `majority` is
// what it votes for.
struct NodeShares {
    std::vector<int64_t> start;
    std::vector<int32_t> code, majority;
    std::vector<double> share;

    int64_t size() const { return static_cast<int64_t>(majority.size()); }
};

// Different predictions, each once. Answer k below the number of classes is class k alone.
class PredictionBook {
  public:
    explicit PredictionBook(int64_t n_classes);

    // The number of the prediction of node `node`.
    uint32_t add(const NodeShares& shares, int64_t node);
    int64_t bytes() const;
    // No more predictions will come.
    void close();

    // Adds the shares of an prediction to sums of coarse and of fine parts (see SplitShare).
    void add_shares(uint32_t prediction, double* coarse, double* fine) const {
        if (prediction < n_classes_) {
            coarse[prediction] += 1.0;
            return;
        }
        for (uint32_t i = start_[prediction]; i < start_[prediction + 1]; ++i) {
            coarse[code_[i]] += share_[i].coarse;
            fine[code_[i]] += share_[i].fine;
        }
    }
    int32_t majority(uint32_t prediction) const { return majority_[prediction]; }

  private:
    uint32_t n_classes_;
    std::vector<uint32_t> start_;
    std::vector<int32_t> code_, majority_;
    std::vector<SplitShare> share_;
    std::unordered_map<std::string, uint32_t> known_;
};

// Numbers of predictions in the narrowest integers that hold them.
class PredictionNumbers {
  public:
    void push(uint32_t number) { whole_.push_back(number); }
    void narrow();
    int64_t bytes() const;

    // Calls f with a pointer to the numbers, from `begin` on.
    template <class F>
    void from(int64_t begin, F&& f) const {
        if (!bytes_.empty())
            f(bytes_.data() + begin);
        else if (!shorts_.empty())
            f(shorts_.data() + begin);
        else
            f(whole_.data() + begin);
    }

  private:
    std::vector<uint8_t> bytes_;
    std::vector<uint16_t> shorts_;
    std::vector<uint32_t> whole_;
};

}  // namespace silva
