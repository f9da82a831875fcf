#include <formwork/data/embedded_dice.hpp>

#include <doctest/doctest.h>

using namespace formwork::embedded;

TEST_CASE("embedded dice: the same seed and sentence give the same row, others another one") {
  dice a(1, 7), b(1, 7), c(1, 8), d(2, 7);
  bool same = true, sentence = true, seed = true;
  for (int i = 0; i < 20; ++i) {
    const auto x = a.below(1000);
    same = same && b.below(1000) == x;
    sentence = sentence && c.below(1000) == x;
    seed = seed && d.below(1000) == x;
  }
  CHECK(same);
  CHECK_FALSE(sentence);
  CHECK_FALSE(seed);
}

TEST_CASE("embedded dice: bounds are inclusive and reached") {
  dice d(3, 1);
  int low = 0, high = 0, yes = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto x = d.between(2, 4);
    REQUIRE((x >= 2 && x <= 4));
    low += x == 2;
    high += x == 4;
    yes += d.percent(25);
  }
  CHECK(low > 900);
  CHECK(high > 900);
  CHECK(yes > 650);
  CHECK(yes < 850);
}
