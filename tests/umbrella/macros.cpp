// Macros that platform headers and other libraries are known to define must not change what the library's
// headers say. Whatever lies below the library is included first, so that only its own words meet them.
#include <zlib.h>
#include <xsimd/xsimd.hpp>

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <complex>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <ranges>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

// windows.h and its relatives, without its min(a, b), max(a, b) and small: the library has these names itself
// and is for Linux; where it must be, NOMINMAX removes them.
#define ERROR 0
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define near
#define far
#define interface struct
#define DELETE 0x00010000L
#define NO_ERROR 0L
#define STRICT 1
// X11
#define None 0L
#define Bool int
#define Status int
#define True 1
#define False 0
#define Success 0
#define Always 2
// <complex.h>, <sys/sysmacros.h>, <termios.h>
#define I (1.0fi)
#define major(x) gnu_dev_major(x)
#define minor(x) gnu_dev_minor(x)
#define B0 0000000
#define ECHO 0000010
// test and logging frameworks
#define CHECK(condition) ((condition) ? 0 : 1)
#define REQUIRE(condition) ((condition) ? 0 : 1)
#define TEST(suite, name) void suite##name()
#define FAIL(text) (text)
#define INFO(text) (text)
#define LOG(level) level
#define ASSERT(condition) ((condition) ? 0 : 1)
#define DCHECK(condition) ((condition) ? 0 : 1)
#define VLOG(level) level
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#include <formwork/formwork.hpp>
