#pragma once
#include <formwork/core/error.hpp>
#include <formwork/metric/bleu_options.hpp>
#include <formwork/metric/bleu_tokenizer.hpp>
#include <formwork/metric/ngrams.hpp>
#include <formwork/metric/segments.hpp>
#include <formwork/metric/unicode.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace formwork {

/// What BLEU is computed from. Statistics of parts of a corpus add up to those of the corpus.
struct bleu_statistics {
  index_t hypothesis_length = 0;
  index_t reference_length = 0;    ///< for each segment the length closest to it, the shorter of two
  std::vector<index_t> matches{};  ///< by order: n-grams also in a reference, each at most as often as there
  std::vector<index_t> totals{};   ///< by order: n-grams in the hypotheses

  bleu_statistics& operator+=(const bleu_statistics& other) {
    hypothesis_length += other.hypothesis_length;
    reference_length += other.reference_length;
    matches.resize((std::max)(matches.size(), other.matches.size()), 0);
    totals.resize((std::max)(totals.size(), other.totals.size()), 0);
    for (std::size_t n = 0; n < other.matches.size(); ++n) matches[n] += other.matches[n];
    for (std::size_t n = 0; n < other.totals.size(); ++n) totals[n] += other.totals[n];
    return *this;
  }
};

/// A BLEU score, 0 to 100, and its parts.
struct bleu_score {
  double score = 0;
  std::vector<double> precisions{};  ///< by order, 0 to 100, smoothed
  double brevity_penalty = 1;
  bleu_statistics statistics{};
};

namespace detail {

inline std::vector<std::uint32_t> bleu_words(std::string_view line, const bleu_options& options,
                                             word_numbers& numbers) {
  const std::string cased = options.lowercase ? to_lowercase(line) : std::string(line);
  // Without the white space at the end, so that 13a sees no line end.
  const std::string tokens = tokenize(strip_right(cased), options.tokenizer);
  return numbers(split_words(tokens));
}

}  // namespace detail

/// The statistics of one segment.
/// Requires: valid UTF-8 (checked as in code_points), options that are valid (checked), a reference (checked)
inline bleu_statistics segment_statistics(std::string_view hypothesis,
                                          std::span<const std::string_view> references,
                                          const bleu_options& options) {
  options.validate();
  if (references.empty()) fail("BLEU: a segment has no reference");
  word_numbers numbers;
  ngram_table table(options.max_order);
  const auto words = detail::bleu_words(hypothesis, options, numbers);
  const auto length = static_cast<index_t>(words.size());
  const ngram_counts counts = table.count(words);

  bleu_statistics statistics{.hypothesis_length = length};
  ngram_counts most(counts.size());  // of each n-gram in any one reference
  index_t closest = -1;
  for (const std::string_view reference : references) {
    const auto reference_words = detail::bleu_words(reference, options, numbers);
    const auto reference_length = static_cast<index_t>(reference_words.size());
    const index_t gap = std::abs(reference_length - length), closest_gap = std::abs(closest - length);
    if (closest < 0 || gap < closest_gap || (gap == closest_gap && reference_length < closest)) {
      closest = reference_length;
    }
    const ngram_counts found = table.count(reference_words);
    for (std::size_t n = 0; n < most.size(); ++n) {
      most[n].resize((std::max)(most[n].size(), found[n].size()), 0);
      for (std::size_t k = 0; k < found[n].size(); ++k) most[n][k] = (std::max)(most[n][k], found[n][k]);
    }
  }
  statistics.reference_length = closest;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    statistics.matches.push_back(common_ngrams(counts[n], most[n]));
    statistics.totals.push_back((std::max)(length - static_cast<index_t>(n), index_t{0}));
  }
  return statistics;
}

