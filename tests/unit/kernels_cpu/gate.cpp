#include <formwork/kernels/cpu/gate.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/activation/activation.hpp>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

using namespace formwork;
using formwork_test::normal_numbers;

TEST_CASE_TEMPLATE("gate: equal to plain loops at any width, with strides, written and added", T, float,
                   double) {
  cpu_backend backend(2);
  const double tolerance = std::is_same_v<T, float> ? 2e-6 : 1e-13;
  for (const index_t width : {1, 3, 16, 31, 33, 64, 257}) {
    CAPTURE(width);
    const index_t rows = 150;  // more than one task
    const auto ab = normal_numbers<T>(rows * 2 * width, 1), dy = normal_numbers<T>(rows * width, 2);
    storage<T> y(rows * (width + 1)), gradients(rows * 2 * width);
    for (T& v : y) v = T(77);
    const matrix_view<const T> a{ab.data(), rows, width, 2 * width},
        b{ab.data() + width, rows, width, 2 * width};
    const matrix_view<T> da{gradients.data(), rows, width, 2 * width},
        db{gradients.data() + width, rows, width, 2 * width};
    cpu::gate_forward<T>(backend, silu{}, a, b, {y.data(), rows, width, width + 1});
    for (const bool add : {false, true})
      cpu::gate_backward<T>(backend, silu{}, {dy.data(), rows, width}, a, b, da, add, db, add);
    for (index_t r = 0; r < rows; ++r) {
      for (index_t c = 0; c < width; ++c) {
        const double u = double(a.row(r)[c]), v = double(b.row(r)[c]), d = double(dy[r * width + c]),
                     s = 1 / (1 + std::exp(-u));
        REQUIRE(std::fabs(double(y[r * (width + 1) + c]) - u * s * v) < tolerance);
        REQUIRE(std::fabs(double(da.row(r)[c]) - 2 * d * v * s * (1 + u * (1 - s))) < 10 * tolerance);
        REQUIRE(std::fabs(double(db.row(r)[c]) - 2 * d * u * s) < 10 * tolerance);
      }
      REQUIRE(y[r * (width + 1) + width] == T(77));
    }
  }
}

TEST_CASE("gate: dropout of the result, in both directions, as a dropout behind it") {
  cpu_backend backend(1);
  const index_t rows = 5, width = 37;
  const dropout_site site{.rate = 0.4, .seed = 3, .step = 2, .site = 9};
  const auto a = normal_numbers<double>(rows * width, 1), b = normal_numbers<double>(rows * width, 2),
             dy = normal_numbers<double>(rows * width, 3);
  storage<double> plain(a.size()), expected(a.size()), y(a.size()), masked(a.size()), da(a.size()),
      db(a.size()), expected_da(a.size()), expected_db(a.size());
  const auto view = [](auto& s) { return matrix_view(s.data(), rows, width); };
  cpu::gate_forward<double>(backend, gelu{}, view(a), view(b), view(plain));
  cpu::dropout<double>(backend, view(plain), view(expected), site);
  cpu::gate_forward<double>(backend, gelu{}, view(a), view(b), view(y), site);
  CHECK(formwork_test::same_bits(y, expected));
  cpu::dropout<double>(backend, view(dy), view(masked), site);
  cpu::gate_backward<double>(backend, gelu{}, view(masked), view(a), view(b), view(expected_da), false,
                             view(expected_db), false);
  cpu::gate_backward<double>(backend, gelu{}, view(dy), view(a), view(b), view(da), false, view(db), false,
                             site);
  CHECK(formwork_test::same_bits(da, expected_da));
  CHECK(formwork_test::same_bits(db, expected_db));
}

TEST_CASE("gate: shapes that do not fit are refused") {
  cpu_backend backend(1);
  double x[12]{};
  CHECK_THROWS_WITH_AS(cpu::gate_forward<double>(backend, relu{}, {x, 2, 6}, {x, 2, 5}, {x, 2, 6}),
                       "gate: operands [2, 6] and [2, 5], result [2, 6]; expected equal shapes", error);
}
