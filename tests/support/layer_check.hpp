#pragma once
#include <doctest/doctest.h>

#include <formwork/model/layer_run.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "random_fill.hpp"

namespace formwork_test {

/// Result, gradients of the inputs and of the parameters of a layer with random numbers everywhere, one
/// behind the other.
template <class Layer, class Dialect, class T>
std::vector<T> everything(const std::vector<formwork::index_t>& lengths, int threads) {
  formwork::layer_run<Layer, Dialect, T> run(lengths, lengths, 7, threads);
  fill_normal(run.parameters());
  for (int s = 0; s < run.table.input_count; ++s) fill_normal(run.input(s), 10 + std::uint64_t(s));
  if (run.table.memory >= 0) fill_normal(run.memory(), 3);
  std::vector<T> all;
  const auto keep = [&all](formwork::matrix_view<T> x) {
    for (formwork::index_t r = 0; r < x.rows; ++r) all.insert(all.end(), x.row(r), x.row(r) + x.width);
  };
  run.forward();
  for (int s = 0; s < run.table.output_count; ++s) keep(run.output(s));
  for (int s = 0; s < run.table.output_count; ++s) fill_normal(run.gradient(s), 20 + std::uint64_t(s));
  run.backward();
  for (int s = 0; s < run.table.input_count; ++s) keep(run.gradient(s));
  keep({run.parameters().gradients(), 1, run.parameters().size()});
  return all;
}

/// A layer has the same bits for 1, 2 and 3 threads, and single precision lies within `tolerance` of double
/// precision: relative to the number itself or, for small numbers, to 1.
template <class Layer, class Dialect = formwork::dialect>
void runs_alike(double tolerance = 2e-5, const std::vector<formwork::index_t>& lengths = {1, 37, 0, 64, 29}) {
  const std::vector<float> single = everything<Layer, Dialect, float>(lengths, 1);
  for (const int threads : {2, 3}) {
    CAPTURE(threads);
    CHECK(everything<Layer, Dialect, float>(lengths, threads) == single);
  }
  const std::vector<double> exact = everything<Layer, Dialect, double>(lengths, 2);
  REQUIRE(exact.size() == single.size());
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = std::fabs(double(single[i]) - exact[i]) / std::max(1.0, std::fabs(exact[i]));
    worst = error <= worst ? worst : error;
  }
  CHECK(worst < tolerance);
  CHECK(worst > 0);
}

}  // namespace formwork_test
