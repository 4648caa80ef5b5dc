// The exact search: the best of all trees within limits, with a proof.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "core/base/pool.hpp"
#include "core/optimal/found_tree.hpp"
#include "core/optimal/problem.hpp"

namespace silva::optimal {

enum class Layout { kBits, kSorted };

// Bits where pairs of tests are fewer than what the sorted engine visits, else sorted columns.
Layout best_layout(const Problem& problem);

// Answers one question after the other. Between calls of `advance` the bounds are true, and the
// tree is the best one found so far. Results do not depend on the number of threads, unless time
// ends a call.
class Search {
  public:
    static std::unique_ptr<Search> make(Problem problem, Layout layout, const Bounds& bounds,
                                        int64_t max_bytes, int threads);
    virtual ~Search() = default;

    // Begins a question. What was found for another one stays where it is true for this one too.
    virtual void start(const Question& question) = 0;
    // Goes on until the proof, until the time is up, or for so much work.
    virtual void advance(double seconds, int64_t work, const StopFlag& stop) = 0;
    // Takes a tree as the best one if it is, and returns its value; -1: it breaks a limit.
    int64_t offer(const FoundTree& tree);

    bool is_proved() const { return lower_ >= upper_; }
    int64_t lower() const { return std::min(lower_.load(), upper_.load()); }
    int64_t upper() const { return upper_; }
    int64_t work() const { return work_; }
    int64_t bytes() const { return bytes_; }  // after the last round
    const FoundTree& tree() const { return tree_; }

  protected:
    Search(Problem problem, const Bounds& bounds, int threads)
        : problem_(std::move(problem)), bounds_(bounds), threads_(threads) {}

    // The value of a tree, or -1.
    int64_t value_of(const FoundTree& tree) const;
    void take(const FoundTree& tree, int64_t value);

    Problem problem_;
    Bounds bounds_;
    int threads_;
    Question question_;
    FoundTree tree_;  // empty: none is below the upper bound that was given
    // Read by one thread while another searches.
    std::atomic<int64_t> lower_{0}, upper_{kInfinite}, work_{0}, bytes_{0};
};

}  // namespace silva::optimal
