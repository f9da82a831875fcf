#pragma once
#include <atomic>
#include <csignal>

namespace formwork {

/// True once the process has been asked to end (SIGTERM, SIGINT) after `catch_stop_signals`.
inline std::atomic<bool>& stop_requested() {
  static std::atomic<bool> flag{false};
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
  return flag;
}

/// From now on the first SIGTERM or SIGINT asks a running trainer to save its state and return after the
/// current update; a second one ends the process at once.
inline void catch_stop_signals() {
  stop_requested();  // constructs the flag outside of a handler
  const auto handler = [](int) {
    stop_requested() = true;
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
  };
  std::signal(SIGTERM, handler);
  std::signal(SIGINT, handler);
}

}  // namespace formwork
