#pragma once
#include <formwork/io/json_text.hpp>
#include <formwork/io/posix_file.hpp>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace formwork {

/// One member of a line in a metrics log.
struct json_field {
  std::string_view name;
  std::variant<std::int64_t, double, float, bool, std::string_view> value;

  template <std::integral T>
  json_field(std::string_view n, T v) : name(n) {
    if constexpr (std::is_same_v<T, bool>) {
      value = v;
    } else {
      value = static_cast<std::int64_t>(v);
    }
  }
  json_field(std::string_view n, float v) : name(n), value(v) {}
  json_field(std::string_view n, double v) : name(n), value(v) {}
  json_field(std::string_view n, std::string_view v) : name(n), value(v) {}
  json_field(std::string_view n, const char* v) : name(n), value(std::string_view(v)) {}
};

/// A metrics log: one JSON object a line, {"step":12,"loss":3.25,"phase":"train"}, in files that grow.
/// Each line reaches the operating system by one write before `write` returns, so a killed run loses none.
/// Numbers are written in their shortest exact form; infinities and NaN as the strings "inf", "-inf", "nan".
/// Texts that are not UTF-8 get U+FFFD in place of the wrong bytes. Allocates nothing once the longest line
/// has been seen.
class json_lines {
 public:
  /// Opens a log and appends to it; a missing file is made.
  explicit json_lines(std::string path) : path_(std::move(path)) { open(); }

  /// Opens the log of a run that resumes after update `resume_step` and removes all lines of later updates
  /// and a line that was cut off, so that each update is in it once. -1 removes everything.
  /// Requires: lines as this class writes them (checked: `error` names the line)
  json_lines(std::string path, step_t resume_step) : path_(std::move(path)) {
    open();
    if (::ftruncate(file_.number(), end_of_step(resume_step)) != 0)
      fail_with_errno(path_, "cannot be shortened");
  }

  const std::string& path() const { return path_; }

  /// Appends one line.
  void write(step_t step, std::initializer_list<json_field> fields) {
    line_.assign(opening);
    append_json_number(line_, step);
    for (const json_field& field : fields) {
      line_ += ',';
      append_json_string(line_, field.name);
      line_ += ':';
      std::visit([this](const auto& value) { append(value); }, field.value);
    }
    line_ += "}\n";
    for (std::string_view rest = line_; !rest.empty();) {
      const ssize_t written = ::write(file_.number(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_with_errno(path_, "cannot be written");
      rest.remove_prefix(std::size_t(written));
    }
  }

 private:
  static constexpr std::string_view opening = "{\"step\":";

  void open() {
    file_ = file_descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (file_.number() < 0) fail_with_errno(path_, "cannot be opened for writing");
  }

  void append(bool value) { line_ += value ? "true" : "false"; }
  void append(std::string_view value) { append_json_string(line_, value); }
  template <class T>
  void append(T value) {
    append_json_number(line_, value);
  }

  // Bytes of the log up to the first line of a later update, or to a last line without its end.
  index_t end_of_step(step_t step) const {
    const readable_file file(path_);
    std::vector<char> block(std::size_t{1} << 16);
    std::string line;
    index_t number = 1, end = 0;
    for (index_t done = 0; done < file.size();) {
      const index_t some = (std::min)(file.size() - done, index_t(block.size()));
      file.read(done, block.data(), some);
      done += some;
      for (const char c : std::string_view(block.data(), std::size_t(some))) {
        line += c;
        if (c != '\n') continue;
        if (step_of(line, number) > step) return end;
        end += index_t(line.size());
        line.clear();
        ++number;
      }
    }
    return end;
  }

  step_t step_of(std::string_view line, index_t number) const {
    step_t step = 0;
    const bool begins = line.starts_with(opening);
    if (begins) line.remove_prefix(opening.size());
    const auto [end, fault] = std::from_chars(line.data(), line.data() + line.size(), step);
    if (!begins || fault != std::errc{} || !line.ends_with("}\n")) {
      fail_at(path_, number, "no line of a metrics log, expected {\"step\":...}");
    }
    return step;
  }

  std::string path_;
  file_descriptor file_;
  std::string line_;
};

}  // namespace formwork
