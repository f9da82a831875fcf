#pragma once
#include <formwork/core/error.hpp>
#include <formwork/train/report.hpp>

#include <algorithm>
#include <cstdio>
#include <string>

#include <unistd.h>

namespace formwork {

namespace detail {

/// "%.4f" and the like as a string.
template <class... Values>
std::string printed(const char* format, Values... values) {
  char line[256];
  const int length = std::snprintf(line, sizeof line, format, values...);
  return {line, std::size_t(std::clamp(length, 0, int(sizeof line) - 1))};
}

}  // namespace detail

/// A span of time as people read it: "42 s", "3 min 05 s", "2 h 07 min".
inline std::string duration_text(double seconds) {
  const auto s = (long long)(std::clamp(seconds, 0.0, 1e15) + 0.5);
  if (s < 60) return detail::printed("%lld s", s);
  if (s < 3600) return detail::printed("%lld min %02lld s", s / 60, s % 60);
  return detail::printed("%lld h %02lld min", s / 3600, s / 60 % 60);
}

/// Observer of a trainer that shows how the run goes: on a terminal one line that is written over and over,
/// elsewhere a plain line for each report. Evaluations and notes always have lines of their own.
class progress {
 public:
  /// Writes to `to`, which outlives it.
  explicit progress(std::FILE* to = stderr) : progress(to, ::isatty(::fileno(to)) == 1) {}
  progress(std::FILE* to, bool in_place) : to_(to), in_place_(in_place) {}
  progress(const progress&) = delete;
  ~progress() { finish_line(); }

  void operator()(const update_report& r) {
    std::string line =
        detail::printed("update %lld  loss %.4f  ppl %.2f  %.0f tok/s  lr %.3g  norm %.3g", (long long)r.step,
                        r.loss, r.perplexity(), r.tokens_per_second, r.learning_rate, r.gradient_norm);
    if (r.seconds_left >= 0) line += "  " + duration_text(r.seconds_left) + " left";
    if (!in_place_) return print(line + "\n");
    print("\r" + line + "\x1b[K");  // the control sequence clears what a longer line has left
    open_ = true;
  }

  void operator()(const evaluation_report& r) {
    finish_line();
    print(detail::printed("update %lld  epoch %lld  valid loss %.4f  ppl %.3f  %s\n", (long long)r.step,
                          (long long)r.epoch, r.loss, r.perplexity(), r.is_best ? "best" : ""));
  }

  void operator()(const run_note& note) {
    finish_line();
    print(one_line(note.sentence) + "\n");
  }

 private:
  void finish_line() {
    if (open_) print("\n");
    open_ = false;
  }
  void print(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), to_);
    std::fflush(to_);
  }

  std::FILE* to_;
  bool in_place_;
  bool open_ = false;  // the cursor stands behind a line without its end
};

}  // namespace formwork
