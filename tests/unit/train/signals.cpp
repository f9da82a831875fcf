#include <formwork/train/signals.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("signals: the first one asks to stop, the second would end the process") {
  for (const int signal : {SIGTERM, SIGINT}) {
    stop_requested() = false;
    catch_stop_signals();
    CHECK_FALSE(stop_requested());
    std::raise(signal);
    CHECK(stop_requested());
    // The handler has given the signal back: what std::signal finds in its place is the default.
    CHECK((std::signal(signal, SIG_DFL) == SIG_DFL));
  }
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  stop_requested() = false;
}
