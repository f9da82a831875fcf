#include <formwork/data/batch_source.hpp>

#include <doctest/doctest.h>

#include <thread>

using namespace formwork;

namespace {

parallel_corpus sample(index_t count = 300) {
  parallel_corpus corpus;
  const random_stream random{17, 1};
  std::uint64_t next = 0;
  for (index_t i = 0; i < count; ++i) {
    std::vector<token_t> sides[2];
    for (auto& side : sides) {
      side.resize(1 + random.below(next++, 30));
      for (token_t& token : side) token = token_t(3 + random.below(next++, 97));
    }
    corpus.add(sides[0], sides[1]);
  }
  return corpus;
}

using ids = std::vector<index_t>;

ids consumed(batch_source& source, int batches) {
  ids out;
  for (int i = 0; i < batches; ++i) {
    const batch& b = source.next();
    out.insert(out.end(), b.sentences.begin(), b.sentences.end());
    out.push_back(-1);
  }
  return out;
}

}  // namespace

TEST_CASE("batch source: an epoch gives every pair once, the next one in another order") {
  const parallel_corpus corpus = sample();
  batch_source source(corpus, {.max_tokens = 200});
  ids first = consumed(source, int(source.batches_in_epoch()));
  CHECK(source.position() == data_position{1, 0});
  ids second = consumed(source, 1);
  CHECK(source.position() == data_position{1, 1});
  second.resize(5);
  CHECK(ids(first.begin(), first.begin() + 5) != second);
  std::erase(first, -1);
  std::ranges::sort(first);
  REQUIRE(index_t(first.size()) == corpus.size());
  for (index_t i = 0; i < corpus.size(); ++i) CHECK(first[std::size_t(i)] == i);
}

TEST_CASE("batch source: stopping and seeking gives the same batches as going on") {
  const parallel_corpus corpus = sample();
  const batching_options options{.max_tokens = 150, .seed = 4};
  for (const int before : {0, 1, 20, 45, 200}) {
    batch_source whole(corpus, options), first(corpus, options), second(corpus, options);
    const ids expected = consumed(whole, before + 70);
    ids actual = consumed(first, before);
    second.seek(first.position());
    const ids rest = consumed(second, 70);
    actual.insert(actual.end(), rest.begin(), rest.end());
    CHECK(actual == expected);
    CHECK(second.position() == whole.position());
  }
}

TEST_CASE("batch source: seeking back works") {
  const parallel_corpus corpus = sample();
  batch_source source(corpus, {.max_tokens = 100});
  const ids start = consumed(source, 3);
  consumed(source, 150);
  source.seek({0, 0});
  CHECK(consumed(source, 3) == start);
}

TEST_CASE("batch source: a position of any epoch is reached directly") {
  const parallel_corpus corpus = sample(20);
  batch_source there(corpus, {.max_tokens = 100}), again(corpus, {.max_tokens = 100});
  const index_t far = index_t{1} << 50;  // epoch by epoch it would take years
  there.seek({far, 1});
  CHECK(there.position() == data_position{far, 1});
  again.seek({far, 0});
  again.next();
  CHECK(consumed(there, 3) == consumed(again, 3));
}

TEST_CASE("batch source: stopping after the last batch of an epoch resumes with the next epoch") {
  const parallel_corpus corpus = sample();
  batch_source source(corpus, {.max_tokens = 200}), resumed(corpus, {.max_tokens = 200});
  consumed(source, int(source.batches_in_epoch()));
  resumed.seek(source.position());
  CHECK(consumed(resumed, 9) == consumed(source, 9));
}

TEST_CASE("batch source: the same batches on any number of threads") {
  const parallel_corpus corpus = sample();
  batch_source alone(corpus, {.max_tokens = 200});
  const ids expected = consumed(alone, 100);
  ids results[4];
  {
    std::vector<std::jthread> threads;
    for (ids& result : results) {
      threads.emplace_back([&] {
        batch_source source(corpus, {.max_tokens = 200});
        result = consumed(source, 100);
      });
    }
  }
  for (const ids& result : results) CHECK(result == expected);
}