/// BLEU of summed statistics: the geometric mean of the n-gram precisions times the brevity penalty exp(1 -
/// reference length / hypothesis length), where the hypotheses are the shorter ones. Without any match it
/// is 0, whatever the smoothing.
/// Requires: statistics of max_order orders, options that are valid (checked)
/// Source:   Papineni et al. 2002; smoothing: Chen and Cherry 2014, methods 1 to 3; all as sacrebleu (Post
///           2018)
inline bleu_score bleu(const bleu_statistics& statistics, const bleu_options& options = {}) {
  options.validate();
  const auto orders = static_cast<std::size_t>(options.max_order);
  if (statistics.matches.size() != orders || statistics.totals.size() != orders) {
    fail("BLEU: the statistics have ", statistics.matches.size(), " orders, expected ", options.max_order);
  }
  bleu_score result{.precisions = std::vector<double>(orders, 0.0), .statistics = statistics};
  const auto hypothesis_length = static_cast<double>(statistics.hypothesis_length);
  const auto reference_length = static_cast<double>(statistics.reference_length);
  if (hypothesis_length < reference_length) {
    result.brevity_penalty = hypothesis_length > 0 ? std::exp(1 - reference_length / hypothesis_length) : 0.0;
  }
  if (std::all_of(statistics.matches.begin(), statistics.matches.end(),
                  [](index_t count) { return count == 0; }))
    return result;

  const bool add_k = options.smoothing == bleu_smoothing::add_k;
  const double smooth_value = options.smoothing_amount();
  double halvings = 1;
  std::size_t used_orders = orders;
  for (std::size_t n = 0; n < orders; ++n) {
    const double added = add_k && n > 0 ? smooth_value : 0.0;
    const double matches = static_cast<double>(statistics.matches[n]) + added;
    const double total = static_cast<double>(statistics.totals[n]) + added;
    if (total == 0) break;
    if (options.effective_order) used_orders = n + 1;
    if (matches != 0) {
      result.precisions[n] = 100 * matches / total;
    } else if (options.smoothing == bleu_smoothing::exponential) {
      halvings *= 2;
      result.precisions[n] = 100 / (halvings * total);
    } else if (options.smoothing == bleu_smoothing::floor) {
      result.precisions[n] = 100 * smooth_value / total;
    }
  }
  double log_sum = 0;
  for (std::size_t n = 0; n < used_orders; ++n) {
    if (result.precisions[n] == 0) return result;
    log_sum += std::log(result.precisions[n]);
  }
  result.score = result.brevity_penalty * std::exp(log_sum / static_cast<double>(used_orders));
  return result;
}

/// BLEU of a corpus. Not the mean of its segments' scores: their statistics are summed first.
/// Requires: as for_each_segment (checked)
inline bleu_score corpus_bleu(std::span<const std::string> hypotheses, const reference_sets& references,
                              const bleu_options& options = {}) {
  options.validate();
  const auto orders = static_cast<std::size_t>(options.max_order);
  bleu_statistics sum{.matches = std::vector<index_t>(orders, 0), .totals = std::vector<index_t>(orders, 0)};
  for_each_segment("BLEU", hypotheses, references, [&](auto hypothesis, auto lines) {
    sum += segment_statistics(hypothesis, lines, options);
  });
  return bleu(sum, options);
}

/// BLEU of one sentence, with the effective order unless told otherwise. It was made for corpora; use it to
/// look at sentences, not to compare systems.
/// Requires: as for_each_segment (checked)
inline bleu_score sentence_bleu(const std::string& hypothesis, std::span<const std::string> references,
                                const bleu_options& options = {.effective_order = true}) {
  reference_sets sets;
  for (const std::string& reference : references) sets.push_back({reference});
  return corpus_bleu(std::span(&hypothesis, 1), sets, options);
}

/// The score on one line, as sacrebleu prints it, with its signature where one is given:
/// "BLEU = 28.30 60.1/34.2/21.5/14.1 (BP = 1.000 ratio = 1.012 hyp_len = 65243 ref_len = 64467)".
inline std::string result_line(const bleu_score& result, std::string_view signature = {}, int digits = 2) {
  std::string line = signature.empty() ? std::string("BLEU") : text("BLEU|", signature);
  line += text(" = ", fixed_digits(result.score, digits), " ");
  for (std::size_t n = 0; n < result.precisions.size(); ++n) {
    line += text(n > 0 ? "/" : "", fixed_digits(result.precisions[n], 1));
  }
  const index_t hypothesis = result.statistics.hypothesis_length,
                reference = result.statistics.reference_length;
  const double ratio = reference > 0 ? static_cast<double>(hypothesis) / static_cast<double>(reference) : 0.0;
  return line + text(" (BP = ", fixed_digits(result.brevity_penalty, 3), " ratio = ", fixed_digits(ratio, 3),
                     " hyp_len = ", hypothesis, " ref_len = ", reference, ")");
}

}  // namespace formwork
