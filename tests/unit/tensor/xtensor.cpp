#include <formwork/tensor/xtensor.hpp>

#include <formwork/kernels/cpu/evaluate.hpp>

#if __has_include(<xtensor/core/xmath.hpp>)
#include <xtensor/core/xmath.hpp>
#include <xtensor/reducers/xreducer.hpp>
#else
#include <xtensor/xmath.hpp>
#endif

#include <doctest/doctest.h>

using namespace formwork;

namespace {

template <class T>
void number(T& t) {
  for (index_t i = 0; i < t.size(); ++i) t.data()[i] = 0.25f * float(i % 13) - 1.5f;
}

template <class A, class B>
bool near(const A& a, const B& b) {
  return a.dimension() == b.dimension() && xt::amax(xt::abs(a - b))() < 2e-6f;
}

}  // namespace

TEST_CASE("xtensor: .xt() reads and writes a tensor's own memory") {
  tensor<float, dynamic, 3> t(4);
  number(t);
  auto x = t.xt();
  CHECK(x.shape(0) == 4);
  CHECK(x.shape(1) == 3);
  CHECK(x(2, 1) == t(2, 1));
  x(2, 1) = 42;
  CHECK(t(2, 1) == 42.0f);
  x += 1.0f;
  CHECK(t(0, 0) == -0.5f);
  const auto& constant = t;
  CHECK(constant.xt()(2, 1) == 43.0f);
  static_assert(std::is_const_v<std::remove_reference_t<decltype(constant.xt()(0, 0))>>);
}

TEST_CASE("xtensor: dense views are adapted, rows apart are refused instead of written between") {
  tensor<float, dynamic, 5> t(4);
  number(t);
  auto x = as_xtensor(t.view().rows(1, 2));
  CHECK(x.shape(0) == 2);
  CHECK(x(1, 4) == t(2, 4));
  x(0, 0) = 9;
  CHECK(t(1, 0) == 9.0f);
  CHECK_THROWS_WITH_AS(as_xtensor(t.view().columns(1, 2)),
                       "as_xtensor: the view's rows are apart, expected a dense view", error);
}

TEST_CASE("xtensor: containers are operands of our expressions, without a copy") {
  xt::xtensor<float, 2> x({3, 4}, 2.0f);
  xt::xarray<float> array({3, 4}, 3.0f);
  CHECK(view_of(x).data() == x.data());
  matrix<float> y(3, 4);
  y = view_of(x) * view_of<2>(array) + 1;
  CHECK(y(2, 3) == 7.0f);
  evaluate(view_of(x), y - 1);
  CHECK(x(2, 3) == 6.0f);
  CHECK_THROWS_WITH_AS(view_of<3>(array), "view_of: the xarray has 2 axes, expected 3", error);
}

TEST_CASE("xtensor: our expressions agree with xtensor's") {
  tensor<float, dynamic, 37> a(6), b(6), y(6);
  tensor<float, 37> row;
  number(a), number(row);
  b = a * a + 0.5f;
  const auto xa = a.xt(), xb = b.xt();
  const auto xrow = row.xt();
  y = a * b + exp(a) - row;
  CHECK(near(y.xt(), xt::eval(xa * xb + xt::exp(xa) - xrow)));
  y = tanh(a) / sqrt(b) + max(a, 0.25f);
  CHECK(near(y.xt(), xt::eval(xt::tanh(xa) / xt::sqrt(xb) + xt::maximum(xa, 0.25f))));
  const xt::xtensor<float, 2> largest = xt::amax(xa, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
  const xt::xtensor<float, 2> powers = xt::exp(xa - largest);
  const xt::xtensor<float, 2> total =
      xt::sum(powers, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
  y = exp(a - row_max(a)) / row_sum(exp(a - row_max(a)));
  CHECK(near(y.xt(), xt::eval(powers / total)));
}
