#pragma once
#include <string>

namespace formwork {

/// A line of text and its translation.
struct sentence_pair {
  std::string source;
  std::string target;

  bool operator==(const sentence_pair&) const = default;
};

}  // namespace formwork
