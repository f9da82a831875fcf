#include <formwork/decode/batch_budget.hpp>

#include <doctest/doctest.h>

using namespace formwork;

namespace {

/// How many of equal sentences go into one batch.
index_t taken(const decode_options& options, index_t vocabulary, index_t source_tokens, index_t steps) {
  batch_budget budget(options, vocabulary);
  index_t n = 0;
  while (budget.take(source_tokens, steps)) ++n;
  return n;
}

}  // namespace

TEST_CASE("batch budget: source tokens, cached steps or probabilities end a batch, whichever comes first") {
  CHECK(taken({.beam = 1, .batch_tokens = 100}, 10, 7, 1) == 14);
  CHECK(taken({.beam = 5, .batch_tokens = 1000000}, 10, 4, 29) == 16384 / (5 * 29));
  CHECK(taken({.beam = 4, .batch_tokens = 1000000}, 32768, 4, 2) == (8 << 20) / (4 * 32768));
  CHECK(taken({.beam = 1, .batch_tokens = 1000000}, 10, 1, 1) == 16384);
}

TEST_CASE("batch budget: the longest translation counts for all sentences of a batch") {
  batch_budget budget({.beam = 2, .batch_tokens = 1000000}, 10);
  CHECK(budget.take(1, 100));
  CHECK(budget.take(1, 4096));  // 2 x 2 x 4096: exactly full
  CHECK_FALSE(budget.take(1, 1));
}

TEST_CASE("batch budget: one sentence is taken, however large") {
  CHECK(taken({.batch_tokens = 3}, 10, 4, 1) == 1);
  CHECK(taken({.beam = 1000000}, index_t{1} << 40, 1, index_t{1} << 50) == 1);
}
