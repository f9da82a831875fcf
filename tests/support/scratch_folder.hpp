#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include <stdlib.h>

#include "scratch_file.hpp"

namespace formwork_test {

/// A folder of its own for one test, removed with its contents at the end.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "formwork_test_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  scratch_folder(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path_); }

  std::string operator/(const std::string& file) const { return path_ + "/" + file; }
  const std::string& path() const { return path_; }
  std::string write(const std::string& file, const std::string& bytes) const {
    std::ofstream(*this / file, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
    return *this / file;
  }

 private:
  std::string path_;
};

}  // namespace formwork_test
