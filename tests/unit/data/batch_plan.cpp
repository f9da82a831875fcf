#include <formwork/data/batch_plan.hpp>

#include <doctest/doctest.h>

#include <set>

#include "../../support/wrong_numbers.hpp"

using namespace formwork;

namespace {

/// Lengths of sentences as a corpus stores them: offsets, end marks not counted.
struct lengths {
  std::vector<index_t> source{0}, target{0};

  void add(index_t s, index_t t) {
    source.push_back(source.back() + s);
    target.push_back(target.back() + t);
  }
  sequences s() const { return {source.data(), index_t(source.size()) - 1}; }
  sequences t() const { return {target.data(), index_t(target.size()) - 1}; }
};

lengths random_lengths(index_t count, std::uint64_t seed, std::uint64_t longest = 60) {
  lengths out;
  const random_stream random{seed, 9};
  for (index_t i = 0; i < count; ++i) {
    out.add(index_t(random.below(std::uint64_t(2 * i), longest)),
            index_t(random.below(std::uint64_t(2 * i + 1), longest)));
  }
  return out;
}

batch_plan epoch_of(const lengths& l, const batching_options& options, index_t epoch = 0) {
  batch_plan plan;
  plan_epoch(l.s(), l.t(), options, epoch, plan);
  return plan;
}

void check_covers(const lengths& l, const batch_plan& plan, index_t max_tokens) {
  std::set<index_t> seen;
  bool within = true;
  for (index_t b = 0; b < plan.batches(); ++b) {
    index_t s = 0, t = 0;
    CHECK_FALSE(plan.batch(b).empty());
    for (const index_t i : plan.batch(b)) {
      s += l.s().length(i) + 1;
      t += l.t().length(i) + 1;
      seen.insert(i);
    }
    within = within && s <= max_tokens && t <= max_tokens;
  }
  CHECK(within);
  CHECK(index_t(seen.size()) == l.s().count);
  CHECK(index_t(plan.order.size()) == l.s().count);
}

}  // namespace

TEST_CASE("batch plan: no batch exceeds the budget and every pair stands in exactly one") {
  for (const index_t count : {1, 2, 255, 1000}) {
    const lengths l = random_lengths(count, std::uint64_t(count));
    for (const index_t max_tokens : {60, 61, 128, 1000, 100000}) {
      for (const index_t pool : {0, 1, 100, 5000}) {
        check_covers(l, epoch_of(l, {.max_tokens = max_tokens, .pool = pool}), max_tokens);
      }
      check_covers(l, plan_in_order(l.s(), l.t(), max_tokens), max_tokens);
    }
  }
}

TEST_CASE("batch plan: a pair of exactly the budget fits, one token more is an error that names it") {
  lengths l;
  l.add(3, 4);
  l.add(2, 9);
  CHECK(epoch_of(l, {.max_tokens = 10}).batches() == 2);
  CHECK_THROWS_WITH_AS(epoch_of(l, {.max_tokens = 9}),
                       doctest::Contains("sentence pair 2 has 3 source and 10 target tokens"), error);
  CHECK_THROWS_AS(plan_in_order(l.s(), l.t(), 9), error);
}

TEST_CASE("batch plan: the same inputs give the same plan, another seed or epoch another one") {
  const lengths l = random_lengths(500, 3);
  const batching_options options{.max_tokens = 300, .seed = 5, .pool = 128};
  const batch_plan plan = epoch_of(l, options, 7);
  batch_plan used = epoch_of(l, options, 2);
  plan_epoch(l.s(), l.t(), options, 7, used);
  CHECK(used.order == plan.order);
  CHECK(used.start == plan.start);
  CHECK(epoch_of(l, options, 8).order != plan.order);
  CHECK(epoch_of(l, {.max_tokens = 300, .seed = 6, .pool = 128}, 7).order != plan.order);
}

TEST_CASE("batch plan: the order is the same on every machine") {
  lengths l;
  for (index_t i = 0; i < 10; ++i) l.add(i % 3, i % 2);
  const batch_plan plan = epoch_of(l, {.max_tokens = 8, .seed = 1});
  CHECK(plan.order == std::vector<index_t>{7, 1, 8, 6, 0, 3, 9, 4, 2, 5});
  CHECK(plan.start == std::vector<index_t>{0, 3, 8, 10});
}

TEST_CASE("batch plan: batches of a sorted pool hold sentences of like length") {
  const lengths l = random_lengths(5000, 4);
  const auto spread = [&](const batch_plan& plan) {
    index_t sum = 0;
    for (index_t b = 0; b < plan.batches(); ++b) {
      index_t low = 1000, high = 0;
      for (const index_t i : plan.batch(b)) {
        const index_t longer = (std::max)(l.s().length(i), l.t().length(i));
        low = (std::min)(low, longer);
        high = (std::max)(high, longer);
      }
      sum += high - low;
    }
    return double(sum) / double(plan.batches());
  };
  CHECK(spread(epoch_of(l, {.max_tokens = 500, .pool = 0})) < 2);
  CHECK(spread(epoch_of(l, {.max_tokens = 500, .pool = 1000})) < 5);
  CHECK(spread(epoch_of(l, {.max_tokens = 500, .pool = 1})) > 20);
}

TEST_CASE("batch plan: sorting does not leave the epoch in order of length") {
  const lengths l = random_lengths(5000, 4);
  const batch_plan plan = epoch_of(l, {.max_tokens = 500, .pool = 0});
  index_t rises = 0;
  for (index_t b = 1; b < plan.batches(); ++b) {
    rises += l.s().length(plan.batch(b)[0]) > l.s().length(plan.batch(b - 1)[0]);
  }
  CHECK(rises > plan.batches() / 3);
  CHECK(rises < plan.batches() * 2 / 3);
}

TEST_CASE("batch plan: no number may be out of its range") {
  using formwork_test::check_number;
  check_number(batching_options{}, &batching_options::max_tokens, {1, 4096}, {0, -1});
  check_number(batching_options{}, &batching_options::pool, {0, 1}, {-1});
}

TEST_CASE("batch plan: with one pool the number of batches is the same in every epoch") {
  const lengths l = random_lengths(700, 6);
  const index_t batches = epoch_of(l, {.max_tokens = 200, .pool = 0}).batches();
  for (index_t epoch = 1; epoch < 5; ++epoch) {
    CHECK(epoch_of(l, {.max_tokens = 200, .pool = 0}, epoch).batches() == batches);
  }
}

TEST_CASE("batch plan: an evaluation keeps the order of the corpus") {
  const lengths l = random_lengths(100, 8);
  const batch_plan plan = plan_in_order(l.s(), l.t(), 150);
  for (index_t i = 0; i < 100; ++i) CHECK(plan.order[std::size_t(i)] == i);
  CHECK(plan_in_order({}, {}, 10).batches() == 0);
}

TEST_CASE("batch plan: a corpus of more than 2^32 tokens is planned without overflow") {
  lengths l;
  const index_t huge = index_t{1} << 31;
  for (int i = 0; i < 6; ++i) l.add(huge, huge + 5);
  check_covers(l, epoch_of(l, {.max_tokens = 2 * huge + 12}), 2 * huge + 12);
  CHECK(epoch_of(l, {.max_tokens = 2 * huge + 12}).batches() == 3);
}
