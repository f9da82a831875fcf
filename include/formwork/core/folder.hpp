#pragma once
// In place of <filesystem>, which brings streams and locales and 0.3 s to every program.
#include <formwork/core/error.hpp>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace formwork {

/// Whether anything has this path. Error: it cannot be told, for lack of permission for example.
inline bool path_exists(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return true;
  const int reason = errno;  // building the text may change it
  if (reason == ENOENT || reason == ENOTDIR) return false;
  fail(path, ": cannot be examined: ", std::generic_category().message(reason));
}

namespace detail {

inline bool folder_at(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

}  // namespace detail

/// Whether a folder has this path. Error: as for path_exists.
inline bool is_folder(const std::string& path) { return path_exists(path) && detail::folder_at(path); }

/// Removes folders that make_folders has made, the last one first, as far as they are empty.
inline void remove_empty_folders(const std::vector<std::string>& folders) {
  for (std::size_t i = folders.size(); i-- > 0;)
    if (::rmdir(folders[i].c_str()) != 0) return;
}

/// Makes a folder and those it lies in, as far as they do not exist; returns the ones it has made, outermost
/// first. Error: names the folder and the reason; no folder stays then.
inline std::vector<std::string> make_folders(const std::string& path) {
  std::vector<std::string> made;
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (detail::folder_at(part)) continue;
    if (::mkdir(part.c_str(), 0777) == 0) {
      made.push_back(part);
      continue;
    }
    const int reason = errno == EEXIST ? ENOTDIR : errno;  // what is there is no folder,
    if (detail::folder_at(part)) continue;                 // or another program has just made it
    remove_empty_folders(made);
    fail(path, ": the folder cannot be made: ", std::generic_category().message(reason));
  }
  return made;
}

}  // namespace formwork
