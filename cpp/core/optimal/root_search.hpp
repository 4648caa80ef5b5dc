// The search of the root: its branches are tasks, taken in rounds of a fixed size. A task sees what
// earlier rounds found and nothing of its own round, so that the number of threads changes nothing.
#pragma once

#include <memory>

#include "core/optimal/search.hpp"
#include "core/optimal/solver.hpp"

namespace silva::optimal {

template <class Rows>
class RootSearch : public Search {
  public:
    RootSearch(Problem problem, const Bounds& bounds, int64_t max_bytes, int threads);

    void start(const Question& question) override;
    void advance(double seconds, int64_t work, const StopFlag& stop) override;

  private:
    using Node = typename Rows::Node;
    static constexpr int kRound = 16;
    static constexpr int64_t kFirstBudget = int64_t{1} << 26;

    // What one branch of a round gives.
    struct Outcome {
        Branch branch;
        Evaluation found;
        FoundTree tree;
        int64_t work = 0, cap = 0;
    };

    void prepare(int64_t min_rows);
    void open_root(const std::function<bool()>& is_late);
    void solve_root(Solver<Rows>& solver);
    void branch_root(Solver<Rows>& solver);
    void round(Team& team, const std::function<bool()>& is_late);
    void run(Outcome& outcome, int slot, int worker, const std::function<bool()>& is_late);
    void merge(Outcome& outcome, int slot, bool is_late);
    void postpone(Branch branch, const Outcome& outcome, bool is_late);
    void keep_place(const Outcome& outcome);
    void keep_news(int slot);
    void raise_lower();
    void measure();

    int64_t max_bytes_, fixed_bytes_ = 0;
    std::unique_ptr<typename Rows::Table> table_;
    std::vector<std::unique_ptr<Solver<Rows>>> solvers_;  // one for each thread
    ValueTable known_;
    std::vector<ValueTable> news_;  // one for each task of a round
    Node root_;
    Limits limits_{0, 0};
    Branches branches_;
    int64_t tasks_ = 0;  // of this question
    bool is_open_ = false;
};

}  // namespace silva::optimal
