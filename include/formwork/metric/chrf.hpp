#pragma once
#include <formwork/core/error.hpp>
#include <formwork/metric/ngrams.hpp>
#include <formwork/metric/segments.hpp>
#include <formwork/metric/unicode.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace formwork {

/// How chrF is computed. The defaults are sacrebleu's chrF2; word_order = 2 makes it chrF2++.
struct chrf_options {
  int character_order = 6;  ///< longest n-gram of characters, 1 to 1000
  int word_order = 0;       ///< longest n-gram of words, at most 1000; 0 for none
  int beta = 2;             ///< recall weighs beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;     ///< white space counts as characters
  bool eps_smoothing = false;  ///< average the F scores of all orders, not the effective ones' averages

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (character_order < 1 || character_order > 1000 || word_order < 0 || word_order > 1000 || beta < 1)
      fail("chrF: character_order ", character_order, ", word_order ", word_order, ", beta ", beta,
           ", expected 1 to 1000, 0 to 1000 and at least 1");
  }
};

/// What chrF is computed from. Statistics of parts of a corpus add up to those of the corpus.
struct chrf_statistics {
  struct order {
    index_t hypothesis = 0, reference = 0, matches = 0;  ///< n-grams of each, and those in both
  };
  std::vector<order> orders{};  ///< of characters, then of words

  chrf_statistics& operator+=(const chrf_statistics& other) {
    if (orders.size() < other.orders.size()) orders.resize(other.orders.size());
    for (std::size_t n = 0; n < other.orders.size(); ++n) {
      orders[n].hypothesis += other.orders[n].hypothesis;
      orders[n].reference += other.orders[n].reference;
      orders[n].matches += other.orders[n].matches;
    }
    return *this;
  }
};

/// A chrF score, 0 to 100, and what it was computed from.
struct chrf_score {
  double score = 0;
  chrf_statistics statistics{};
};

namespace detail {

/// The words of a segment, each with a punctuation mark at its end or else its start set apart.
inline std::vector<std::string_view> chrf_words(std::string_view segment) {
  const auto mark = [](char c) {
    return c > ' ' && c <= '~' && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') &&
           !(c >= 'a' && c <= 'z');
  };
  std::vector<std::string_view> words;
  for (const std::string_view word : split_words(segment)) {
    const bool single = count_code_points(word) == 1;
    if (!single && mark(word.back())) {
      words.push_back(word.substr(0, word.size() - 1));
      words.push_back(word.substr(word.size() - 1));
    } else if (!single && mark(word.front())) {
      words.push_back(word.substr(0, 1));
      words.push_back(word.substr(1));
    } else {
      words.push_back(word);
    }
  }
  return words;
}

/// n-gram counts of one segment's hypothesis and references, characters first.
class chrf_counter {
 public:
  explicit chrf_counter(const chrf_options& options)
      : options_(options), characters_(options.character_order), words_(options.word_order) {}

  ngram_counts operator()(std::string_view line) {
    const std::string cased = options_.lowercase ? to_lowercase(line) : std::string(line);
    std::vector<std::uint32_t> characters;
    for (const char32_t c : code_points(cased)) {
      if (options_.whitespace || !is_unicode_space(c)) characters.push_back(c);
    }
    ngram_counts counts = characters_.count(characters);
    if (options_.word_order > 0) {
      for (auto& row : words_.count(numbers_(chrf_words(cased)))) counts.push_back(std::move(row));
    }
    return counts;
  }

 private:
  chrf_options options_;
  ngram_table characters_, words_;
  word_numbers numbers_;
};

}  // namespace detail

