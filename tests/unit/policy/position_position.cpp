#include <formwork/policy/position/position.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

namespace {

struct counts {
  static double code(index_t position, index_t, index_t) { return double(position); }
};

}  // namespace

static_assert(explain_position<learned<7>>() && explain_position<no_position>() && position<counts>);
static_assert(fixed_position_code<sinusoidal> && fixed_position_code<counts> &&
              !fixed_position_code<learned<>>);
static_assert(!position<int>);
static_assert(explain_position<rotary>() && turning_position<rotary> && !turning_position<no_position>);

TEST_CASE("sinusoidal: sines in the first half of the columns, cosines in the second, counted from 1") {
  for (const index_t D : {2, 4, 7, 512})
    for (const index_t p : {0, 1, 17, 1000})
      for (index_t c = 0; c < D / 2; ++c) {
        const double rate = D / 2 > 1 ? std::pow(10000.0, -double(c) / double(D / 2 - 1)) : 1;
        CHECK(sinusoidal::code(p, c, D) == doctest::Approx(std::sin(double(p + 1) * rate)).epsilon(1e-9));
        CHECK(sinusoidal::code(p, D / 2 + c, D) ==
              doctest::Approx(std::cos(double(p + 1) * rate)).epsilon(1e-9));
        CHECK(basic_sinusoidal<0>::code(p + 1, c, D) == sinusoidal::code(p, c, D));
      }
  CHECK(sinusoidal::code(5, 6, 7) == 0);                                    // the odd column
  CHECK(sinusoidal::code(0, 0, 4) == doctest::Approx(0.8414709848078965));  // sin 1
  CHECK(sinusoidal::code(0, 3, 4) == doctest::Approx(0.999999995));         // cos 1e-4
}

TEST_CASE("interleaved_sinusoidal: sine and cosine in turn, counted from 0") {
  for (const index_t D : {2, 7, 512})
    for (const index_t p : {0, 1, 99})
      for (index_t c = 0; c < D; ++c) {
        const double angle = double(p) / std::pow(10000.0, double(c - c % 2) / double(D));
        const double expected = c % 2 ? std::cos(angle) : std::sin(angle);
        CHECK(interleaved_sinusoidal::code(p, c, D) == doctest::Approx(expected).epsilon(1e-12));
      }
}

TEST_CASE("learned: a table of so many rows; no_position adds nothing") {
  graph g{};
  const expr x = stream_input(g, 6, axis::source);
  CHECK(no_position::apply(x, "position").id == x.id);
  CHECK(longest_sequence<learned<20>> == 20);
  CHECK(longest_sequence<sinusoidal> == std::numeric_limits<index_t>::max());
  CHECK(learned<20>::apply(x, "position").id != x.id);
  REQUIRE(g.parameter_count == 1);
  const parameter& table = g.parameters[0];
  CHECK(table.name == label("position.weight"));
  CHECK((table.rows == 20 && table.columns == 6 && table.role == role::position && !is_matrix(table.role)));
}

TEST_CASE("alibi: adds nothing to the embedding, its bias is asked for") {
  graph g{};
  const expr x = stream_input(g, 12, axis::source);
  CHECK(alibi::apply(x, "position").id == x.id);
  CHECK((has_distance_bias<alibi> && !has_distance_bias<rotary> && !has_distance_bias<counts>));
}

TEST_CASE("rotary: adds nothing to the embedding and turns queries and keys") {
  graph g{};
  const expr x = stream_input(g, 12, axis::source);
  CHECK(rotary::apply(x, "position").id == x.id);
  const node plain = rotary::turn(x, 3).n(), other = interleaved_rotary::turn(x, 3).n(),
             slow = basic_rotary<rotary_op, 500000>::turn(x, 3).n();
  CHECK((plain.op == &record_of<rotary_op> && plain.heads == 3 && plain.alpha == 10000));
  CHECK(other.op == &record_of<interleaved_rotary_op>);
  CHECK(slow.alpha == 500000);
  CHECK(g.parameter_count == 0);
}
