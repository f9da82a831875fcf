#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/philox.hpp>
#include <formwork/tensor/view.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace formwork {

/// One way to go on: hypothesis `row` says `token` next; `score` is the sum of log-probabilities, its
/// own included.
struct candidate {
  double score = 0;
  index_t row = 0;
  token_t token = 0;

  /// The better one first; equal scores in the order of rows and tokens,
  /// so that the outcome does not depend on chance.
  friend bool operator<(const candidate& a, const candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return a.row != b.row ? a.row < b.row : a.token < b.token;
  }
};

/// The `count` best ways to go on from rows [begin, end), best first, as a fixed order whatever the batch is.
/// sums[r] is what row r has so far; `forbidden` is a token that may not come, or -1. A log-probability that
/// is not a number never wins.
template <class T>
void best_candidates(matrix_view<const T> log_probabilities, const std::vector<double>& sums, index_t begin,
                     index_t end, std::size_t count, token_t forbidden, std::vector<candidate>& out) {
  out.clear();
  for (index_t r = begin; r < end; ++r) {
    const T* row = log_probabilities.row(r);
    for (index_t v = 0; v < log_probabilities.width; ++v) {
      if (v == forbidden || std::isnan(row[v])) continue;
      const candidate c{sums[std::size_t(r)] + double(row[v]), r, token_t(v)};
      if (out.size() == count && !(c < out.front())) continue;
      if (out.size() == count) {
        std::pop_heap(out.begin(), out.end());
        out.back() = c;
      } else {
        out.push_back(c);
      }
      std::push_heap(out.begin(), out.end());  // the front is the worst that is still in
    }
  }
  std::sort_heap(out.begin(), out.end());
}

/// Draws one token from softmax(log_probabilities / temperature) over the k likeliest tokens (k = 0: all).
/// Requires: a finite temperature above 0, however small; a probability above 0 (both checked)
template <class T>
token_t draw_token(const T* log_probabilities, index_t vocabulary, double temperature, int k,
                   token_t forbidden, double uniform) {
  if (!(temperature > 0 && std::isfinite(temperature)))
    fail("sampling: the temperature is ", temperature, ", expected a finite number above 0");
  std::vector<std::pair<double, token_t>> choices;
  for (index_t v = 0; v < vocabulary; ++v)
    if (v != forbidden && std::isfinite(log_probabilities[v]))
      choices.emplace_back(double(log_probabilities[v]), token_t(v));
  if (choices.empty()) fail("sampling: the model gives no finite probability");
  const auto likelier = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const std::size_t kept = k > 0 ? std::min(std::size_t(k), choices.size()) : choices.size();
  std::partial_sort(choices.begin(), choices.begin() + std::ptrdiff_t(kept), choices.end(), likelier);
  // The difference comes before the division: at temperature 1e-310 the quotients themselves are infinite.
  const auto share = [&](std::size_t i) {
    return std::exp((choices[i].first - choices[0].first) / temperature);
  };
  double total = 0;
  for (std::size_t i = 0; i < kept; ++i) total += share(i);
  double rest = uniform * total;
  for (std::size_t i = 0; i < kept; ++i) {
    rest -= share(i);
    if (rest < 0) return choices[i].second;
  }
  return choices[kept - 1].second;
}

}  // namespace formwork
