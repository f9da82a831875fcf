#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/function_ref.hpp>
#include <formwork/core/utf8.hpp>
#include <formwork/core/version.hpp>

#include <charconv>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// The references of a whole corpus: one or more sets, each with one line for every hypothesis. An empty line
/// is a reference without words.
using reference_sets = std::vector<std::vector<std::string>>;

/// Calls `f(hypothesis, references)` for every segment of a corpus, in order.
/// Requires: a segment, a set, as many lines in each set as hypotheses, valid UTF-8 (checked: `error` names
///           the metric and both counts, or the segment)
inline void for_each_segment(std::string_view metric, std::span<const std::string> hypotheses,
                             const reference_sets& references,
                             function_ref<void(std::string_view, std::span<const std::string_view>)> f) {
  if (hypotheses.empty()) fail(metric, ": no hypotheses were given");
  if (references.empty()) fail(metric, ": no references were given");
  for (std::size_t set = 0; set < references.size(); ++set) {
    if (references[set].size() == hypotheses.size()) continue;
    fail(metric, ": ", hypotheses.size(), " hypotheses but ", references[set].size(), " references in set ",
         set + 1, " of ", references.size());
  }
  std::vector<std::string_view> lines;
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    lines.clear();
    for (const auto& set : references) lines.emplace_back(set[i]);
    const auto check = [&](std::string_view what, std::string_view line) {
      const index_t byte = first_invalid_utf8(line);
      if (byte < 0) return;
      fail(metric, ": the ", what, " of segment ", i + 1, " is not valid UTF-8 at byte ", byte,
           " (counted from 0)");
    };
    check("hypothesis", hypotheses[i]);
    for (const std::string_view line : lines) check("reference", line);
    f(hypotheses[i], lines);
  }
}

/// The last field of every signature. It names this library, for its number must not be taken for the version
/// of another scorer.
inline std::string metric_version() {
  return text("version:formwork-", version_major, ".", version_minor, ".", version_patch);
}

/// A number with a fixed count of digits after the point, correctly rounded, in any locale.
/// Requires: 0 to 60 digits (checked)
inline std::string fixed_digits(double value, int digits) {
  if (digits < 0 || digits > 60) fail("a number with ", digits, " digits after the point, expected 0 to 60");
  char buffer[400];  // the longest number has 309 digits before the point
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, digits).ptr};
}

}  // namespace formwork
