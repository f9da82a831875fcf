#pragma once
#include <formwork/core/error.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

namespace examples {

/// Prints a sentence on the standard error: one line, whatever paths and texts it names.
template <class... Parts>
void say(const Parts&... parts) {
  const std::string line = formwork::one_line(formwork::text(parts...)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

/// What went wrong, as a sentence. Those of the library are sentences already; others say what they are.
inline std::string sentence_of(const std::exception& fault) {
  // A container asked for more than there can be is a want of memory too.
  if (dynamic_cast<const std::bad_alloc*>(&fault) || dynamic_cast<const std::length_error*>(&fault))
    return "there is not enough memory for this; a smaller model, vocabulary, batch or beam needs less";
  if (const auto* at = dynamic_cast<const std::filesystem::filesystem_error*>(&fault))
    return formwork::text(at->path1().string(), ": ", at->code().message());
  return fault.what();
}

}  // namespace examples
