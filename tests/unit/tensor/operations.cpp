#include <formwork/tensor/operations.hpp>

#include <formwork/kernels/cpu/evaluate.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace formwork;

namespace {

// A container of a user with the two views is an operand too.
struct foreign {
  float numbers[6] = {1, 2, 3, 4, 5, 6};
  tensor_view<float, extents<2, 3>> view() & { return {numbers, {}}; }
  tensor_view<const float, extents<2, 3>> view() const& { return {numbers, {}}; }
};

struct cube {
  template <class V>
  V operator()(V x) const {
    return x * x * x;
  }
};

}  // namespace

TEST_CASE("operations: every operator and function agrees with a plain loop") {
  tensor<double, 5, 7> a, b, y;
  for (index_t i = 0; i < 35; ++i) {
    a.data()[i] = 0.1 * double(i) + 0.05;
    b.data()[i] = 1.5 - 0.07 * double(i);
  }
  const auto check = [&](const auto& e, auto f) {
    y = e;
    for (index_t i = 0; i < 35; ++i)
      CHECK(y.data()[i] == doctest::Approx(f(a.data()[i], b.data()[i])).epsilon(1e-13));
  };
  check(a + b, [](double p, double q) { return p + q; });
  check(a - b, [](double p, double q) { return p - q; });
  check(a * b, [](double p, double q) { return p * q; });
  check(a / b, [](double p, double q) { return p / q; });
  check(-a, [](double p, double) { return -p; });
  check(max(a, b), [](double p, double q) { return p > q ? p : q; });
  check(min(a, b), [](double p, double q) { return p < q ? p : q; });
  check(exp(a), [](double p, double) { return std::exp(p); });
  check(log(a), [](double p, double) { return std::log(p); });
  check(tanh(a), [](double p, double) { return std::tanh(p); });
  check(erf(a), [](double p, double) { return std::erf(p); });
  check(sqrt(a), [](double p, double) { return std::sqrt(p); });
  check(abs(b), [](double, double q) { return std::abs(q); });
  check(sigmoid(b), [](double, double q) { return 1 / (1 + std::exp(-q)); });
  check(map(cube{}, a), [](double p, double) { return p * p * p; });
  check(slope(cube{}, a), [](double p, double) { return 3 * p * p; });
}

TEST_CASE("operations: numbers on either side take the tensor's element type") {
  tensor<float, 3> a, y;
  a.fill(3);
  y = 2 * a - 1.5 + max(a, 10) / 4 - min(1, a);
  CHECK(y(2) == 6.0f);
  static_assert(std::is_same_v<decltype(2.0 * a)::value_type, float>);
}

TEST_CASE("operations: a user's container and both kinds of views are operands") {
  foreign f;
  const foreign& c = f;
  tensor<float, 2, 3> y;
  y = f + c.view() * 2 + f.view();
  CHECK(y(1, 2) == 24.0f);
  static_assert(std::is_same_v<decltype(f + f), decltype(c + c)>);  // one type, constant or not: less code
}

TEST_CASE("operations: an expression may outlive everything but the tensors") {
  tensor<float, 2, 3> a, y;
  a.fill(2);
  const auto e = [&] {
    const auto half = a * 0.5f;
    const auto view = a.view();
    return half + view;
  }();
  a.fill(4);
  y = e;
  CHECK(y(1, 1) == 6.0f);
}

TEST_CASE("operations: run-time sizes that do not broadcast are an error where the expression is written") {
  tensor<float, dynamic, 3> a(2), b(4);
  CHECK_THROWS_WITH_AS(
      a + b, "tensor expression: the operands' extents [2, 3] and [4, 3] cannot be broadcast together",
      error);
}
