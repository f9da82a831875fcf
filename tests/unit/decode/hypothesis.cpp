#include <formwork/decode/hypothesis.hpp>

#include <doctest/doctest.h>

TEST_CASE("hypothesis: the default is the translation of nothing") {
  const formwork::hypothesis h;
  CHECK(h.tokens.empty());
  CHECK((h.log_probability == 0 && h.score == 0 && !h.truncated));
}
