#pragma once
#include <formwork/core/one_line.hpp>
#include <formwork/core/types.hpp>

#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace formwork {

/// What every function of the library throws: one sentence that names what was found and what was expected.
/// Programs print it on one line and exit with status 2: control characters of what it names (a path, a line
/// of text) are spelt out, see one_line.
struct error : std::runtime_error {
  explicit error(std::string_view sentence) : std::runtime_error(one_line(sentence)) {}
};

namespace detail {

// A function, not a lambda inside `text`, which would be compiled anew for each sentence of the library.
template <class Part>
void append_text(std::string& out, const Part& part) {
  if constexpr (std::is_same_v<Part, bool>) {
    out += part ? "true" : "false";
  } else if constexpr (std::is_same_v<Part, char>) {
    out += part;
  } else if constexpr (std::is_arithmetic_v<Part>) {
    char digits[32];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
  } else {
    out += std::string_view(part);
  }
}

}  // namespace detail

/// Joins words and numbers into one string; floating-point numbers in their shortest exact form.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::string out;
  (detail::append_text(out, parts), ...);
  return out;
}

/// Throws `error` with the joined parts as its sentence.
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  throw error(text(parts...));
}

/// Throws `error` for one line of a file, in the form compilers use: "path:line: sentence".
/// Lines count from 1.
template <class... Parts>
[[noreturn]] void fail_at(std::string_view path, index_t line, const Parts&... parts) {
  throw error(text(path, ":", line, ": ", parts...));
}

}  // namespace formwork
