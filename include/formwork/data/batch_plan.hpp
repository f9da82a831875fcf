#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/philox.hpp>
#include <formwork/core/sequences.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace formwork {

/// How the sentence pairs of an epoch are put together.
struct batching_options {
  index_t max_tokens = 4096;  ///< most source tokens and most target tokens of a batch, end marks included
  std::uint64_t seed = 1;     ///< of the order of sentences and batches
  index_t pool = 8192;        ///< pairs that are sorted by length together; 0: all of them, 1: no sorting

  /// Error: a number that makes no sense, in one sentence.
  void validate() const {
    if (max_tokens < 1) fail("batching: max_tokens is ", max_tokens, ", expected at least 1");
    if (pool < 0) fail("batching: pool is ", pool, ", expected 0 or more");
  }
};

/// Which sentence pairs stand in which batch: batch i is order[start[i]] to order[start[i + 1] - 1].
struct batch_plan {
  std::vector<index_t> order, start{0};
  std::vector<index_t> rank;  // scratch of plan_epoch, kept so that the next epoch allocates nothing

  index_t batches() const { return index_t(start.size()) - 1; }
  /// Requires: 0 <= i < batches() (unchecked)
  std::span<const index_t> batch(index_t i) const {
    return {order.data() + start[std::size_t(i)], order.data() + start[std::size_t(i) + 1]};
  }
};

namespace detail {

/// The random streams of data order lie apart from all others with the same seed; two per epoch.
constexpr random_stream data_stream(std::uint64_t seed, index_t epoch, int which) {
  return {seed, std::uint64_t{0xDA7A} << 48 | std::uint64_t(epoch) << 1 | std::uint64_t(which)};
}

/// Fisher and Yates' shuffle, with numbers of its own position only.
template <class Swap>
void shuffle(index_t count, random_stream random, Swap swap) {
  for (index_t i = count - 1; i > 0; --i)
    swap(i, index_t(random.below(std::uint64_t(i), std::uint64_t(i) + 1)));
}

inline void require_lengths(sequences source, sequences target, index_t max_tokens) {
  if (source.count != target.count) {
    fail("batching: ", source.count, " source sentences, but ", target.count, " target sentences");
  }
  for (index_t i = 0; i < source.count; ++i) {
    const index_t longer = (std::max)(source.length(i), target.length(i)) + 1;
    if (longer > max_tokens) {
      fail("batching: sentence pair ", i + 1, " has ", source.length(i) + 1, " source and ",
           target.length(i) + 1, " target tokens with the end marks, more than max_tokens ", max_tokens,
           "; raise it or read the corpus with a smaller max_length");
    }
  }
}

/// Cuts plan.order into batches: a batch ends before the first pair that would make either side too long.
inline void cut(sequences source, sequences target, index_t max_tokens, batch_plan& plan) {
  plan.start.assign(1, 0);
  index_t source_tokens = 0, target_tokens = 0;
  for (std::size_t k = 0; k < plan.order.size(); ++k) {
    const index_t s = source.length(plan.order[k]) + 1, t = target.length(plan.order[k]) + 1;
    if (source_tokens + s > max_tokens || target_tokens + t > max_tokens) {
      plan.start.push_back(index_t(k));
      source_tokens = target_tokens = 0;
    }
    source_tokens += s;
    target_tokens += t;
  }
  if (!plan.order.empty()) plan.start.push_back(index_t(plan.order.size()));
}

/// Sorts each pool of the shuffled order by length, every second one downwards, so that neighbours in length
/// meet where two pools meet. Equal lengths stay in shuffled order:
/// the result is the same with any standard library.
inline void sort_pools(sequences source, sequences target, index_t pool, batch_plan& plan) {
  const index_t count = source.count, step = pool > 0 ? pool : count;
  plan.rank.resize(std::size_t(count));
  for (index_t k = 0; k < count; ++k) plan.rank[std::size_t(plan.order[std::size_t(k)])] = k;
  const auto key = [&](index_t i) {
    const index_t a = source.length(i), b = target.length(i);
    return std::tuple{(std::max)(a, b), a + b, a};
  };
  bool down = false;
  for (index_t first = 0; first < count; first += step, down = !down) {
    const auto begin = plan.order.begin() + first, end = plan.order.begin() + (std::min)(count, first + step);
    std::sort(begin, end, [&](index_t a, index_t b) {
      const auto left = key(a), right = key(b);
      if (left != right) return down ? right < left : left < right;
      return plan.rank[std::size_t(a)] < plan.rank[std::size_t(b)];
    });
  }
}

/// Puts the batches into random order, by way of plan.rank.
inline void shuffle_batches(random_stream random, batch_plan& plan) {
  const index_t count = plan.batches();
  std::vector<std::pair<index_t, index_t>> ranges;
  ranges.reserve(std::size_t(count));
  for (index_t i = 0; i < count; ++i)
    ranges.emplace_back(plan.start[std::size_t(i)], plan.start[std::size_t(i) + 1]);
  shuffle(count, random,
          [&](index_t i, index_t j) { std::swap(ranges[std::size_t(i)], ranges[std::size_t(j)]); });
  plan.rank.swap(plan.order);
  plan.order.clear();
  plan.start.assign(1, 0);
  for (const auto& [begin, end] : ranges) {
    plan.order.insert(plan.order.end(), plan.rank.begin() + begin, plan.rank.begin() + end);
    plan.start.push_back(index_t(plan.order.size()));
  }
}

}  // namespace detail

/// The batches of one epoch: shuffles the pairs, sorts them by length in pools, cuts the row into batches
/// within the token budget, shuffles the batches. A pure function of the lengths, the options and the number
/// of the epoch: neither threads nor what ran before matter. Every pair stands in exactly one batch.
/// Shapes:   source, target: lengths of the sentences without their end marks, as a corpus stores them
/// Requires: no pair longer than max_tokens (checked: the error names the first one, counted from 1)
/// Cost:     n log n comparisons for n pairs, 16 bytes a pair; about 0.1 s for 100,000 pairs
inline void plan_epoch(sequences source, sequences target, const batching_options& options, index_t epoch,
                       batch_plan& plan) {
  detail::require_lengths(source, target, options.max_tokens);
  plan.order.resize(std::size_t(source.count));
  std::iota(plan.order.begin(), plan.order.end(), index_t{0});
  detail::shuffle(source.count, detail::data_stream(options.seed, epoch, 0), [&](index_t i, index_t j) {
    std::swap(plan.order[std::size_t(i)], plan.order[std::size_t(j)]);
  });
  if (options.pool != 1) detail::sort_pools(source, target, options.pool, plan);
  detail::cut(source, target, options.max_tokens, plan);
  detail::shuffle_batches(detail::data_stream(options.seed, epoch, 1), plan);
}

/// The batches of an evaluation: all pairs in the order of the corpus, cut within the token budget.
/// Requires: no pair longer than max_tokens (checked)
inline batch_plan plan_in_order(sequences source, sequences target, index_t max_tokens) {
  detail::require_lengths(source, target, max_tokens);
  batch_plan plan;
  plan.order.resize(std::size_t(source.count));
  std::iota(plan.order.begin(), plan.order.end(), index_t{0});
  detail::cut(source, target, max_tokens, plan);
  return plan;
}

}  // namespace formwork
