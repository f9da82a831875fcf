#pragma once
#include <formwork/core/types.hpp>

#include <cstdio>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace formwork_test {

/// Bytes of address space that a call needs at its peak, beyond what the process has before. The call runs in
/// a child process, which leaves this one as it was: two calls can be compared. -1 if it throws.
template <class F>
formwork::index_t peak_memory_of(F f) {
  const auto kilobytes = [](const char* line) {
    long value = -1;
    if (std::FILE* status = std::fopen("/proc/self/status", "r")) {
      char text[256];
      while (value < 0 && std::fgets(text, sizeof text, status))
        if (std::sscanf(text, line, &value) != 1) value = -1;
      std::fclose(status);
    }
    return value;
  };
  int ends[2];
  if (::pipe(ends) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    formwork::index_t grown = -1;
    try {
      ::malloc_trim(0);
      const long before = kilobytes("VmSize: %ld kB");
      f();
      grown = formwork::index_t(kilobytes("VmPeak: %ld kB") - before) * 1024;
    } catch (...) {
    }
    const bool told = ::write(ends[1], &grown, sizeof grown) == ssize_t(sizeof grown);
    ::_exit(told ? 0 : 1);
  }
  ::close(ends[1]);
  formwork::index_t grown = -1;
  if (::read(ends[0], &grown, sizeof grown) != ssize_t(sizeof grown)) grown = -1;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return grown;
}

}  // namespace formwork_test
