#include "core/base/pool.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <system_error>

namespace silva {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSpin = std::chrono::microseconds(30);  // about the price of waking a thread
constexpr auto kPoll = std::chrono::milliseconds(20);

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

template <class Done>
bool spin_until(Done&& done) {
    const auto end = Clock::now() + kSpin;
    while (!done()) {
        if (Clock::now() > end) return false;
        relax();
    }
    return true;
}

// The C library keeps small blocks that a thread frees for this thread: later it finds them there,
// whatever others have taken meanwhile.
bool has_small_blocks() {
    constexpr size_t largest = 1024, step = 16;
    void* volatile blocks[largest / step];
    bool all = true;
    for (size_t i = 0; i < largest / step; ++i) {
        blocks[i] = std::malloc((i + 1) * step);
        all &= blocks[i] != nullptr;
    }
    for (void* block : blocks) std::free(block);
    return all;
}

}  // namespace

bool make_room_for_exceptions() {
    if (!has_small_blocks()) return false;
    // Volatile, because the compiler drops a call of a pure function whose result nobody reads.
    [[maybe_unused]] volatile int touched = std::uncaught_exceptions();
    return true;
}

Team::Team(int threads) {
    helpers_.reserve(static_cast<size_t>(std::max(threads - 1, 0)));
    try {
        for (int worker = 1; worker < threads; ++worker)
            helpers_.emplace_back([this, worker] { help(worker); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
}

void Team::for_each(int64_t items, const Task& task) {
    if (helpers_.empty() || items < 2) {
        for (int64_t item = 0; item < items; ++item) task(item, 0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        task_ = &task;
        items_ = items;
        next_ = 0;
        failure_ = nullptr;
        working_ = static_cast<int>(helpers_.size());
        ++round_;
    }
    wake_.notify_all();
    work(0);
    const auto finished = [this] { return working_ == 0; };
    if (!spin_until(finished)) {
        std::unique_lock lock(mutex_);
        done_.wait(lock, finished);
    }
    if (failure_) std::rethrow_exception(failure_);
}

void Team::help(int worker) {
    const bool able = make_room_for_exceptions();
    for (int seen = 0;;) {
        const auto called = [&] { return round_ != seen || quit_; };
        if (!spin_until(called)) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, called);
        }
        if (quit_) return;
        {
            const std::lock_guard lock(mutex_);
            seen = round_;
        }
        if (able) work(worker);
        const std::lock_guard lock(mutex_);
        if (--working_ == 0) done_.notify_one();
    }
}

void Team::work(int worker) {
    try {
        for (int64_t item = next_++; item < items_; item = next_++) (*task_)(item, worker);
    } catch (...) {
        record_failure();
    }
}

void Team::record_failure() {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
    next_ = items_;
}

void run_polled(const std::function<void()>& work, const std::function<bool()>& poll,
                StopFlag& stop) {
    std::mutex mutex;
    std::condition_variable changed;
    bool finished = false, able = true;
    std::exception_ptr failure;
    std::thread runner;
    try {
        runner = std::thread([&] {
            able = make_room_for_exceptions();
            try {
                if (able) work();
            } catch (...) {
                failure = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            finished = true;
            changed.notify_one();
        });
    } catch (const std::system_error&) {
        return work();
    } catch (const std::bad_alloc&) {
        return work();
    }
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, kPoll, [&] { return finished; })) {
        lock.unlock();
        if (!stop.is_set() && poll()) stop.set();
        lock.lock();
    }
    lock.unlock();
    runner.join();
    if (!able) return work();
    if (failure) std::rethrow_exception(failure);
}

namespace {

// cgroup v2: "max 100000" or "150000 100000"; v1: two files. No limit: a large number.
double cgroup_quota() {
    std::ifstream v2("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0.0;
    if (v2 >> quota >> period && quota != "max") return std::stod(quota) / period;
    std::ifstream quota_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream period_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    double granted = -1.0;
    if (quota_file >> granted && period_file >> period && granted > 0.0 && period > 0.0)
        return granted / period;
    return 1e9;
}

}  // namespace

int usable_cpus() {
    cpu_set_t allowed;
    int cpus = static_cast<int>(std::thread::hardware_concurrency());
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) cpus = CPU_COUNT(&allowed);
    const double quota = cgroup_quota();
    if (quota < cpus) cpus = static_cast<int>(std::ceil(quota));
    return std::max(1, cpus);
}

}  // namespace silva
