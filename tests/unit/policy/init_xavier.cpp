#include <formwork/policy/init/xavier.hpp>
//
#include <doctest/doctest.h>

#include <algorithm>
#include <formwork/policy/init/check.hpp>
#include <vector>

using namespace formwork;

namespace {

struct statistics {
  double mean = 0, variance = 0, largest = 0;
};

template <class Init>
statistics measure(const Init& init, role what, index_t rows, index_t columns) {
  const parameter_info p{.role = what, .rows = rows, .columns = columns};
  const random_stream stream{.seed = 3, .stream = 1 + std::uint64_t(what)};
  statistics s;
  for (index_t i = 0; i < p.size(); ++i) {
    const double x = init(p, stream, std::uint64_t(i));
    s.mean += x / double(p.size());
    s.variance += x * x / double(p.size());
    s.largest = std::max(s.largest, std::fabs(x));
  }
  return s;
}

// With n draws the mean is off by at most 4 deviations / sqrt(n) and the variance by 4 variance sqrt(2 / n),
// but for one case in 15,000; the seed is fixed, so a test that passes keeps passing.
template <class Init>
void check_variance(const Init& init, role what, index_t rows, index_t columns, double variance) {
  CAPTURE(int(what));
  const statistics s = measure(init, what, rows, columns);
  const double n = double(rows * columns);
  CHECK(std::fabs(s.mean) < 4 * std::sqrt(variance / n));
  CHECK(std::fabs(s.variance - variance) < 4 * variance * std::sqrt(2 / n));
}

constexpr role plain[] = {role::output, role::cross_output, role::up, role::down};
constexpr role fused[] = {role::query,       role::key,       role::value,
                          role::cross_query, role::cross_key, role::cross_value};
constexpr role tables[] = {role::embedding, role::position, role::head};

template <class Init>
void check_every_role() {
  const double fans = 2.0 / (96 + 40);
  for (const role r : plain) {
    check_variance(Init{}, r, 96, 40, fans);
    check_variance(Init{.gain = 0.5}, r, 96, 40, fans / 4);
    check_variance(Init{.fairseq_gains = true}, r, 96, 40, fans);
  }
  for (const role r : fused) {
    check_variance(Init{}, r, 96, 40, fans);
    check_variance(Init{.gain = 2, .fairseq_gains = true}, r, 96, 40, 4 * fans / 2);
  }
  for (const role r : tables) check_variance(Init{.gain = 3, .fairseq_gains = true}, r, 96, 40, 1.0 / 40);
}

}  // namespace

TEST_CASE("xavier_uniform: mean and variance of every role") { check_every_role<xavier_uniform>(); }
TEST_CASE("xavier_normal: mean and variance of every role") { check_every_role<xavier_normal>(); }

TEST_CASE("xavier_uniform: matrices fill the interval up to sqrt(6 / (rows + columns)), tables are normal") {
  const double bound = std::sqrt(6.0 / (96 + 40));
  const double largest = measure(xavier_uniform{}, role::up, 96, 40).largest;
  CHECK(largest <= bound);
  CHECK(largest > 0.995 * bound);
  CHECK(measure(xavier_uniform{}, role::embedding, 96, 40).largest > 3 / std::sqrt(40.0));
  CHECK(measure(xavier_normal{}, role::up, 96, 40).largest > 3 * std::sqrt(2.0 / (96 + 40)));
}

TEST_CASE("xavier: biases and scalars start at 0, norm gains at 1, unless their op says otherwise") {
  for (const role r : {role::bias, role::norm_gain, role::scalar}) {
    CHECK(xavier_uniform{.gain = 2}({.role = r, .start = 0.75}, {}, 5) == 0.75);
    CHECK(xavier_normal{.gain = 2}({.role = r, .start = 0.75}, {}, 5) == 0.75);
  }
  for (const auto& init : {xavier_uniform{}, xavier_uniform{.gain = 2, .fairseq_gains = true}}) {
    for (const role r : {role::bias, role::norm_bias, role::scalar}) CHECK(init({.role = r}, {}, 5) == 0);
    CHECK(init({.role = role::norm_gain}, {}, 5) == 1);
  }
  CHECK(xavier_normal{}({.role = role::norm_gain}, {}, 5) == 1);
  CHECK(xavier_normal{}({.role = role::bias}, {}, 5) == 0);
}

TEST_CASE("xavier: a value depends on seed, stream and element, and on nothing else") {
  const parameter_info p{.role = role::key, .rows = 8, .columns = 8};
  parameter_info elsewhere = p;
  elsewhere.layer = 3;
  CHECK(xavier_uniform{}(p, {1, 2}, 3) == xavier_uniform{}(elsewhere, {1, 2}, 3));
  CHECK(xavier_uniform{}(p, {1, 2}, 3) != xavier_uniform{}(p, {1, 2}, 4));
  CHECK(xavier_uniform{}(p, {1, 2}, 3) != xavier_uniform{}(p, {1, 3}, 3));
  CHECK(xavier_uniform{}(p, {1, 2}, 3) != xavier_uniform{}(p, {2, 2}, 3));
}

TEST_CASE("xavier: the public check accepts it, bad numbers are refused with a sentence") {
  CHECK_NOTHROW(check_initialiser(xavier_uniform{}));
  CHECK_NOTHROW(check_initialiser(xavier_normal{.fairseq_gains = true}));
  CHECK_THROWS_WITH_AS(xavier_uniform{.gain = 0}.validate(),
                       "xavier_uniform: gain is 0, expected a finite number above 0", error);
  CHECK_THROWS_AS(xavier_normal{.gain = -1}.validate(), error);
}
