#pragma once
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

namespace formwork_test {

/// A path in the temporary folder that no other test uses, now or in another process.
inline std::string scratch_path(std::string_view name) {
  static std::atomic<int> number = 0;
  const std::string unique =
      std::to_string(getpid()) + "_" + std::to_string(++number) + "_" + std::string(name);
  return (std::filesystem::temp_directory_path() / ("formwork_" + unique)).string();
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file with the given bytes that goes away with the object.
struct scratch_file {
  std::string path;

  scratch_file(std::string_view name, std::string_view bytes) : path(scratch_path(name)) {
    std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
  }
  scratch_file(const scratch_file&) = delete;
  ~scratch_file() { std::filesystem::remove(path); }
};

/// What the call throws, as text; empty if it throws nothing.
template <class Error, class F>
std::string failure_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace formwork_test
