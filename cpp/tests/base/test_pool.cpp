#include <sched.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>

#include "core/base/pool.hpp"
#include "tests/support.hpp"

using namespace silva;

namespace {

std::vector<int> visits(Team& team, int64_t items) {
    std::vector<std::atomic<int>> counts(static_cast<size_t>(items));
    team.for_each(items, [&](int64_t item, int) { ++counts[static_cast<size_t>(item)]; });
    return std::vector<int>(counts.begin(), counts.end());
}

int allowed_cpus() {
    cpu_set_t allowed;
    CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
    return CPU_COUNT(&allowed);
}

}  // namespace

TEST_CASE("pool: every item is done once, by teams of any size") {
    for (int threads = 1; threads <= 7; ++threads) {
        Team team(threads);
        CHECK(team.size() == threads);
        for (const int64_t items : {0, 1, 2, 3, 10, 1000})
            CHECK(visits(team, items) == std::vector<int>(static_cast<size_t>(items), 1));
    }
}

TEST_CASE("pool: many rounds in a row") {
    for (const int threads : {2, 5}) {
        Team team(threads);
        std::atomic<int64_t> sum{0};
        for (int round = 0; round < 2000; ++round)
            team.for_each(3, [&](int64_t item, int) { sum += item; });
        CHECK(sum == 2000 * 3);
    }
}

TEST_CASE("pool: helpers may run on all CPUs of the thread that starts them") {
    Team team(4);
    const int all = allowed_cpus();
    std::vector<int> allowed(1000);
    team.for_each(1000,
                  [&](int64_t item, int) { allowed[static_cast<size_t>(item)] = allowed_cpus(); });
    CHECK(allowed == std::vector<int>(1000, all));
}

TEST_CASE("pool: a team can sleep between rounds") {
    Team team(3);
    for (int round = 0; round < 3; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        CHECK(visits(team, 5) == std::vector<int>(5, 1));
    }
}

TEST_CASE("pool: a worker number belongs to one thread at a time") {
    Team team(4);
    std::vector<std::atomic<int>> busy(4);
    std::atomic<bool> clash{false};
    team.for_each(2000, [&](int64_t, int worker) {
        if (worker < 0 || worker >= 4 || busy[static_cast<size_t>(worker)]++ != 0) clash = true;
        --busy[static_cast<size_t>(worker)];
    });
    CHECK_FALSE(clash);
}

TEST_CASE("pool: an exception reaches the caller and the team lives on") {
    for (int threads = 1; threads <= 7; ++threads) {
        Team team(threads);
        for (const int64_t bad : {0, 1, 50, 99}) {
            const auto task = [&](int64_t item, int) {
                if (item == bad) throw std::runtime_error("item " + std::to_string(item));
            };
            const std::string expected = "item " + std::to_string(bad);
            CHECK_THROWS_WITH_AS(team.for_each(100, task), expected.c_str(), std::runtime_error);
        }
        CHECK(visits(team, 20) == std::vector<int>(20, 1));
    }
}

TEST_CASE("pool: of many exceptions one is thrown, after all threads have stopped") {
    Team team(4);
    std::atomic<int> inside{0};
    const auto task = [&](int64_t, int) {
        ++inside;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        --inside;
        throw Interrupted();
    };
    CHECK_THROWS_AS(team.for_each(50, task), Interrupted);
    CHECK(inside == 0);
}

