#include <formwork/decode/candidates.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace formwork;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<candidate> best(const std::vector<float>& p, index_t rows, const std::vector<double>& sums,
                            std::size_t count, token_t forbidden = -1, index_t begin = 0) {
  std::vector<candidate> out{{1, 2, 3}};
  best_candidates(matrix_view<const float>(p.data(), rows, index_t(p.size()) / rows), sums, begin, rows,
                  count, forbidden, out);
  return out;
}

}  // namespace

TEST_CASE("candidates: the best of all rows, best first, against sorting all") {
  const random_stream random{1, 1};
  std::vector<float> p(5 * 31);
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = float(std::round(random.normal(i) * 4) / 4);  // with ties
  const std::vector<double> sums{0, -0.5, 0.25, -1, 0};
  std::vector<candidate> all;
  for (index_t r = 1; r < 5; ++r)
    for (index_t v = 0; v < 31; ++v)
      if (v != 7) all.push_back({sums[std::size_t(r)] + double(p[std::size_t(r * 31 + v)]), r, token_t(v)});
  std::sort(all.begin(), all.end());
  for (const std::size_t count : {1u, 2u, 10u, 120u, 500u}) {
    const auto found = best(p, 5, sums, count, 7, 1);
    REQUIRE(found.size() == std::min<std::size_t>(count, 120));
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK((found[i].score == all[i].score && found[i].row == all[i].row && found[i].token == all[i].token));
  }
}

TEST_CASE("candidates: a not-a-number never wins, minus infinity comes last") {
  const auto found = best({std::nanf(""), -infinity, -3, std::nanf("")}, 1, {0}, 4);
  REQUIRE(found.size() == 2);
  CHECK(found[0].token == 2);
  CHECK(found[1].token == 1);
  CHECK(best({std::nanf(""), std::nanf("")}, 1, {0}, 4).empty());
}

TEST_CASE("draw_token: the unit interval is divided by the probabilities, likeliest first") {
  const float p[4] = {std::log(0.2f), std::log(0.5f), std::log(0.1f), std::log(0.2f)};
  const auto draw = [&](double u, int k = 0, token_t forbidden = -1, double temperature = 1) {
    return draw_token(p, 4, temperature, k, forbidden, u);
  };
  CHECK(draw(0) == 1);
  CHECK(draw(0.499) == 1);
  CHECK(draw(0.501) == 0);  // equal ones in the order of the tokens
  CHECK(draw(0.699) == 0);
  CHECK(draw(0.701) == 3);
  CHECK(draw(0.91) == 2);
  CHECK(draw(0.99999999) == 2);
  CHECK(draw(0.99999999, 2) == 0);  // 1 and 0 only: 5/7 and 2/7
  CHECK(draw(0.71, 2) == 1);
  CHECK(draw(0.72, 2) == 0);
  CHECK(draw(0.39, 0, 1) == 0);  // without 1: 0.4, 0.4, 0.2
  CHECK(draw(0.41, 0, 1) == 3);
  CHECK(draw(0.25 / 0.34 - 1e-3, 0, -1, 0.5) == 1);  // squares: 0.25 of 0.34
  CHECK(draw(0.25 / 0.34 + 1e-3, 0, -1, 0.5) == 0);
  const float none[2] = {std::nanf(""), std::nanf("")};
  CHECK_THROWS_AS(draw_token(none, 2, 1.0, 0, -1, 0.5), error);
}

TEST_CASE("draw_token: the colder the more likely the best, down to the smallest temperature") {
  const float p[4] = {-5, -0.1f, -3, -infinity};
  for (const double temperature : {1e-2, 1e-30, 1e-310})
    CHECK(draw_token(p, 4, temperature, 0, -1, 0.999) == 1);
  CHECK(draw_token(p, 4, 1e300, 0, -1, 0.999) == 0);  // all but the impossible one alike
  for (const double temperature : {0.0, -1.0, double(infinity), std::nan("")})
    CHECK_THROWS_WITH_AS(draw_token(p, 4, temperature, 0, -1, 0.5),
                         doctest::Contains("sampling: the temperature"), error);
  CHECK_THROWS_AS(draw_token(p + 3, 1, 1.0, 0, -1, 0.5), error);
}
