#pragma once
#include <formwork/core/function_ref.hpp>
#include <formwork/io/posix_file.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace formwork {

/// Writes bytes to an open file through a buffer,
/// counts them and keeps their CRC-32 (the one of gzip and zip).
class file_writer {
 public:
  /// Requires: an open descriptor that outlives the writer; `path` is only named in errors
  file_writer(int descriptor, std::string path) : path_(std::move(path)), descriptor_(descriptor) {
    buffer_.reserve(capacity);
  }

  void write(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    bytes_ += index_t(size);
    for (std::size_t done = 0; done < size;) {  // in blocks: zlib counts in 32 bits
      const std::size_t count = (std::min)(size - done, capacity);
      checksum_ = crc32(checksum_, bytes + done, uInt(count));
      if (buffer_.size() + count > capacity) flush();
      if (count == capacity) {
        put(bytes + done, count);
      } else {
        buffer_.insert(buffer_.end(), bytes + done, bytes + done + count);
      }
      done += count;
    }
  }

  /// Hands everything to the operating system.
  void flush() {
    put(buffer_.data(), buffer_.size());
    buffer_.clear();
  }

  index_t bytes() const { return bytes_; }
  /// CRC-32 of all bytes written so far.
  std::uint32_t checksum() const { return std::uint32_t(checksum_); }

 private:
  static constexpr std::size_t capacity = std::size_t{1} << 18;

  void put(const unsigned char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t written = ::write(descriptor_, data, size);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_with_errno(path_, "cannot be written");
      data += written;
      size -= std::size_t(written);
    }
  }

  std::string path_;
  std::vector<unsigned char> buffer_;
  uLong checksum_ = crc32(0, nullptr, 0);
  index_t bytes_ = 0;
  int descriptor_;
};

namespace detail {

/// The temporary file of write_atomically. It is removed unless it was renamed. A lock keeps two processes
/// from writing the same one; the lock dies with its process, so what a killed process left behind is simply
/// written over.
class partial_file {
 public:
  explicit partial_file(const std::string& path) : path_(path + ".partial"), file_(open_locked(path_)) {
    if (file_.number() < 0) fail(path_, ": another process or thread is writing this file");
    ours_ = true;
    if (::ftruncate(file_.number(), 0) != 0) fail_with_errno(path_, "cannot be emptied");
  }
  partial_file(const partial_file&) = delete;
  ~partial_file() {
    if (ours_) ::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }
  int number() const { return file_.number(); }

  void rename_to(const std::string& path) {
    if (::fsync(file_.number()) != 0) fail_with_errno(path_, "cannot be brought to the disk");
    if (::rename(path_.c_str(), path.c_str()) != 0) fail_with_errno(path, "cannot be replaced");
    ours_ = false;
    if (file_.close() != 0) fail_with_errno(path, "cannot be closed");
  }

 private:
  std::string path_;
  file_descriptor file_;
  bool ours_ = false;
};

inline void sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const file_descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.number() < 0) fail_with_errno(folder, "cannot be opened");
  // some network file systems know no such call for a folder
  if (::fsync(file.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail_with_errno(folder, "cannot be brought to the disk");
  }
}

}  // namespace detail

/// Writes a file so that after a crash, a kill or a full disk either the old or the new content is there,
/// never a part. `f` writes into "path.partial"; the bytes are brought to the disk, and only then takes the
/// file its name. An exception of `f` or a failed step (`error` with path and reason) leaves the old file and
/// removes the partial one. A killed process may leave the partial file;
/// the next write to `path` takes its place.
/// Requires: no device, pipe or folder of this name, which a file would replace (checked)
inline void write_atomically(const std::string& path, function_ref<void(file_writer&)> f) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    fail(path, ": is no regular file, and a file would take its place");
  detail::partial_file file(path);
  file_writer writer(file.number(), file.path());
  f(writer);
  writer.flush();
  file.rename_to(path);
  detail::sync_folder_of(path);
}

}  // namespace formwork
