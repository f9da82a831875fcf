#pragma once
#include <formwork/core/error.hpp>
#include <formwork/io/posix_file.hpp>

#include <cstdio>
#include <string>

#include <spawn.h>
#include <sys/wait.h>

extern char** environ;

namespace examples {

/// Runs a gnuplot script on what it reads and what it writes; the picture is whole or not there.
/// False: gnuplot is not installed. Error: it fails.
inline bool draw(const std::string& script, const std::string& curves, const std::string& picture) {
  const std::string partial = picture + ".partial";
  std::string name = "gnuplot", flag = "-c", from = script, data = curves, to = partial;
  char* const arguments[] = {name.data(), flag.data(), from.data(), data.data(), to.data(), nullptr};
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, name.c_str(), nullptr, nullptr, arguments, environ);
  if (failed == ENOENT) return false;
  errno = failed;
  if (failed) formwork::fail_with_errno(name, "cannot be started");
  int status = 0;
  while (::waitpid(process, &status, 0) < 0)
    if (errno != EINTR) formwork::fail_with_errno(name, "cannot be waited for");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::remove(partial.c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return false;
    formwork::fail(script, ": gnuplot could not draw ", curves);
  }
  if (std::rename(partial.c_str(), picture.c_str()) != 0)
    formwork::fail_with_errno(picture, "cannot be replaced");
  return true;
}

}  // namespace examples
