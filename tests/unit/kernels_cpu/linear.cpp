#include <formwork/kernels/cpu/linear.hpp>

#include <doctest/doctest.h>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

#include <array>

using namespace formwork;
using formwork_test::normal_numbers;

namespace {

enum class function { none, relu, cube };

template <class T>
void relu(T* y, const T* x, index_t n) {
  for (index_t i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] : 0;
}
template <class T>
void relu_slope(T* dx, const T* dy, const T* y, index_t n) {
  for (index_t i = 0; i < n; ++i) dx[i] = y[i] > 0 ? dy[i] : 0;
}
template <class T>
void cube(T* y, const T* x, index_t n) {
  for (index_t i = 0; i < n; ++i) y[i] = x[i] * x[i] * x[i];
}
template <class T>
void cube_slope(T* dx, const T* dy, const T* x, index_t n) {
  for (index_t i = 0; i < n; ++i) dx[i] = 3 * x[i] * x[i] * dy[i];
}

/// One combination of what a product may end in, with random numbers.
template <class T>
struct epilogue_case {
  index_t N, K, D;
  storage<T> x = normal_numbers<T>(N * K, 1, 0.5), w = normal_numbers<T>(D * K, 2, 0.5),
             b = normal_numbers<T>(D, 3), residual = normal_numbers<T>(N * D, 4), y{}, argument{};
  cpu_backend backend{2};
  cpu::linear_arguments<T> a{};

  epilogue_case(bool bias, function f, bool drop, bool add, index_t rows = 7, index_t in = 11,
                index_t out = 13)
      : N(rows), K(in), D(out) {
    y.resize(N * D), argument.resize(N * D);
    a.x = {x.data(), N, K}, a.y = {y.data(), N, D};
    a.weight = w.data();
    if (bias) a.bias = b.data();
    if (add) a.residual = {residual.data(), N, D};
    if (drop) a.dropout = {.rate = 0.5, .seed = 9, .step = 3, .site = 4};
    if (f == function::relu) a.apply = relu<T>, a.scale_by_slope = relu_slope<T>, a.gates = true;
    if (f == function::cube)
      a.apply = cube<T>, a.scale_by_slope = cube_slope<T>, a.argument = {argument.data(), N, D};
  }
  double product(index_t r, index_t c) const {
    double z = a.bias ? double(b[c]) : 0;
    for (index_t k = 0; k < K; ++k) z += double(x[r * K + k]) * double(w[c * K + k]);
    return z;
  }
  double expected(index_t r, index_t c) const {
    double z = product(r, c);
    if (a.apply) z = a.gates ? std::max(z, 0.0) : z * z * z;
    if (!a.dropout.off()) {
      const philox_block bits =
          philox({std::uint32_t(c / 8), std::uint32_t(r), a.dropout.site, a.dropout.step}, 9);
      z = (bits[std::size_t(c % 8 / 2)] >> (c % 2 * 16) & 0xFFFF) >= 32768 ? 2 * z : 0;
    }
    return z + (a.residual.data ? double(residual[r * D + c]) : 0);
  }
};

template <class F>
void each_combination(F f) {
  for (const bool bias : {false, true})
    for (const function fn : {function::none, function::relu, function::cube})
      for (const bool drop : {false, true})
        for (const bool add : {false, true}) f(bias, fn, drop, add);
}

}  // namespace

TEST_CASE_TEMPLATE("linear: every combination of bias, function, dropout and residual, by plain loops", T,
                   float, double) {
  each_combination([](bool bias, function f, bool drop, bool add) {
    for (const auto& [rows, in, out] : {std::array<index_t, 3>{7, 11, 13}, {1, 1, 1}, {70, 3, 1100}}) {
      epilogue_case<T> e(bias, f, drop, add, rows, in, out);
      cpu::linear_forward(e.backend, e.a);
      double worst = 0;
      for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < out; ++c) {
          const double y = e.expected(r, c), z = e.product(r, c);
          worst = std::max(worst, std::fabs(double(e.y[r * out + c]) - y) / (1 + std::fabs(y)));
          if (e.a.argument.data)
            worst = std::max(worst, std::fabs(double(e.argument[r * out + c]) - z) / (1 + std::fabs(z)));
        }
      CHECK(worst < (sizeof(T) == 4 ? 1e-5 : 2e-14));
    }
  });
}

TEST_CASE("linear: gradients of every combination") {
  each_combination([](bool bias, function f, bool drop, bool add) {
    if (f == function::relu) return;  // a difference may meet the kink; see the next test
    epilogue_case<double> e(bias, f, drop, add);
    const index_t N = e.N, K = e.K, D = e.D;
    storage<double> dy = normal_numbers<double>(N * D, 5), dx(N * K), dw(D * K), db(D);
    const auto loss = [&] {
      cpu::linear_forward(e.backend, e.a);
      double sum = 0;
      for (index_t i = 0; i < N * D; ++i) sum += dy[i] * e.y[i];
      return sum;
    };
    loss();
    cpu::linear_backward<double>(e.backend, e.a, {dy.data(), N, D}, {dx.data(), N, K}, false, dw.data(),
                                 db.data());
    CHECK(formwork_test::is_gradient(loss, e.x, dx));
    CHECK(formwork_test::is_gradient(loss, e.w, dw));
    if (bias) CHECK(formwork_test::is_gradient(loss, e.b, db));
  });
}

TEST_CASE("linear: with a gate the slope comes from the result, and backward adds where it is to add") {
  for (const bool drop : {false, true}) {
    epilogue_case<double> e(true, function::relu, drop, false);
    const index_t N = e.N, K = e.K, D = e.D;
    cpu::linear_forward(e.backend, e.a);
    storage<double> dy = normal_numbers<double>(N * D, 5), dx(N * K), dw(D * K), db(D);
    for (const bool add : {false, true})
      cpu::linear_backward<double>(e.backend, e.a, {dy.data(), N, D}, {dx.data(), N, K}, add, dw.data(),
                                   db.data());
    const auto dz = [&](index_t r, index_t c) {
      return e.y[r * D + c] > 0 ? dy[r * D + c] * e.a.dropout.scale() : 0;
    };
    for (index_t c = 0; c < D; ++c) {
      double bias = 0, weight = 0;
      for (index_t r = 0; r < N; ++r) bias += dz(r, c), weight += dz(r, c) * e.x[r * K + 3];
      CHECK(db[c] == doctest::Approx(2 * bias).epsilon(1e-12));
      CHECK(dw[c * K + 3] == doctest::Approx(2 * weight).epsilon(1e-12));
    }
    for (index_t r = 0; r < N; ++r) {
      double sum = 0;
      for (index_t c = 0; c < D; ++c) sum += dz(r, c) * e.w[c * K + 3];
      CHECK(dx[r * K + 3] == doctest::Approx(2 * sum).epsilon(1e-12));
    }
  }
}
