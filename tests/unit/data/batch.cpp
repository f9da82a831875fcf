#include <formwork/data/batch.hpp>

#include <doctest/doctest.h>

using namespace formwork;

using ids = std::vector<token_t>;
using offsets = std::vector<index_t>;

TEST_CASE("batch: sources end in </s>, the decoder reads the target shifted by one") {
  parallel_corpus corpus;
  corpus.add(ids{3, 4}, ids{5});
  corpus.add(ids{6}, ids{7, 8, 9});
  corpus.add(ids{}, ids{});
  batch b;
  b.fill(corpus, offsets{1, 0, 2});
  CHECK(b.source == ids{6, end_token, 3, 4, end_token, end_token});
  CHECK(b.target_in == ids{begin_token, 7, 8, 9, begin_token, 5, begin_token});
  CHECK(b.target_out == ids{7, 8, 9, end_token, 5, end_token, end_token});
  CHECK(b.source_start == offsets{0, 2, 5, 6});
  CHECK(b.target_start == offsets{0, 4, 6, 7});
  CHECK(b.sentences == offsets{1, 0, 2});
  CHECK(b.size() == 3);
  CHECK(b.source_tokens() == b.source_sequences().rows());
  CHECK(b.target_tokens() == 7);
  CHECK(b.target_sequences().length(1) == 2);
}

TEST_CASE("batch: filling again forgets the last contents and keeps the memory") {
  parallel_corpus corpus;
  corpus.add(ids{3, 4}, ids{5});
  batch b;
  b.reserve(16, 16, 4);
  const token_t* place = b.target_in.data();
  for (int i = 0; i < 3; ++i) b.fill(corpus, offsets{0, 0});
  CHECK(b.size() == 2);
  CHECK(b.source == ids{3, 4, end_token, 3, 4, end_token});
  CHECK(b.target_in.data() == place);
  b.clear();
  CHECK(b.size() == 0);
  CHECK(b.source_sequences().rows() == 0);
}
