#pragma once
#include <formwork/core/error.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// Number of letters that have to be inserted, deleted or replaced to make one word of the other.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = corner + (a[i - 1] != b[j - 1]);
      corner = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// "; did you mean NAME?" with the most similar of the names, or `otherwise` where none is similar.
inline std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                              std::string otherwise = "; see --help") {
  const std::string* best = nullptr;
  std::size_t least = (std::min)((std::max)(std::size_t{2}, word.size() / 3) + 1, word.size());
  for (const std::string& name : names) {
    const bool begins = word.size() >= 3 && name.starts_with(word);
    const std::size_t distance = begins ? 1 : edit_distance(word, name);
    if (distance < least) best = &name, least = distance;
  }
  return best ? formwork::text("; did you mean ", *best, "?") : otherwise;
}

}  // namespace examples
