#include <formwork/policy/init/check.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/init/normal.hpp>
#include <limits>

using namespace formwork;

namespace {

using info = const parameter_info&;
using stream = const random_stream&;

}  // namespace

TEST_CASE("check_initialiser: accepts sound initialisers, also with matrices that start at 0") {
  CHECK_NOTHROW(check_initialiser([](info p, stream r, std::uint64_t i) {
    return p.role == role::down || p.role == role::output ? 0.0 : normal{}(p, r, i);
  }));
}

TEST_CASE("check_initialiser: names the rule that an initialiser breaks") {
  CHECK_THROWS_WITH_AS(check_initialiser([](info, stream, std::uint64_t) { return 0.0; }),
                       "initialiser: all matrices are 0, no gradient would flow", error);
  CHECK_THROWS_WITH_AS(check_initialiser([](info, stream, std::uint64_t) { return 0.5; }),
                       "initialiser: all rows of matrix role 0 are equal, they would learn the same", error);
  CHECK_THROWS_WITH_AS(check_initialiser([](info, stream, std::uint64_t i) { return double(i); }),
                       "initialiser: no value depends on the random stream, all layers would start equal",
                       error);
  CHECK_THROWS_WITH_AS(
      check_initialiser([](info, stream, std::uint64_t) { return std::numeric_limits<double>::infinity(); }),
      "initialiser: element 0 of role 0 is not a finite number", error);
  CHECK_THROWS_WITH_AS(check_initialiser([](info p, stream r, std::uint64_t i) {
                         return p.role == role::scalar ? 0.0 : normal{}(p, r, i);
                       }),
                       "initialiser: a learned factor starts at 0, its op asks for 0.25; return "
                       "parameter_info::start for role::scalar",
                       error);
  int calls = 0;
  CHECK_THROWS_WITH_AS(check_initialiser([&calls](info, stream, std::uint64_t) { return double(++calls); }),
                       "initialiser: element 34 of role 0 has another value when asked for again", error);
  CHECK_THROWS_AS(check_initialiser(normal{.stddev = -1}), error);
}
