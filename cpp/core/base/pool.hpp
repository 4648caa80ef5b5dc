// Threads for one call: started with it, gone after it, so a fork finds nothing to break.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace silva {

// Thrown inside the core after `stop` was set.
struct Interrupted : std::runtime_error {
    Interrupted() : std::runtime_error("interrupted") {}
};

class StopFlag {
  public:
    void set() { stop_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return stop_.load(std::memory_order_relaxed); }
    void check() const {
        if (is_set()) throw Interrupted();
    }

  private:
    std::atomic<bool> stop_{false};
};

// A thread's first exception needs thread-local data, which the C library makes when it is first
// asked for, and it aborts the process where memory is short then. So every thread makes it before
// it works. False: there is no memory even for that, and this thread must not throw.
bool make_room_for_exceptions();

// The calling thread and `threads - 1` helpers. Items of a loop are taken in order, one at a time;
// the first exception of any item is thrown again in its caller after all threads have left the
// loop. A helper that the system will not start, or that has no room for exceptions, is done
// without: results do not depend on the number of threads.
//
// Jobs may add jobs and call for_each: threads without work join the loops of others first, then
// they take the largest job. A thread that waits for the last items of its own loop takes nothing
// else meanwhile, so memory by worker is never used by two of its tasks in turns.
class Team {
  public:
    using Task = std::function<void(int64_t item, int worker)>;
    using Job = std::function<void(int worker)>;

    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(helpers_.size()) + 1; }
    // The worker number of the calling thread: 0 but for helpers.
    int here() const { return helpers_.empty() ? 0 : find_here(); }
    void for_each(int64_t items, const Task& task);

    // Adds a job for run_jobs, by the caller of it or by a job.
    void add_job(int64_t size, Job job);
    // Runs jobs until none is left. After an exception the others are dropped.
    void run_jobs();

  private:
    struct Loop;
    struct Waiting {
        int64_t size;
        Job job;
        bool operator<(const Waiting& other) const { return size < other.size; }
    };

    int find_here() const;
    void help(int worker);
    bool take_work(std::unique_lock<std::mutex>& lock, int worker);
    void work_in(Loop& loop, int worker);
    void run_largest(std::unique_lock<std::mutex>& lock, int worker);
    void close(Loop& loop);
    void drop_jobs();

    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<Loop*> loops_;     // those that may have items left, in the order of their start
    std::vector<Waiting> jobs_;    // a heap, the largest first
    int64_t unfinished_jobs_ = 0;  // waiting or running
    std::exception_ptr job_failure_;
    std::atomic<int64_t> offers_{0};  // loops and jobs that a thread could take
    std::atomic<bool> quit_{false};
};

// Calls f(begin, end, worker) for parts of [0, n) whose size does not depend on the threads; all of
// it in one call where a single thread works.
constexpr int64_t kPartRows = 1 << 15;
template <class F>
void for_parts(Team& team, int64_t n, F&& f) {
    if (team.size() == 1 || n <= kPartRows) return f(int64_t{0}, n, team.here());
    team.for_each((n + kPartRows - 1) / kPartRows, [&](int64_t part, int worker) {
        f(part * kPartRows, std::min(n, (part + 1) * kPartRows), worker);
    });
}

// Adds up what f(begin, end, sum) makes of parts of [0, n), in any order; each sum begins as
// `none`. Threads add to sums of their own, so that they do not write to common cache lines.
template <class Sum, class F, class Add>
Sum sum_of_parts(Team& team, int64_t n, Sum none, F&& f, Add&& add) {
    if (team.size() == 1 || n <= kPartRows) {
        f(int64_t{0}, n, none);
        return none;
    }
    std::vector<Sum> sums(static_cast<size_t>(team.size()), none);
    for_parts(team, n, [&](int64_t begin, int64_t end, int worker) {
        Sum sum = none;
        f(begin, end, sum);
        add(sums[static_cast<size_t>(worker)], sum);
    });
    for (size_t worker = 1; worker < sums.size(); ++worker) add(sums[0], sums[worker]);
    return std::move(sums[0]);
}

// Runs `work` in its own thread while the caller polls; `poll` returns true to ask for a stop.
// What `work` throws is thrown here. Without a thread to be had, the caller does the work itself.
void run_polled(const std::function<void()>& work, const std::function<bool()>& poll,
                StopFlag& stop);

// CPUs this process may use: affinity and cgroup quota.
int usable_cpus();

}  // namespace silva
