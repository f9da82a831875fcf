#include <formwork/kernels/cpu/stream_weights.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace formwork;

TEST_CASE("cpu stream_weights: every number of a row has one place") {
  for (const index_t n : {1, 2, 4}) {
    std::vector<int> seen(std::size_t(cpu::stream_weight_count(n)));
    for (index_t j = 0; j < n; ++j) {
      ++seen[std::size_t(j)];
      for (index_t from = 0; from <= n; ++from) ++seen[std::size_t(cpu::stream_weight(n, j, from))];
    }
    for (const int times : seen) CHECK(times == 1);
  }
}

TEST_CASE("cpu stream_weights: without anything said the weights are those of the constants") {
  cpu_backend backend(1);
  constexpr index_t n = 4, width = cpu::stream_weight_count(n);
  double nothing[width]{}, constant[width], scale[] = {1, 1, 1}, y[width];
  matrix_view<double> z[n];
  for (auto& row : z) row = {nothing, 1, n + 2};
  for (index_t k = 0; k < width; ++k) constant[k] = double(k % 5) / 2;
  cpu::tanh_weights<double>(backend, z, n, constant, scale, {y, 1, width});
  for (index_t k = 0; k < width; ++k) CHECK(y[k] == constant[k]);
  // Equal logarithms: the mean of all streams; far ones: the identity.
  for (auto& row : z) row = {nothing, 1, width};
  for (index_t k = 0; k < width; ++k) constant[k] = 0;
  cpu::sinkhorn_weights<double>(backend, z, n, constant, scale, {y, 1, width});
  for (index_t i = 0; i < n; ++i) {
    CHECK((y[i] == 0.5 && y[cpu::stream_weight(n, i, n)] == 1));
    for (index_t j = 0; j < n; ++j) CHECK(y[cpu::stream_weight(n, i, j)] == doctest::Approx(0.25));
    for (index_t j = 0; j < n; ++j) constant[cpu::stream_weight(n, i, j)] = i == j ? 0 : -40;
  }
  cpu::sinkhorn_weights<double>(backend, z, n, constant, scale, {y, 1, width});
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j) {
      const double weight = y[cpu::stream_weight(n, i, j)];
      CHECK(std::fabs(weight - double(i == j)) < 1e-15);
    }
}
