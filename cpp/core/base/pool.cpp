#include "core/base/pool.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <utility>

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

// Kernels without balancing at fork, as those of small virtual machines, queue a new thread behind
// its creator until the creator's slice is over (3 ms on Linux 6.18). A thread that may not run on
// the creator's CPU is moved at once; afterwards it may run anywhere again.
class OtherCpus {
  public:
    OtherCpus() {
        known_ = sched_getaffinity(0, sizeof(all_), &all_) == 0;
        others_ = all_;
        const int here = sched_getcpu();
        if (known_ && here >= 0) CPU_CLR(here, &others_);
    }
    void move(std::thread& thread) const {
        if (!known_ || CPU_COUNT(&others_) == 0) return;
        pthread_setaffinity_np(thread.native_handle(), sizeof(others_), &others_);
        pthread_setaffinity_np(thread.native_handle(), sizeof(all_), &all_);
    }

  private:
    cpu_set_t all_, others_;
    bool known_;
};

}  // namespace

bool make_room_for_exceptions() {
    if (!has_small_blocks()) return false;
    // Volatile, because the compiler drops a call of a pure function whose result nobody reads.
    [[maybe_unused]] volatile int touched = std::uncaught_exceptions();
    return true;
}

Team::Team(int threads) {
    if (threads < 2) return;
    helpers_.reserve(static_cast<size_t>(threads - 1));
    const OtherCpus other_cpus;
    try {
        for (int worker = 1; worker < threads; ++worker)
            other_cpus.move(helpers_.emplace_back([this, worker] { help(worker); }));
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

struct Team::Loop {
    Loop(const Task& task, int64_t items) : task(task), items(items) {}
    const Task& task;
    int64_t items;
    std::atomic<int64_t> next{0};
    std::atomic<int> inside{0};  // helpers; changed under the team's mutex
    std::exception_ptr failure;
};

// Looked up: thread-local data of a library is made late, and the C library aborts without memory.
int Team::find_here() const {
    const auto is_this = [](const std::thread& helper) {
        return helper.get_id() == std::this_thread::get_id();
    };
    const auto found = std::find_if(helpers_.begin(), helpers_.end(), is_this);
    return found == helpers_.end() ? 0 : static_cast<int>(found - helpers_.begin()) + 1;
}

void Team::for_each(int64_t items, const Task& task) {
    const int worker = here();
    if (helpers_.empty() || items < 2) {
        for (int64_t item = 0; item < items; ++item) task(item, worker);
        return;
    }
    Loop loop(task, items);
    {
        const std::lock_guard lock(mutex_);
        loops_.push_back(&loop);
        ++offers_;
    }
    wake_.notify_all();
    work_in(loop, worker);
    {
        const std::lock_guard lock(mutex_);
        close(loop);
    }
    const auto finished = [&] { return loop.inside == 0; };
    if (!spin_until(finished)) {
        std::unique_lock lock(mutex_);
        done_.wait(lock, finished);
    }
    if (loop.failure) std::rethrow_exception(loop.failure);
}

void Team::add_job(int64_t size, Job job) {
    {
        const std::lock_guard lock(mutex_);
        jobs_.push_back({size, std::move(job)});
        std::push_heap(jobs_.begin(), jobs_.end());
        ++unfinished_jobs_;
        ++offers_;
    }
    wake_.notify_one();
}

void Team::run_jobs() {
    const int worker = here();
    std::unique_lock lock(mutex_);
    while (unfinished_jobs_ > 0) {
        if (take_work(lock, worker)) continue;
        lock.unlock();
        spin_until([this] { return offers_ > 0; });
        lock.lock();
        wake_.wait(lock, [this] { return unfinished_jobs_ == 0 || offers_ > 0; });
    }
    if (job_failure_) std::rethrow_exception(std::exchange(job_failure_, nullptr));
}

void Team::help(int worker) {
    if (!make_room_for_exceptions()) return;
    const auto called = [this] { return offers_ > 0 || quit_; };
    for (;;) {
        spin_until(called);
        std::unique_lock lock(mutex_);
        wake_.wait(lock, called);
        if (quit_) return;
        take_work(lock, worker);
    }
}

// Works in a loop or runs a job, without the lock; false if there is neither.
bool Team::take_work(std::unique_lock<std::mutex>& lock, int worker) {
    if (loops_.empty()) {
        if (jobs_.empty()) return false;
        run_largest(lock, worker);
        return true;
    }
    Loop& loop = *loops_.front();
    ++loop.inside;
    lock.unlock();
    work_in(loop, worker);
    lock.lock();
    close(loop);
    if (--loop.inside == 0) done_.notify_all();
    return true;
}

void Team::work_in(Loop& loop, int worker) {
    try {
        for (int64_t item = loop.next++; item < loop.items; item = loop.next++)
            loop.task(item, worker);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!loop.failure) loop.failure = std::current_exception();
        loop.next = loop.items;
    }
}

void Team::run_largest(std::unique_lock<std::mutex>& lock, int worker) {
    std::pop_heap(jobs_.begin(), jobs_.end());
    Job job = std::move(jobs_.back().job);
    jobs_.pop_back();
    --offers_;
    lock.unlock();
    std::exception_ptr failure;
    try {
        job(worker);
    } catch (...) {
        failure = std::current_exception();
    }
    job = nullptr;
    lock.lock();
    if (failure) {
        if (!job_failure_) job_failure_ = failure;
        drop_jobs();
    }
    if (--unfinished_jobs_ == 0) wake_.notify_all();
}

// No item of the loop is left, so nobody needs to look at it again.
void Team::close(Loop& loop) { offers_ -= static_cast<int64_t>(std::erase(loops_, &loop)); }

void Team::drop_jobs() {
    const auto n = static_cast<int64_t>(jobs_.size());
    jobs_.clear();
    offers_ -= n;
    unfinished_jobs_ -= n;
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
