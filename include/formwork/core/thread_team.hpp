#pragma once
#include <formwork/core/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace formwork {

namespace detail {

/// CPUs that a control group grants: the smallest quota of the group `path` and the groups around it, for
/// version 2 ("cpu.max") and version 1 ("cpu.cfs_quota_us") below `root`. 0: no limit is set.
inline int granted_cpus(const std::string& root, std::string path) {
  const auto read = [](const std::string& file, double& first, double& second) {
    std::FILE* f = std::fopen(file.c_str(), "r");
    if (!f) return 0;
    const int count = std::fscanf(f, "%lf %lf", &first, &second);
    std::fclose(f);
    return count;
  };
  int cpus = 0;
  for (;;) {
    double quota = 0, period = 0, unused = 0;
    const std::string first = root + path, old = root + "/cpu" + path;
    const bool found = read(first + "/cpu.max", quota, period) == 2 ||
                       (read(old + "/cpu.cfs_quota_us", quota, unused) >= 1 &&
                        read(old + "/cpu.cfs_period_us", period, unused) >= 1);
    if (found && quota > 0 && period > 0) {
      const int n = std::max(1, int(quota / period + 0.5));
      cpus = cpus == 0 ? n : std::min(cpus, n);
    }
    if (path.empty()) return cpus;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

/// The control group of this process: the path in the last line of /proc/self/cgroup that is about CPUs.
inline std::string own_control_group() {
  std::string path;
  if (std::FILE* f = std::fopen("/proc/self/cgroup", "r")) {
    char line[4096];
    while (std::fgets(line, sizeof line, f)) {
      std::string_view text(line);
      while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
      const std::size_t first = text.find(':'), second = text.find(':', first + 1);
      if (first == text.npos || second == text.npos) continue;
      const std::string_view controllers = text.substr(first + 1, second - first - 1);
      if (controllers.empty() || controllers.find("cpu") != controllers.npos) path = text.substr(second + 1);
    }
    std::fclose(f);
  }
  return path == "/" ? "" : path;
}

}  // namespace detail

/// Threads this process may really use: the affinity mask cut by the control group's CPU quota, at least 1.
/// (A container with 2 CPUs on a 128-core host gives 2.)
inline int available_threads() {
  int n = int(std::thread::hardware_concurrency());
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) n = CPU_COUNT(&mask);
  if (const int granted = detail::granted_cpus("/sys/fs/cgroup", detail::own_control_group()))
    n = std::min(n, granted);
#endif
  return n < 1 ? 1 : n;
}

/// A fixed team of threads, of which the caller is one. `run` hands out numbered tasks; who runs a task is
/// not fixed, so a task's result must depend on its number only, and then nothing depends on the number of
/// threads. Waiting members spin for some microseconds, then sleep, and a member that wakes too late to get a
/// task is not waited for, so that a busy machine is neither kept busier nor brings the team to a halt.
/// One `run` at a time: neither a task nor another thread may call it meanwhile (checked).
class thread_team {
 public:
  explicit thread_team(int threads = available_threads()) {
    if (threads < 1) fail("thread_team: ", threads, " threads asked for, expected at least 1");
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (const std::exception&) {  // no thread or no memory left
      const std::size_t started = workers_.size() + 1;
      dismiss();
      fail("thread_team: ", threads, " threads asked for, the system gives no more than ", started);
    }
  }
  thread_team(const thread_team&) = delete;
  thread_team& operator=(const thread_team&) = delete;
  ~thread_team() { dismiss(); }

  int size() const { return int(workers_.size()) + 1; }

  /// Calls f(task) or f(task, member) for every task in [0, tasks), each once; member is in [0, size()) and
  /// may index scratch memory. Returns when all are done. The first exception of a task is thrown again here;
  /// tasks that have not begun by then are left out.
  template <class F>
  void run(index_t tasks, F&& f) {
    using callable = std::remove_reference_t<F>;
    const auto call = [](void* context, index_t task, int member) {
      callable& body = *static_cast<callable*>(context);
      if constexpr (std::is_invocable_v<callable&, index_t, int>)
        body(task, member);
      else
        body(task);
    };
    void* const context = const_cast<void*>(static_cast<const void*>(&f));
    if (tasks <= 0) return;
    const turn mine(busy_);
    if (workers_.empty() || tasks == 1) {
      for (index_t i = 0; i < tasks; ++i) call(context, i, 0);
      return;
    }
    if (tasks > most_tasks) fail("thread_team: ", tasks, " tasks, expected at most ", most_tasks);
    job_ = call;
    context_ = context;
    tasks_ = tasks;
    done_.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    tickets_.store(std::uint64_t(round_.load(std::memory_order_relaxed) + 1) << 32 | std::uint64_t(tasks),
                   std::memory_order_release);
    announce();
    take(0);
    for (int spins = 0; done_.load(std::memory_order_acquire) != tasks;) pause(spins);
    if (failed_.load(std::memory_order_relaxed)) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  using job_function = void (*)(void*, index_t, int);

  static constexpr int spin_limit = 4096;  // about 20 to 60 us: longer than the gap between two kernels
  static constexpr index_t most_tasks = 0xFFFFFFFF;

  /// The right to run: one caller at a time has it.
  class turn {
   public:
    explicit turn(std::atomic<bool>& busy) : busy_(busy) {
      if (busy.exchange(true, std::memory_order_acquire))
        fail(
            "thread_team: run() was called while it was running, by a task or by another thread; each thread "
            "needs a team or backend of its own");
    }
    turn(const turn&) = delete;
    ~turn() { busy_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool>& busy_;
  };

  static void pause(int& spins) {
    [[maybe_unused]] const bool spin = ++spins < spin_limit;
#if defined(__x86_64__)
    if (spin) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  void dismiss() {
    stop_ = true;
    announce();
    for (std::thread& t : workers_) t.join();
  }

  void announce() {
    round_.fetch_add(1, std::memory_order_release);
    round_.notify_all();
  }

  /// Runs tasks until none is left. The tickets carry the number of the round: a member that is late by a
  /// round cannot take a ticket it has not seen, and once it has one, the round cannot end before its use.
  void take(int member) {
    std::uint64_t ticket = tickets_.load(std::memory_order_acquire);
    while (const std::uint32_t left = std::uint32_t(ticket)) {
      if (!tickets_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
        continue;
      try {
        if (!failed_.load(std::memory_order_relaxed)) job_(context_, tasks_ - index_t(left), member);
      } catch (...) {
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
      done_.fetch_add(1, std::memory_order_release);
      ticket = tickets_.load(std::memory_order_acquire);
    }
  }

  void work(int member) {
    for (std::uint32_t seen = 0;;) {
      for (int spins = 0; round_.load(std::memory_order_acquire) == seen && spins < spin_limit;) pause(spins);
      round_.wait(seen, std::memory_order_acquire);
      seen = round_.load(std::memory_order_acquire);
      if (stop_) return;
      take(member);
    }
  }

  std::vector<std::thread> workers_;
  std::atomic<std::uint32_t> round_{0};
  std::atomic<bool> stop_{false}, failed_{false}, busy_{false};
  alignas(64) std::atomic<std::uint64_t> tickets_{0};  // number of the round, tasks that are left
  alignas(64) std::atomic<index_t> done_{0};
  job_function job_ = nullptr;
  void* context_ = nullptr;
  index_t tasks_ = 0;
  std::exception_ptr failure_;
};

}  // namespace formwork
