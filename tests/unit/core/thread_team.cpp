#include <formwork/core/thread_team.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "../../support/scratch_folder.hpp"

using namespace formwork;

TEST_CASE("thread_team: every task runs exactly once, whatever the number of threads") {
  for (const int threads : {1, 2, 3, 8}) {
    thread_team team(threads);
    CHECK(team.size() == threads);
    for (int round = 0; round < 300; ++round) {
      const index_t tasks = round % 37;
      std::vector<std::atomic<int>> hits(static_cast<std::size_t>(tasks) + 1);
      team.run(tasks, [&](index_t i, int member) {
        REQUIRE(member < threads);
        ++hits[std::size_t(i)];
      });
      for (index_t i = 0; i < tasks; ++i) REQUIRE(hits[std::size_t(i)] == 1);
      REQUIRE(hits[std::size_t(tasks)] == 0);
    }
  }
}

TEST_CASE("thread_team: what a task has written is seen after the run") {
  thread_team team(4);
  std::vector<index_t> values(1000);
  for (index_t round = 1; round <= 200; ++round) {
    team.run(1000, [&](index_t i) { values[std::size_t(i)] += i * round; });
    REQUIRE(std::accumulate(values.begin(), values.end(), index_t{0}) == 499500 * round * (round + 1) / 2);
  }
}

TEST_CASE("thread_team: the first exception comes out of run, and the team goes on working") {
  thread_team team(3);
  for (int round = 0; round < 50; ++round) {
    CHECK_THROWS_WITH_AS(team.run(20,
                                  [](index_t i) {
                                    if (i == 7) fail("task ", i);
                                  }),
                         "task 7", error);
    std::atomic<int> n{0};
    team.run(20, [&](index_t) { ++n; });
    REQUIRE(n == 20);
  }
}

TEST_CASE(
    "thread_team: a run inside of a run is refused, with one thread as with many, and the team goes on") {
  for (const int threads : {1, 3}) {
    thread_team team(threads);
    for (const index_t tasks : {1, 20}) {
      CHECK_THROWS_WITH_AS(team.run(tasks, [&](index_t) { team.run(5, [](index_t) {}); }),
                           doctest::Contains("run() was called while it was running"), error);
      std::atomic<int> n{0};
      team.run(20, [&](index_t) { ++n; });
      REQUIRE(n == 20);
    }
  }
}

TEST_CASE("thread_team: two threads that use one team lose no task unseen") {
  thread_team team(3);
  std::atomic<int> done{0}, refused{0};
  const auto use = [&] {
    for (int round = 0; round < 500; ++round) {
      try {
        team.run(20, [&](index_t) { ++done; });
      } catch (const error&) {
        ++refused;
      }
    }
  };
  std::thread other(use);
  use();
  other.join();
  CHECK(done + 20 * refused == 20'000);
}

TEST_CASE("thread_team: a team without threads is refused") {
  CHECK_THROWS_WITH_AS(thread_team(0), "thread_team: 0 threads asked for, expected at least 1", error);
}

TEST_CASE("available_threads: at least one, at most what the machine has") {
  CHECK(available_threads() >= 1);
  CHECK(available_threads() <= int(std::thread::hardware_concurrency()));
}

TEST_CASE("available_threads: no more than the affinity mask allows") {
#if defined(__linux__)
  int found = 0;
  std::thread([&] {  // the mask is a thread's own
    cpu_set_t mask, one;
    REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &mask)) ++cpu;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    found = available_threads();
  })
      .join();
  CHECK(found == 1);
#endif
}

TEST_CASE("available_threads: the smallest quota of the own control group and those around it counts") {
  formwork_test::scratch_folder root;
  const auto set = [&](const std::string& file, const char* text) {
    std::filesystem::create_directories(std::filesystem::path(root / file).parent_path());
    std::ofstream(root / file) << text;
  };
  using detail::granted_cpus;
  CHECK(granted_cpus(root.path(), "/a/b") == 0);
  set("cpu.max", "max 100000\n");
  CHECK(granted_cpus(root.path(), "/a/b") == 0);
  set("a/cpu.max", "400000 100000\n");
  CHECK(granted_cpus(root.path(), "/a/b") == 4);
  set("a/b/cpu.max", "150000 100000\n");
  CHECK(granted_cpus(root.path(), "/a/b") == 2);
  CHECK(granted_cpus(root.path(), "") == 0);
  set("a/b/cpu.max", "1000 100000\n");
  CHECK(granted_cpus(root.path(), "/a/b") == 1);
  set("cpu/old/cpu.cfs_quota_us", "300000\n");  // version 1
  set("cpu/old/cpu.cfs_period_us", "100000\n");
  CHECK(granted_cpus(root.path(), "/old") == 3);
  set("cpu/old/cpu.cfs_quota_us", "-1\n");
  CHECK(granted_cpus(root.path(), "/old") == 0);
}
