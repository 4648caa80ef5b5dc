// Threads for one call: started with it, gone after it, so a fork finds nothing to break.
#pragma once

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

// The calling thread and `threads - 1` helpers. Items are taken in order, one at a time; the first
// exception of any item is thrown again in the caller after all threads have left the loop. A
// helper that the system will not start, or that has no room for exceptions, is done without:
// results do not depend on the number of threads.
class Team {
  public:
    using Task = std::function<void(int64_t item, int worker)>;

    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(helpers_.size()) + 1; }
    void for_each(int64_t items, const Task& task);

  private:
    void help(int worker);
    void work(int worker);
    void record_failure();

    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    const Task* task_ = nullptr;
    int64_t items_ = 0;
    std::atomic<int64_t> next_{0};
    std::atomic<int> round_{0}, working_{0};
    std::atomic<bool> quit_{false};
    std::exception_ptr failure_;
};

// Runs `work` in its own thread while the caller polls; `poll` returns true to ask for a stop.
// What `work` throws is thrown here. Without a thread to be had, the caller does the work itself.
void run_polled(const std::function<void()>& work, const std::function<bool()>& poll,
                StopFlag& stop);

// CPUs this process may use: affinity and cgroup quota.
int usable_cpus();

}  // namespace silva