/// chrF of summed statistics: the F score of n-gram precision and recall, each averaged over the orders.
/// Requires: statistics of character_order + word_order orders or of nothing, valid options (checked)
/// Source:   Popovic 2015 (chrF), 2017 (chrF++), as sacrebleu defines them
inline chrf_score chrf(const chrf_statistics& statistics, const chrf_options& options = {}) {
  options.validate();
  const int orders = options.character_order + options.word_order;
  if (!statistics.orders.empty() && index_t(statistics.orders.size()) != orders)
    fail("chrF: the statistics have ", statistics.orders.size(), " orders, expected ", orders);
  constexpr double eps = 1e-16;
  const double factor = static_cast<double>(options.beta) * options.beta;
  const auto f_score = [factor](double precision, double recall) {
    // Kept from being fused with the addition, which would round once instead of twice
    // and change the last digit.
    const volatile double weighted = factor * precision;
    const double denominator = weighted + recall;
    return denominator > 0 ? (1 + factor) * precision * recall / denominator : eps;
  };
  double smoothed = 0, precision_sum = 0, recall_sum = 0;
  int effective = 0;
  for (const auto& order : statistics.orders) {
    const auto matches = static_cast<double>(order.matches);
    const double precision = order.hypothesis > 0 ? matches / static_cast<double>(order.hypothesis) : eps;
    const double recall = order.reference > 0 ? matches / static_cast<double>(order.reference) : eps;
    smoothed += f_score(precision, recall);
    if (order.hypothesis > 0 && order.reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++effective;
    }
  }
  chrf_score result{.statistics = statistics};
  if (options.eps_smoothing) {
    result.score = 100 * smoothed / orders;
  } else if (precision_sum + recall_sum > 0) {
    result.score = 100 * f_score(precision_sum / effective, recall_sum / effective);
  }
  return result;
}

/// The statistics of one segment, against the reference that gives it the best score.
/// Requires: valid UTF-8 (checked as in code_points), a reference (checked), options as for chrf (checked)
inline chrf_statistics segment_statistics(std::string_view hypothesis,
                                          std::span<const std::string_view> references,
                                          const chrf_options& options) {
  if (references.empty()) fail("chrF: a segment has no reference");
  options.validate();
  detail::chrf_counter count(options);
  const ngram_counts counts = count(hypothesis);
  const auto sum = [](std::span<const index_t> row) {
    return std::accumulate(row.begin(), row.end(), index_t{0});
  };

  chrf_statistics best;
  double best_score = -1;
  for (const std::string_view reference : references) {
    const ngram_counts found = count(reference);
    chrf_statistics statistics;
    for (std::size_t n = 0; n < counts.size(); ++n) {
      const index_t total = sum(found[n]);
      // An order that the reference is too short for can't be matched,
      // so it doesn't count against the hypothesis.
      statistics.orders.push_back(
          {total > 0 ? sum(counts[n]) : 0, total, common_ngrams(counts[n], found[n])});
    }
    const double score = chrf(statistics, options).score;
    if (score > best_score) {
      best_score = score;
      best = statistics;
    }
  }
  return best;
}

/// chrF of a corpus. Not the mean of its segments' scores: their statistics are summed first.
/// Requires: as for_each_segment and chrf (checked)
inline chrf_score corpus_chrf(std::span<const std::string> hypotheses, const reference_sets& references,
                              const chrf_options& options = {}) {
  chrf_statistics sum;
  for_each_segment("chrF", hypotheses, references, [&](auto hypothesis, auto lines) {
    sum += segment_statistics(hypothesis, lines, options);
  });
  return chrf(sum, options);
}

/// chrF of one sentence.
/// Requires: as for_each_segment and chrf (checked)
inline chrf_score sentence_chrf(const std::string& hypothesis, std::span<const std::string> references,
                                const chrf_options& options = {}) {
  reference_sets sets;
  for (const std::string& reference : references) sets.push_back({reference});
  return corpus_chrf(std::span(&hypothesis, 1), sets, options);
}

/// What a score depends on, in sacrebleu's form: "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:...".
/// As there, beta isn't shown; it is in the name of the score.
inline std::string signature(const chrf_options& options, index_t references = 1) {
  return text("nrefs:", references, "|case:", options.lowercase ? "lc" : "mixed",
              "|eff:", options.eps_smoothing ? "no" : "yes", "|nc:", options.character_order,
              "|nw:", options.word_order, "|space:", options.whitespace ? "yes" : "no", "|",
              metric_version());
}

/// The score on one line, as sacrebleu prints it, with its signature where one is given: "chrF2++ = 60.95".
inline std::string result_line(const chrf_score& result, const chrf_options& options,
                               std::string_view signature = {}, int digits = 2) {
  options.validate();
  const std::string name =
      text("chrF", options.beta, std::string(static_cast<std::size_t>(options.word_order), '+'));
  return text(name, signature.empty() ? "" : "|", signature, " = ", fixed_digits(result.score, digits));
}

}  // namespace formwork
