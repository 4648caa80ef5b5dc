// Results of parallel work, taken in their order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

namespace silva {

// Items become ready in any order; whoever makes the next one ready takes it and those that wait
// behind it. Nobody else waits for the taking, unless so many items are waiting already that they
// would fill the memory.
class InOrder {
  public:
    InOrder(int64_t items, int64_t max_waiting) : ready_(items, 0), max_waiting_(max_waiting) {}

    // To be called before an item is begun.
    void wait_for_room(int64_t item) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return failed_ || item < next_ + max_waiting_; });
    }
    // Calls take(i) for each item in order, one at a time.
    template <class F>
    void ready(int64_t item, F&& take) {
        std::unique_lock lock(mutex_);
        ready_[item] = 1;
        if (taking_) return;
        taking_ = true;
        while (next_ < static_cast<int64_t>(ready_.size()) && ready_[next_] != 0) {
            lock.unlock();
            take(next_);
            lock.lock();
            ++next_;
            changed_.notify_all();
        }
        taking_ = false;
    }
    // Lets go whoever waits: an item will never be ready.
    void fail() {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<uint8_t> ready_;
    int64_t max_waiting_;
    int64_t next_ = 0;
    bool taking_ = false, failed_ = false;
};

}  // namespace silva
