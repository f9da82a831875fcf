#pragma once
// In place of <filesystem>, which brings streams and locales and 0.3 s to every program.
#include <formwork/core/error.hpp>

#include <cerrno>
#include <string>
#include <system_error>

#include <sys/stat.h>

namespace formwork {

/// Whether anything has this path. Error: it cannot be told, for lack of permission for example.
inline bool path_exists(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return true;
  const int reason = errno;  // building the text may change it
  if (reason == ENOENT || reason == ENOTDIR) return false;
  fail(path, ": cannot be examined: ", std::generic_category().message(reason));
}

/// Makes a folder and those it lies in, as far as they do not exist. Error: names the folder and the reason.
inline void make_folders(const std::string& path) {
  const auto is_folder = [](const std::string& part) {
    struct stat facts {};
    return ::stat(part.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
  };
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (is_folder(part) || ::mkdir(part.c_str(), 0777) == 0) continue;
    const int reason = errno;
    if (is_folder(part)) continue;  // another program has just made it
    fail(path, ": the folder cannot be made: ", std::generic_category().message(reason));
  }
}

}  // namespace formwork
