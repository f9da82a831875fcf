#include <formwork/data/parallel_corpus.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include "../../support/wrong_numbers.hpp"

using namespace formwork;

namespace {

using ids = std::vector<token_t>;

parallel_corpus sample() {
  parallel_corpus corpus;
  corpus.add(ids{3, 4}, ids{5});
  corpus.add(ids{}, ids{6});
  corpus.add(ids{7, 8, 9, 10}, ids{11});
  corpus.add(ids{12}, ids{13, 14});
  return corpus;
}

ids copy(std::span<const token_t> tokens) { return {tokens.begin(), tokens.end()}; }

}  // namespace

TEST_CASE("parallel corpus: offsets and counts have 64 bits") {
  static_assert(std::is_same_v<decltype(parallel_corpus::source_start)::value_type, std::int64_t>);
  static_assert(std::is_same_v<decltype(corpus_report::read), std::int64_t>);
}

TEST_CASE("parallel corpus: sentences come back as they were added") {
  const parallel_corpus corpus = sample();
  CHECK(corpus.size() == 4);
  CHECK(copy(corpus.source_sentence(2)) == ids{7, 8, 9, 10});
  CHECK(copy(corpus.target_sentence(3)) == ids{13, 14});
  CHECK(corpus.source_sentence(1).empty());
  CHECK(corpus.source_sequences().rows() == 7);
  CHECK(corpus.target_sequences().length(3) == 2);
}

TEST_CASE("parallel corpus: the fingerprint tells ids, sides, lengths and order apart") {
  const auto of = [](std::initializer_list<std::pair<ids, ids>> pairs) {
    parallel_corpus corpus;
    for (const auto& [source, target] : pairs) corpus.add(source, target);
    return corpus.fingerprint();
  };
  CHECK(sample().fingerprint() == sample().fingerprint());
  const std::uint64_t usual = of({{{3, 4}, {5}}, {{6}, {7}}});
  CHECK(of({{{3, 4}, {5}}, {{6}, {7}}}) == usual);
  const std::uint64_t others[] = {of({}),
                                  of({{{3, 4}, {5}}}),
                                  of({{{3, 4}, {5}}, {{6}, {8}}}),
                                  of({{{3}, {5}}, {{4, 6}, {7}}}),
                                  of({{{6}, {7}}, {{3, 4}, {5}}}),
                                  of({{{3, 4}, {5}}, {{7}, {6}}}),
                                  of({{{3, 4}, {5}}, {{6}, {7}}, {{}, {}}})};
  for (const std::uint64_t other : others) CHECK(other != usual);
}

TEST_CASE("parallel corpus: an empty side drops the pair from both sides") {
  parallel_corpus corpus = sample();
  corpus.filter({});
  CHECK(corpus.size() == 3);
  CHECK(copy(corpus.source_sentence(1)) == ids{7, 8, 9, 10});
  CHECK(copy(corpus.target_sentence(1)) == ids{11});
  CHECK(copy(corpus.target_sentence(2)) == ids{13, 14});
  CHECK(corpus.source.size() == 7);
  CHECK(corpus.report.sentence() == "kept 3 of 4 pairs; dropped 1 with an empty side");
}

TEST_CASE("parallel corpus: the longest length counts the end mark") {
  parallel_corpus at_limit = sample(), above = sample();
  at_limit.filter({.max_length = 5});
  CHECK(at_limit.report.too_long == 0);
  above.filter({.max_length = 4});
  CHECK(above.report.too_long == 1);
  CHECK(above.size() == 2);
  CHECK(above.report.sentence() == "kept 2 of 4 pairs; dropped 1 with an empty side, 1 too long");
}

TEST_CASE("parallel corpus: pairs of unequal length are dropped only when asked for") {
  parallel_corpus corpus = sample();
  corpus.filter({.max_ratio = 2});
  CHECK(corpus.report.unbalanced == 1);
  CHECK(copy(corpus.source_sentence(1)) == ids{12});
}

TEST_CASE("parallel corpus: no limit may be negative, infinite or no number") {
  using formwork_test::check_number;
  check_number(corpus_options{}, &corpus_options::max_length, {0, 100}, {-1});
  check_number(corpus_options{}, &corpus_options::max_ratio, {0, 1.5}, {-1});
  parallel_corpus corpus;
  CHECK_THROWS_WITH_AS(corpus.filter({.max_length = -1}), "corpus: max_length is -1, expected 0 or more",
                       error);
}

TEST_CASE("parallel corpus: test sets may keep their empty lines") {
  parallel_corpus corpus = sample();
  corpus.filter({.drop_empty = false});
  CHECK(corpus.size() == 4);
  CHECK(corpus.report.sentence() == "kept 4 of 4 pairs");
}

TEST_CASE("parallel corpus: dropping everything is an error that tells which limits would do") {
  parallel_corpus corpus = sample();
  CHECK_THROWS_WITH_AS(corpus.filter({.max_length = 1}), doctest::Contains("every pair was dropped"), error);
  CHECK_THROWS_WITH_AS(
      corpus.filter({.max_length = 1}),
      doctest::Contains("the pairs have 2 to 5 tokens, half of them at most 3; max_length 2 would "
                        "keep 1, 4 would keep 3, 8 would keep 4"),
      error);
  parallel_corpus nothing;
  CHECK_THROWS_WITH_AS(nothing.filter({}), doctest::Contains("no sentence pairs"), error);
}

TEST_CASE("parallel corpus: one that was moved from is empty") {
  parallel_corpus corpus = sample();
  const parallel_corpus other = std::move(corpus);
  CHECK(corpus.size() == 0);
  CHECK(other.size() == 4);
  CHECK_THROWS_WITH_AS(corpus.filter({}), doctest::Contains("no sentence pairs"), error);
}

TEST_CASE("parallel corpus: arrays that were filled by hand must fit together") {
  CHECK_NOTHROW(sample().validate());
  CHECK_NOTHROW(parallel_corpus{}.validate());
  const auto fault = [](auto change) {
    parallel_corpus corpus = sample();
    change(corpus);
    try {
      corpus.validate();
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(fault([](parallel_corpus& c) { c.target_start.pop_back(); }) ==
        "corpus: 4 source sentences, but 3 target sentences");
  CHECK(fault([](parallel_corpus& c) { c.target.pop_back(); }).starts_with("corpus: the target starts"));
  CHECK(fault([](parallel_corpus& c) { c.source_start[0] = 1; }).starts_with("corpus: the source starts"));
  CHECK(fault([](parallel_corpus& c) { c.source_start[2] = 0; }).starts_with("corpus: the source starts"));
}
