#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/function_ref.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <zlib.h>

namespace formwork {

namespace detail {

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// The bytes of a file, unpacked when they begin like gzip data (several members one after the other are one
/// text). Unpacks with `inflate` itself instead of `gzread`,
/// which takes rests of a damaged file for plain text.
class byte_source {
 public:
  explicit byte_source(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
    if (!file_) fail(path_, ": cannot be opened for reading: ", std::generic_category().message(errno));
    fill(1);
    compressed_ = packed_.avail_in >= 2 && input_[0] == 0x1f && input_[1] == 0x8b;
    if (!compressed_ && path_.ends_with(".gz"))
      fail(path_, ": the name ends in .gz, but this is no gzip data");
    if (compressed_ && inflateInit2(&packed_, 16 + MAX_WBITS) != Z_OK) {
      fail(path_, ": no memory left for unpacking");
    }
  }
  byte_source(const byte_source&) = delete;
  ~byte_source() {
    if (compressed_) inflateEnd(&packed_);
  }

  const std::string& path() const { return path_; }

  /// Up to `capacity` further bytes; 0 only at the end. `line` is the line an error is reported for.
  std::size_t read(char* to, std::size_t capacity, index_t line) {
    if (compressed_) return unpack(to, capacity, line);
    if (packed_.avail_in == 0) fill(line);
    const std::size_t count = (std::min)(capacity, std::size_t(packed_.avail_in));
    std::memcpy(to, packed_.next_in, count);
    packed_.next_in += count;
    packed_.avail_in -= uInt(count);
    return count;
  }

 private:
  void fill(index_t line) {
    packed_.next_in = input_.data();
    packed_.avail_in = uInt(std::fread(input_.data(), 1, input_.size(), file_.get()));
    if (std::ferror(file_.get())) {
      fail_at(path_, line, "the file cannot be read: ", std::generic_category().message(errno));
    }
  }

  std::size_t unpack(char* to, std::size_t capacity, index_t line) {
    packed_.next_out = reinterpret_cast<Bytef*>(to);
    packed_.avail_out = uInt(capacity);
    while (packed_.avail_out == uInt(capacity)) {
      if (packed_.avail_in == 0) fill(line);
      if (packed_.avail_in == 0 && inside_member_) fail_at(path_, line, "the gzip data ends too early");
      if (packed_.avail_in == 0) return 0;
      if (!inside_member_) {
        if (*packed_.next_in == 0) {  // tapes and some tools pad with zeros
          ++packed_.next_in;
          --packed_.avail_in;
          continue;
        }
        inflateReset(&packed_);
        inside_member_ = true;
      }
      const int state = inflate(&packed_, Z_NO_FLUSH);
      if (state == Z_STREAM_END) {
        inside_member_ = false;
      } else if (state != Z_OK && state != Z_BUF_ERROR) {
        fail_at(path_, line,
                "the gzip data is damaged: ", packed_.msg ? packed_.msg : "no further reason given");
      }
    }
    return capacity - packed_.avail_out;
  }

  std::string path_;
  std::unique_ptr<std::FILE, close_file> file_;
  std::vector<unsigned char> input_ = std::vector<unsigned char>(std::size_t{1} << 16);
  z_stream packed_{};  // its next_in and avail_in also serve plain files
  bool compressed_ = false;
  bool inside_member_ = false;
};

}  // namespace detail

/// Pulls the lines of a text file, plain or gzip, one after the other; two of them walk through a parallel
/// corpus. Lines end in LF or CRLF; a last line without an end counts. A UTF-8 byte order mark at the start
/// is skipped; all other bytes, NUL and a lone CR among them, arrive as they are, in any locale. Memory: one
/// block and the longest line.
/// Requires: a readable file (checked: `error` names the file, and the line from where damage shows)
class line_reader {
 public:
  explicit line_reader(std::string path) : source_(std::move(path)), block_(std::size_t{1} << 17, '\0') {
    while (end_ < 3) {
      const std::size_t count = source_.read(block_.data() + end_, block_.size() - end_, 1);
      if (count == 0) break;
      end_ += count;
    }
    if (std::string_view(block_.data(), end_).starts_with("\xEF\xBB\xBF")) begin_ = 3;
  }

  /// Sets `line` to the next line without its end, valid until the next call; false at the end of the file.
  bool next(std::string_view& line) {
    joined_.clear();
    for (;;) {
      const char* start = block_.data() + begin_;
      const void* found = begin_ < end_ ? std::memchr(start, '\n', end_ - begin_) : nullptr;
      if (found) {
        const std::size_t length = std::size_t(static_cast<const char*>(found) - start);
        begin_ += length + 1;
        line = {start, length};
        if (!joined_.empty()) line = joined_.append(line);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ++number_;
        return true;
      }
      joined_.append(start, end_ - begin_);
      begin_ = 0;
      end_ = source_.read(block_.data(), block_.size(), number_ + 1);
      if (end_ == 0) break;
    }
    if (joined_.empty()) return false;
    line = joined_;
    ++number_;
    return true;
  }

  /// Number of the line that `next` gave last, counted from 1; after the end, the number of lines.
  index_t line_number() const { return number_; }
  const std::string& path() const { return source_.path(); }

 private:
  detail::byte_source source_;
  std::string block_;   // bytes read; begin_ to end_ are still to be given out
  std::string joined_;  // a line that crosses blocks
  std::size_t begin_ = 0, end_ = 0;
  index_t number_ = 0;
};

/// Calls `f(line, number)` for every line of the file, numbers counted from 1. Returns the number of lines.
/// Lines, ends and errors: see line_reader.
inline index_t for_each_line(const std::string& path, function_ref<void(std::string_view, index_t)> f) {
  line_reader reader(path);
  for (std::string_view line; reader.next(line);) f(line, reader.line_number());
  return reader.line_number();
}

namespace detail {

/// Writes a text file: the whole content under this name or, after an error, what was there before.
/// Error: names the file and the reason
inline void write_text(const std::string& path, std::string_view content) {
  const auto fail_here = [&path](const char* what) {
    fail(path, ": ", what, ": ", std::generic_category().message(errno));
  };
  const std::string partial = path + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  if (!file) fail_here("cannot be opened for writing");
  bool good = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  good = std::fclose(file) == 0 && good && std::rename(partial.c_str(), path.c_str()) == 0;
  if (good) return;
  const int reason = std::exchange(errno, 0);
  std::remove(partial.c_str());
  errno = reason;
  fail_here("cannot be written");
}

}  // namespace detail

/// All lines of the file. Lines, ends and errors: see line_reader.
inline std::vector<std::string> read_lines(const std::string& path) {
  std::vector<std::string> lines;
  for_each_line(path, [&](std::string_view line, index_t) { lines.emplace_back(line); });
  return lines;
}

}  // namespace formwork
