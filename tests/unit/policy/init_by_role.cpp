#include <formwork/policy/init/by_role.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/check.hpp>
#include <formwork/policy/init/normal.hpp>
#include <formwork/policy/init/xavier.hpp>
#include <limits>

using namespace formwork;

namespace {

constexpr random_stream stream{.seed = 5, .stream = 6};

template <class Init>
double value(const Init& init, role r) {
  return init(parameter_info{.role = r, .rows = 9, .columns = 5, .start = 0.75}, stream, 7);
}

}  // namespace

TEST_CASE("by_role: each role may have an initialiser of its own, the rest has the first") {
  const role own[] = {role::query, role::key,  role::value,     role::output,
                      role::up,    role::down, role::embedding, role::head};
  for (const role r : own) {
    CAPTURE(int(r));
    const auto init = by_role{xavier_uniform{}}.with(normal{.stddev = 3}, r);
    for (int other = 0; other <= int(role::scalar); ++other)
      CHECK(value(init, role(other)) ==
            (role(other) == r ? value(normal{.stddev = 3}, r) : value(xavier_uniform{}, role(other))));
  }
}

TEST_CASE("by_role: factors, several roles at once, and what is said later holds for what was said before") {
  const xavier_uniform base{};
  const auto init = by_role{base}
                        .times(0.5, role::query, role::key)
                        .with(normal{.stddev = 2}, role::key, role::embedding)
                        .times(0.25, role::embedding, role::up)
                        .times(0, role::down);
  CHECK(value(init, role::query) == 0.5 * value(base, role::query));
  CHECK(value(init, role::key) == value(normal{.stddev = 2}, role::key));
  CHECK(value(init, role::embedding) == 0.25 * value(normal{.stddev = 2}, role::embedding));
  CHECK(value(init, role::up) == 0.25 * value(base, role::up));
  CHECK(value(init, role::down) == 0);
  CHECK(value(init, role::value) == value(base, role::value));
  CHECK(value(init, role::scalar) == 0.75);
  CHECK_NOTHROW(check_initialiser(init));
}

TEST_CASE("by_role: the toolkit's gains of query, key and value are one line") {
  const auto init =
      by_role{xavier_uniform{}}.times(1 / std::numbers::sqrt2, role::query, role::key, role::value);
  for (int r = 0; r <= int(role::down); ++r)
    if (r < int(role::output) || r > int(role::cross_value))
      CHECK(value(init, role(r)) == doctest::Approx(value(xavier_uniform{.fairseq_gains = true}, role(r))));
}

TEST_CASE("by_role: an initialiser of a constant expression, its numbers checked") {
  constexpr auto init = checked(by_role{normal{}}.with(xavier_normal{}, role::head).times(2, role::up));
  static_assert(explain_initialiser<decltype(init)>());
  CHECK_THROWS_AS(by_role{normal{.stddev = -1}}.validate(), error);
  CHECK_THROWS_AS(by_role{normal{}}.with(normal{.stddev = -1}, role::head).times(1, role::up).validate(),
                  error);
  CHECK_THROWS_WITH_AS(by_role{normal{}}.times(2, role::up, role::bias).validate(),
                       "by_role: a factor is for matrices and tables, not for biases, norms and scalars",
                       error);
  CHECK_THROWS_WITH_AS(by_role{normal{}}
                           .times(std::numeric_limits<double>::infinity(), role::up)
                           .with(normal{}, role::up)
                           .validate(),
                       "by_role: a factor is inf, expected a finite number", error);
}
