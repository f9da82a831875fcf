#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/utf8.hpp>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace examples {

/// A program may be started with standard streams closed. The next file it opened would then be what it
/// prints to: holds their places with files that take nothing.
inline void hold_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream)
      formwork::fail("standard stream ", stream, " is closed");
}

/// Error: a line that no translation can be made of, named by its number.
inline void check_text(std::string_view name, std::string_view line, formwork::index_t number) {
  if (const formwork::index_t bad = formwork::first_invalid_utf8(line); bad >= 0)
    formwork::fail_at(name, number, "byte ", bad + 1, " of the line is not valid UTF-8");
  if (const std::size_t zero = line.find('\0'); zero != line.npos)
    formwork::fail_at(name, number, "byte ", zero + 1, " of the line is 0; this is no text");
}

/// Lines of the standard input as soon as they are there, so that a program that writes one and waits for the
/// answer gets it.
class standard_input {
 public:
  /// The lines that have come in, at least one and at most `most`; none at the end. Line ends may be LF or
  /// CRLF.
  std::vector<std::string> next(std::size_t most) {
    std::vector<std::string> lines;
    for (;;) {
      while (lines.size() < most) {
        const std::size_t end = buffer_.find('\n', searched_);
        if (end == buffer_.npos) break;
        add(lines, buffer_.substr(begin_, end - begin_));
        begin_ = searched_ = end + 1;
      }
      if (!lines.empty()) return lines;
      buffer_.erase(0, begin_);
      begin_ = 0;
      searched_ = buffer_.size();  // a long line is not looked through again with each of its parts
      if (ended_) {
        if (!buffer_.empty()) add(lines, std::exchange(buffer_, {}));
        return lines;
      }
      fill();
    }
  }

 private:
  void add(std::vector<std::string>& lines, std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    if (number_ == 0 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    check_text("standard input", line, ++number_);
    lines.push_back(std::move(line));
  }
  void fill() {
    char block[1 << 16];
    const ssize_t count = ::read(STDIN_FILENO, block, sizeof block);
    if (count < 0 && errno == EINTR) return;
    if (count < 0) formwork::fail("standard input: cannot be read: ", std::generic_category().message(errno));
    if (count == 0) ended_ = true;
    buffer_.append(block, std::size_t(count));
  }

  std::string buffer_;
  std::size_t begin_ = 0, searched_ = 0;  // the next line starts at begin_ and does not end before searched_
  formwork::index_t number_ = 0;
  bool ended_ = false;
};

/// Writes to the standard output at once. False: nobody reads any more.
/// Error: the output cannot be written, a full disk say
inline bool write_standard_output(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EPIPE) return false;
    if (count < 0)
      formwork::fail("standard output: cannot be written: ", std::generic_category().message(errno));
    bytes.remove_prefix(std::size_t(count));
  }
  return true;
}

}  // namespace examples
