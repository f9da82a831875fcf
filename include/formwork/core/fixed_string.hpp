#pragma once
#include <formwork/core/types.hpp>

#include <string_view>

namespace formwork {

/// A short text that can live in a constexpr table: names of nodes and parameters.
/// Longer texts are a compile error (or an exception at run time) with a sentence.
struct label {
  static constexpr int capacity = 39;
  char characters[capacity + 1]{};

  constexpr label() = default;
  constexpr label(const char* s) : label(std::string_view(s)) {}
  constexpr label(std::string_view s) {
    if (s.size() > std::size_t(capacity)) throw "label: a name has at most 39 characters";
    for (std::size_t i = 0; i < s.size(); ++i) characters[i] = s[i];
  }

  constexpr std::string_view view() const {
    std::size_t size = 0;
    while (size < std::size_t(capacity) && characters[size]) ++size;
    return {characters, size};
  }
  constexpr operator std::string_view() const { return view(); }
  constexpr bool empty() const { return characters[0] == 0; }
  constexpr bool operator==(const label&) const = default;
};

/// "a" and "b" become "a.b"; an empty side adds no dot.
constexpr label join(label a, label b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  const std::string_view left = a, right = b;
  if (left.size() + right.size() + 1 > std::size_t(label::capacity))
    throw "label: a name has at most 39 characters";
  label out = a;
  out.characters[left.size()] = '.';
  for (std::size_t i = 0; i < right.size(); ++i) out.characters[left.size() + 1 + i] = right[i];
  return out;
}

}  // namespace formwork