TEST_CASE("batch source: limits hold for every batch, the longest sentence placed last included") {
  parallel_corpus corpus = sample(200);
  corpus.add(std::vector<token_t>(99, 5), std::vector<token_t>(70, 6));
  batch_source source(corpus, {.max_tokens = 100});
  const batch_limits limits = source.limits();
  CHECK(limits.source_length == 100);
  CHECK(limits.target_length == 71);
  CHECK(limits.source_tokens == 100);
  const token_t* place = nullptr;
  for (int i = 0; i < 300; ++i) {
    const batch& b = source.next();
    CHECK(b.source_tokens() <= limits.source_tokens);
    CHECK(b.target_tokens() <= limits.target_tokens);
    CHECK(b.size() <= limits.sentences);
    if (!place) place = b.source.data();
    CHECK(b.source.data() == place);
  }
}

TEST_CASE("batch source: limits of a small corpus are its own size") {
  parallel_corpus corpus;
  corpus.add(std::vector<token_t>{3, 4}, std::vector<token_t>{5});
  const batch_source source(corpus, {.max_tokens = 1000});
  CHECK(source.limits().source_tokens == 3);
  CHECK(source.limits().target_tokens == 2);
  CHECK(source.limits().sentences == 1);
}

TEST_CASE("batch source: impossible corpora and positions are errors") {
  const parallel_corpus empty, corpus = sample(50);
  CHECK_THROWS_WITH_AS(batch_source{empty}, doctest::Contains("the corpus is empty"), error);
  CHECK_THROWS_WITH_AS(batch_source(corpus, {.max_tokens = 20}), doctest::Contains("more than max_tokens 20"),
                       error);
  batch_source source(corpus, {.max_tokens = 100});
  const index_t batches = source.batches_in_epoch();
  CHECK_THROWS_WITH_AS(source.seek({0, batches}), doctest::Contains("differ from those of the stored run"),
                       error);
  CHECK_THROWS_AS(source.seek({-1, 0}), error);
  CHECK_NOTHROW(source.seek({0, batches - 1}));
}

TEST_CASE("batch source: arrays that do not fit together are an error, and so is a corpus that changes") {
  parallel_corpus corpus = sample(50);
  parallel_corpus broken = corpus;
  broken.target.pop_back();
  CHECK_THROWS_AS(batch_source{broken}, error);
  batch_source source(corpus, {.max_tokens = 100});
  source.next();
  const parallel_corpus elsewhere = std::move(corpus);
  CHECK_THROWS_WITH_AS(source.next(), doctest::Contains("changed or moved"), error);
  CHECK_THROWS_AS(source.seek({1, 0}), error);
}

TEST_CASE("batch source: the fingerprint tells data and options apart") {
  const parallel_corpus corpus = sample(50);
  parallel_corpus other = corpus;
  const std::uint64_t print = batch_source(corpus, {.max_tokens = 100}).fingerprint();
  CHECK(batch_source(other, {.max_tokens = 100}).fingerprint() == print);
  CHECK(batch_source(corpus, {.max_tokens = 101}).fingerprint() != print);
  CHECK(batch_source(corpus, {.max_tokens = 100, .seed = 2}).fingerprint() != print);
  CHECK(batch_source(corpus, {.max_tokens = 100, .pool = 7}).fingerprint() != print);
  ++other.target.back();
  CHECK(batch_source(other, {.max_tokens = 100}).fingerprint() != print);
}

TEST_CASE("batch source: options that make no sense are refused") {
  const parallel_corpus corpus = sample(20);
  CHECK_THROWS_WITH_AS(batch_source(corpus, {.max_tokens = 0}),
                       "batching: max_tokens is 0, expected at least 1", error);
  CHECK_THROWS_WITH_AS(batch_source(corpus, {.pool = -1}), "batching: pool is -1, expected 0 or more", error);
}
