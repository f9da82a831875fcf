#pragma once
#include <formwork/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace formwork {

/// Threads this process may really use: the affinity mask cut by the control group's CPU quota, at least 1.
/// (A container with 2 CPUs on a 128-core host gives 2.)
inline int available_threads() {
  int n = int(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) n = CPU_COUNT(&mask);
  if (std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    double quota = 0, period = 0;
    if (std::fscanf(f, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0)
      n = std::min(n, std::max(1, int(quota / period + 0.5)));
    std::fclose(f);
  }
#endif
  return n < 1 ? 1 : n;
}

/// A fixed team of threads, of which the caller is one. `run` hands out numbered tasks; who runs a task is not
/// fixed, so a task's result must depend on its number only, and then nothing depends on the number of threads.
/// Waiting members spin for some microseconds, then sleep, so that a busy machine is not kept busier.
/// One `run` at a time; a task must not call `run` of the same team.
class thread_team {
 public:
  explicit thread_team(int threads = available_threads()) {
    if (threads < 1) fail("thread_team: ", threads, " threads asked for, expected at least 1");
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
  }
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team() {
    stop_ = true;
    announce();
    for (std::thread& t : workers_) t.join();
  }

  int size() const { return int(workers_.size()) + 1; }

  /// Calls f(task) or f(task, member) for every task in [0, tasks), each once; member is in [0, size()) and may
  /// index scratch memory. Returns when all are done. The first exception of a task is thrown again here.
  template <class F>
  void run(index_t tasks, F&& f) {
    using callable = std::remove_reference_t<F>;
    const auto call = [](void* context, index_t task, int member) {
      if constexpr (std::is_invocable_v<callable&, index_t, int>) (*static_cast<callable*>(context))(task, member);
      else (*static_cast<callable*>(context))(task);
    };
    if (tasks <= 0) return;
    if (workers_.empty() || tasks == 1) {
      for (index_t i = 0; i < tasks; ++i) call(const_cast<void*>(static_cast<const void*>(&f)), i, 0);
      return;
    }
    job_ = call;
    context_ = const_cast<void*>(static_cast<const void*>(&f));
    tasks_ = tasks;
    next_.store(0, std::memory_order_relaxed);
    busy_.store(int(workers_.size()), std::memory_order_relaxed);
    failure_ = nullptr;
    announce();
    take(0);
    for (int spins = 0; busy_.load(std::memory_order_acquire) != 0;) pause(spins);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  using job_function = void (*)(void*, index_t, int);

  static constexpr int spin_limit = 4096;  // about 20 to 60 us: longer than the gap between two kernels of a step

  static void pause(int& spins) {
    [[maybe_unused]] const bool spin = ++spins < spin_limit;
#if defined(__x86_64__)
    if (spin) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  void announce() {
    {
      const std::lock_guard lock(mutex_);
      round_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
  }

  void take(int member) {
    for (index_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < tasks_;) {
      try {
        job_(context_, i, member);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_.store(tasks_, std::memory_order_relaxed);
      }
    }
  }

  void work(int member) {
    std::uint64_t seen = 0;
    for (;;) {
      for (int spins = 0; round_.load(std::memory_order_acquire) == seen && spins < spin_limit;) pause(spins);
      if (round_.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != seen; });
      }
      ++seen;
      if (stop_) return;
      take(member);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<index_t> next_{0};
  alignas(64) std::atomic<int> busy_{0};
  job_function job_ = nullptr;
  void* context_ = nullptr;
  index_t tasks_ = 0;
  std::exception_ptr failure_;
};

}  // namespace formwork