TEST_CASE("pool: jobs add jobs and share loops") {
    for (int threads = 1; threads <= 7; ++threads) {
        Team team(threads);
        std::atomic<int64_t> sum{0}, jobs{0};
        std::atomic<bool> clash{false};
        std::vector<std::atomic<int>> busy(static_cast<size_t>(threads));
        const auto enter = [&](int worker) {
            if (busy[static_cast<size_t>(worker)]++ != 0) clash = true;
        };
        const std::function<void(int64_t, int)> split = [&](int64_t size, int worker) {
            ++jobs;
            if (team.here() != worker) clash = true;
            team.for_each(size, [&](int64_t item, int inner) {
                enter(inner);
                sum += item;
                --busy[static_cast<size_t>(inner)];
            });
            if (size < 2) return;
            for (int half = 0; half < 2; ++half)
                team.add_job(size / 2, [&, size](int by) { split(size / 2, by); });
        };
        team.add_job(256, [&](int worker) { split(256, worker); });
        team.run_jobs();
        CHECK(jobs == 511);
        int64_t expected = 0;
        for (int64_t size = 256, n = 1; size > 0; size /= 2, n *= 2)
            expected += n * size * (size - 1) / 2;
        CHECK(sum == expected);
        CHECK_FALSE(clash);
        team.run_jobs();  // none
    }
}

TEST_CASE("pool: jobs are begun by their size") {
    Team team(1);
    std::vector<int64_t> order;
    for (const int64_t size : {3, 9, 1, 5})
        team.add_job(size, [&order, size](int) { order.push_back(size); });
    team.run_jobs();
    CHECK(order == std::vector<int64_t>{9, 5, 3, 1});
}

TEST_CASE("pool: an exception in a job drops the others and the team lives on") {
    for (int threads = 1; threads <= 5; ++threads) {
        Team team(threads);
        std::atomic<int> done{0};
        for (int64_t size = 0; size < 50; ++size)
            team.add_job(size, [&, size](int) {
                if (size == 49) throw std::runtime_error("the largest");
                team.for_each(4, [&](int64_t, int) { ++done; });
            });
        CHECK_THROWS_WITH_AS(team.run_jobs(), "the largest", std::runtime_error);
        CHECK(done < 50 * 4);
        CHECK(visits(team, 20) == std::vector<int>(20, 1));
        team.add_job(1, [&](int) { done = -1; });
        team.run_jobs();
        CHECK(done == -1);
    }
}

TEST_CASE("pool: parts cover all and do not depend on the threads") {
    for (const int threads : {1, 4}) {
        Team team(threads);
        for (const int64_t n : {int64_t{0}, int64_t{7}, kPartRows, 3 * kPartRows + 1}) {
            std::vector<int> seen(static_cast<size_t>(n), 0);
            for_parts(team, n, [&](int64_t begin, int64_t end, int) {
                for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
            });
            CHECK(std::count(seen.begin(), seen.end(), 1) == n);
        }
    }
}

TEST_CASE("pool: a stop flag throws once it is set") {
    StopFlag stop;
    CHECK_NOTHROW(stop.check());
    stop.set();
    CHECK_THROWS_AS(stop.check(), Interrupted);
}

TEST_CASE("pool: polled work runs to its end in another thread") {
    StopFlag stop;
    std::thread::id worker;
    run_polled([&] { worker = std::this_thread::get_id(); }, [] { return false; }, stop);
    CHECK(worker != std::thread::id());
    CHECK(worker != std::this_thread::get_id());
    CHECK_NOTHROW(stop.check());
}

TEST_CASE("pool: what polled work throws is thrown") {
    StopFlag stop;
    const auto work = [] { throw std::out_of_range("from work"); };
    CHECK_THROWS_WITH_AS(
        run_polled(work, [] { return false; }, stop), "from work", std::out_of_range);
}

TEST_CASE("pool: a poll can stop the work, from the caller's thread") {
    StopFlag stop;
    const std::thread::id caller = std::this_thread::get_id();
    std::thread::id poller;
    const auto work = [&] {
        for (;;) {
            stop.check();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    };
    const auto poll = [&] {
        poller = std::this_thread::get_id();
        return true;
    };
    CHECK_THROWS_AS(run_polled(work, poll, stop), Interrupted);
    CHECK(poller == caller);
}

TEST_CASE("pool: there is at least one usable CPU") {
    CHECK(usable_cpus() >= 1);
    const auto hardware = static_cast<int>(std::thread::hardware_concurrency());
    CHECK(usable_cpus() <= std::max(1, hardware));
}
