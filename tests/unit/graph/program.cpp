#include <formwork/graph/program.hpp>

#include <doctest/doctest.h>

#include <formwork/model/config.hpp>

#include "../../support/gradient.hpp"
#include "../../support/random.hpp"

using namespace formwork;

namespace {

struct product {
  static constexpr expr y(expr x) { return ops::linear(x, 3, "f", role::up); }
};
using compiled = program<formwork_test::equation_layer<product, 5>, dialect, double, cpu_backend>;

}  // namespace

TEST_CASE("program: forward and backward of a layer of one op are plain loops") {
  constexpr index_t N = 4, K = 5, D = 3;
  cpu_backend backend(1);
  const index_t start[] = {0, 3, 4}, offset[graph::max_parameters] = {0, D * K},
                rows[graph::max_parameters] = {D, D};
  auto w = formwork_test::normal_numbers<double>(D * K + D, 1),
       x = formwork_test::normal_numbers<double>(N * K, 2);
  const auto dy = formwork_test::normal_numbers<double>(N * D, 3);
  storage<double> dw(w.size()), kept(compiled::values.kept.at(N, 0)), scratch(compiled::scratch.at(N, 0)),
      stream(N * K);
  pass_state<double> pass;
  pass.rows[0] = {start, 2};
  layer_memory<double> memory{.source_rows = N, .kept = kept.data(), .scratch = scratch.data()},
      gradients = memory;
  memory.stream[0] = x.data();
  gradients.stream[0] = stream.data();
  const layer_parameters<double> parameters{w.data(), dw.data(), offset, rows};

  compiled::forward(backend, pass, memory, parameters);
  const double* y = compiled::output(0, memory);
  CHECK(compiled::value(1, pass, memory).data == y);
  for (index_t r = 0; r < N; ++r)
    for (index_t c = 0; c < D; ++c) {
      double sum = w[D * K + c];
      for (index_t k = 0; k < K; ++k) sum += x[r * K + k] * w[c * K + k];
      CHECK(y[r * D + c] == doctest::Approx(sum).epsilon(1e-13));
    }

  std::copy_n(dy.data(), N * D, stream.data());  // the output's gradient goes in, the input's comes out
  for (int pass_number = 1; pass_number <= 2; ++pass_number) {
    compiled::backward(backend, pass, memory, gradients, parameters);
    for (index_t r = 0; r < N; ++r)
      for (index_t k = 0; k < K; ++k) {
        double sum = 0;
        for (index_t c = 0; c < D; ++c) sum += dy[r * D + c] * w[c * K + k];
        CHECK(stream[r * K + k] == doctest::Approx(sum).epsilon(1e-13));
      }
    for (index_t c = 0; c < D; ++c)
      for (index_t k = 0; k <= K; ++k) {  // column K: the bias
        double sum = 0;
        for (index_t r = 0; r < N; ++r) sum += dy[r * D + c] * (k < K ? x[r * K + k] : 1);
        CHECK(dw[k < K ? c * K + k : D * K + c] == doctest::Approx(pass_number * sum).epsilon(1e-13));
      }
    std::copy_n(dy.data(), N * D, stream.data());  // gradients of parameters add up
  }
}
