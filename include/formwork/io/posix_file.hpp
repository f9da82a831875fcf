#pragma once
#include <formwork/core/error.hpp>

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace formwork {

/// Throws `error` for a call of the operating system that has just failed: "path: what: reason".
[[noreturn]] inline void fail_with_errno(std::string_view path, std::string_view what) {
  const int reason = errno;  // building the text may change it
  fail(path, ": ", what, ": ", std::generic_category().message(reason));
}

/// A file descriptor that closes itself.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() { close(); }

  int number() const { return number_; }
  /// Returns what close(2) does: some file systems report a failed write only here.
  int close() { return number_ < 0 ? 0 : ::close(std::exchange(number_, -1)); }

 private:
  int number_ = -1;
};

/// Opens a file for writing, makes it if need be, and locks it (flock) until the descriptor is closed. The
/// lock dies with its process, however that ends. The holder may remove or rename the file. An empty
/// descriptor: somebody else, in this process or another, holds the lock. Where the file system knows no
/// locks, there are none.
inline file_descriptor open_locked(const std::string& path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    file_descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    if (file.number() < 0) fail_with_errno(path, "cannot be opened for writing");
    if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) break;
    // Between the two calls the last holder may have taken the file its name: then what is locked here is
    // not what the next process will open.
    struct stat opened {
    }, named{};
    if (::fstat(file.number(), &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
        opened.st_dev == named.st_dev && opened.st_ino == named.st_ino)
      return file;
  }
  return {};
}

/// A regular file opened for reading at any offset. Reading moves no position, so threads may share one.
class readable_file {
 public:
  explicit readable_file(std::string path) : path_(std::move(path)) {
    file_ = file_descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_.number() < 0) fail_with_errno(path_, "cannot be opened for reading");
    struct stat facts {};
    if (::fstat(file_.number(), &facts) != 0) fail_with_errno(path_, "cannot be examined");
    if (!S_ISREG(facts.st_mode)) fail(path_, ": expected a regular file");
    size_ = facts.st_size;
  }

  const std::string& path() const { return path_; }
  /// Bytes in the file when it was opened.
  index_t size() const { return size_; }

  /// Reads exactly `count` bytes from `offset`; fewer are an error.
  void read(index_t offset, void* to, index_t count) const {
    char* place = static_cast<char*>(to);
    while (count > 0) {
      const ssize_t got = ::pread(file_.number(), place, std::size_t(count), offset);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_with_errno(path_, text("cannot be read at byte ", offset));
      if (got == 0) fail(path_, ": ends at byte ", offset, ", where ", count, " more were expected");
      place += got;
      offset += got;
      count -= got;
    }
  }

 private:
  std::string path_;
  file_descriptor file_;
  index_t size_ = 0;
};

}  // namespace formwork
