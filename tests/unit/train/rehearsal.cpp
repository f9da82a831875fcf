#include <formwork/train/rehearsal.hpp>

#include <doctest/doctest.h>

#include "../../support/reversal_task.hpp"

using namespace formwork;

TEST_CASE("rehearsal: the largest batch is as large as the limits and has the longest sentences") {
  const batch b = largest_batch(
      {.source_tokens = 100, .target_tokens = 70, .sentences = 30, .source_length = 30, .target_length = 40});
  CHECK(b.source_tokens() == 100);
  CHECK(b.target_tokens() == 70);
  CHECK(b.source_sequences().length(0) == 30);
  CHECK(b.target_sequences().length(0) == 40);
  CHECK(b.source_sequences().count == b.target_sequences().count);
}

TEST_CASE("rehearsal: limits of a corpus count end marks and never exceed the budget") {
  const parallel_corpus corpus = formwork_test::reversal_corpus(50, 1, 2, 7);
  const batch_limits small = limits_of(corpus, 16), all = limits_of(corpus, 100000);
  CHECK(small.source_tokens == 16);
  CHECK(all.source_tokens == index_t(corpus.source.size()) + 50);
  CHECK(all.source_length == 8);
  CHECK(upper(small, all).source_tokens == all.source_tokens);
}

TEST_CASE("rehearsal: limits without a length are an error, none at all give an empty batch") {
  CHECK(largest_batch({}).size() == 0);
  CHECK_THROWS_AS(largest_batch({.source_tokens = 1, .target_tokens = 1, .source_length = 1}), error);
  CHECK_THROWS_AS(largest_batch({.source_tokens = 1, .target_tokens = 1, .target_length = 1}), error);
}
