#include <formwork/data/special_tokens.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("special tokens: ids and entries are fixed, and none of them is padding") {
  CHECK(special_tokens == 3);
  CHECK(special_entries[unknown_token] == "<unk>");
  CHECK(special_entries[begin_token] == "<s>");
  CHECK(special_entries[end_token] == "</s>");
}
