#include <formwork/model/loss.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "../../support/random.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::normal_numbers;

namespace {

constexpr index_t N = 5, D = 3, V = 7;
constexpr token_t targets[N] = {0, 6, 3, 3, 1};

}  // namespace

TEST_CASE("loss: both conventions of smoothing and the log-probabilities, by plain loops") {
  cpu_backend backend(1);
  storage<double> x = normal_numbers<double>(N * D, 1), w = normal_numbers<double>(V * D, 2),
                  b = normal_numbers<double>(V, 3), out(N * V), dx(N * D), dw(V * D), db(V);
  const matrix_view<double> rows(x.data(), N, D);
  for (const bool bias : {false, true}) {
    const projection_head<double> head{
        {w.data(), V, D}, bias ? b.data() : nullptr, {dw.data(), V, D}, bias ? db.data() : nullptr};
    output_log_probabilities<double>(backend, rows, head, {out.data(), N, V});
    double nll = 0, over_all = 0, over_others = 0;
    for (index_t r = 0; r < N; ++r) {
      double logits[V], sum = 0, all = 0;
      for (index_t v = 0; v < V; ++v) {
        logits[v] = bias ? b[v] : 0;
        for (index_t k = 0; k < D; ++k) logits[v] += x[r * D + k] * w[v * D + k];
        sum += std::exp(logits[v]);
      }
      for (index_t v = 0; v < V; ++v) {
        CHECK(out[r * V + v] == doctest::Approx(logits[v] - std::log(sum)).epsilon(1e-12));
        all -= logits[v] - std::log(sum);
      }
      const double own = std::log(sum) - logits[targets[r]];
      nll += own;
      over_all += 0.8 * own + 0.2 / V * all;
      over_others += 0.8 * own + 0.2 / (V - 1) * (all - own);
    }
    for (const auto& [convention, expected] :
         {std::pair{smoothing::over_vocabulary, over_all}, {smoothing::over_others, over_others}}) {
      const smoothed_cross_entropy loss{.epsilon = 0.2, .convention = convention};
      const loss_sums value = loss.value(backend, rows, head, targets),
                      same = loss.gradient(backend, rows, head, targets, {dx.data(), N, D});
      CHECK(value.loss == doctest::Approx(expected).epsilon(1e-12));
      CHECK(value.nll == doctest::Approx(nll).epsilon(1e-12));
      CHECK(
          (value.tokens == N && same.tokens == N && same.loss == doctest::Approx(value.loss).epsilon(1e-14)));
    }
  }
}

TEST_CASE("loss: sums of batches add up, and an epsilon outside of [0, 1) is refused") {
  loss_sums sums{.loss = 1, .nll = 2, .tokens = 3};
  sums += {.loss = 10, .nll = 20, .tokens = 30};
  CHECK((sums.loss == 11 && sums.nll == 22 && sums.tokens == 33));
  formwork_test::check_number(smoothed_cross_entropy{}, &smoothed_cross_entropy::epsilon, {0, 0.999},
                              {-0.1, 1});
}

TEST_CASE("loss: log-probabilities of other shapes than the head's are refused") {
  cpu_backend backend(1);
  storage<double> x(N * (D + 1)), w(V * D), out((N + 1) * (V + 1));
  const projection_head<double> head{.weight = {w.data(), V, D}};
  const auto project = [&](index_t width, index_t out_rows, index_t out_width) {
    output_log_probabilities<double>(backend, {x.data(), N, width}, head, {out.data(), out_rows, out_width});
  };
  CHECK_NOTHROW(project(D, N, V));
  CHECK_THROWS_WITH_AS(project(D, N + 1, V),
                       "log-probabilities: x is [5, 3], the output weight [7, 3], the result [6, 7]", error);
  CHECK_THROWS_AS(project(D, N, V + 1), error);
  CHECK_THROWS_AS(project(D + 1, N, V), error);
}
