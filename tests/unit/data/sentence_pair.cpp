#include <formwork/data/sentence_pair.hpp>

#include <doctest/doctest.h>

TEST_CASE("sentence pair: equal means both sides equal") {
  const formwork::sentence_pair a{"ein Haus", "a house"};
  CHECK(a == formwork::sentence_pair{"ein Haus", "a house"});
  CHECK_FALSE(a == formwork::sentence_pair{"ein Haus", "one house"});
}
