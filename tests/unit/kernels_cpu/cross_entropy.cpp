#include <formwork/kernels/cpu/cross_entropy.hpp>

#include <doctest/doctest.h>

#include "../../support/difference.hpp"
#include "../../support/random.hpp"

#include <cmath>
#include <vector>

using namespace formwork;
using namespace formwork_test;

namespace {

template <class T>
struct problem {
  index_t rows, width, vocabulary;
  storage<T> x, weight, bias, dx, dweight, dbias;
  std::vector<token_t> targets;
  double epsilon = 0;
  smoothing convention = smoothing::over_vocabulary;
  bool with_bias = true, add_dx = false;

  problem(index_t rows, index_t width, index_t vocabulary)
      : rows(rows),
        width(width),
        vocabulary(vocabulary),
        x(normal_numbers<T>(rows * width, 1)),
        weight(normal_numbers<T>(vocabulary * width, 2, 1 / std::sqrt(double(width)))),
        bias(normal_numbers<T>(vocabulary, 3)),
        dx(rows * width),
        dweight(vocabulary * width),
        dbias(vocabulary) {
    const random_stream random{3, 3};
    for (index_t i = 0; i < rows; ++i)
      targets.push_back(token_t(random.below(std::uint64_t(i), std::uint64_t(vocabulary))));
  }

  cpu::cross_entropy_arguments<T> arguments() const {
    return {{x.data(), rows, width},
            {weight.data(), vocabulary, width},
            with_bias ? bias.data() : nullptr,
            targets.data(),
            epsilon,
            convention};
  }
  cross_entropy_sums gradient(cpu_backend& backend) {
    return cpu::cross_entropy_gradient<T>(backend, arguments(),
                                          {{dx.data(), rows, width},
                                           add_dx,
                                           {dweight.data(), vocabulary, width},
                                           with_bias ? dbias.data() : nullptr});
  }
  cross_entropy_sums value(cpu_backend& backend) const {
    return cpu::cross_entropy_value<T>(backend, arguments());
  }

  /// The definition of the chosen convention, written out, in double.
  cross_entropy_sums expected() const {
    cross_entropy_sums sums{0, 0, rows};
    for (index_t i = 0; i < rows; ++i) {
      std::vector<double> z;
      double largest = -1e300, sum = 0, all = 0;
      for (index_t v = 0; v < vocabulary; ++v) {
        z.push_back(with_bias ? double(bias[v]) : 0);
        for (index_t c = 0; c < width; ++c)
          z.back() += double(x[i * width + c]) * double(weight[v * width + c]);
        largest = std::max(largest, z.back());
      }
      for (const double v : z) sum += std::exp(v - largest);
      for (const double v : z) all += largest + std::log(sum) - v;
      const double nll = largest + std::log(sum) - z[std::size_t(targets[std::size_t(i)])];
      const double share = convention == smoothing::over_vocabulary ? all / double(vocabulary)
                                                                    : (all - nll) / double(vocabulary - 1);
      sums.nll += nll;
      sums.loss += epsilon == 0 ? nll : (1 - epsilon) * nll + epsilon * share;
    }
    return sums;
  }
};

}  // namespace

TEST_CASE_TEMPLATE("cross_entropy: both smoothing conventions equal their definition", T, float, double) {
  cpu_backend backend(2);
  for (const auto& [rows, width, vocabulary] :
       {std::array<index_t, 3>{1, 1, 1}, {3, 7, 2}, {40, 33, 31}, {19, 16, 2500}})
    for (const double epsilon : {0.0, 0.1})
      for (const auto convention : {smoothing::over_vocabulary, smoothing::over_others})
        for (const bool with_bias : {false, true}) {
          if (vocabulary == 1 && epsilon > 0) continue;  // no others to give to
          problem<T> p(rows, width, vocabulary);
          p.epsilon = epsilon, p.convention = convention, p.with_bias = with_bias;
          const cross_entropy_sums expected = p.expected(), value = p.value(backend),
                                   both = p.gradient(backend);
          const double tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-14;
          CHECK(value.loss == doctest::Approx(expected.loss).epsilon(tolerance));
          CHECK(value.nll == doctest::Approx(expected.nll).epsilon(tolerance));
          CHECK(value.count == rows);
          CHECK(both.loss == value.loss);
          CHECK(both.nll == value.nll);
        }
}

TEST_CASE("cross_entropy: gradients shrink their error with the square of the step") {
  cpu_backend backend(2);
  for (const auto convention : {smoothing::over_vocabulary, smoothing::over_others})
    for (const bool with_bias : {false, true}) {
      problem<double> p(5, 3, 17);
      p.epsilon = 0.1, p.convention = convention, p.with_bias = with_bias;
      p.gradient(backend);
      const auto loss = [&] { return p.value(backend).loss; };
      CHECK(is_gradient(loss, p.x, p.dx));
      CHECK(is_gradient(loss, p.weight, p.dweight));
      if (with_bias) CHECK(is_gradient(loss, p.bias, p.dbias));
    }
}

TEST_CASE("cross_entropy: gradients add where they should") {
  cpu_backend backend(1);
  problem<double> p(5, 3, 17), twice(5, 3, 17);
  p.gradient(backend);
  twice.add_dx = true;
  twice.gradient(backend);
  twice.gradient(backend);
  for (index_t i = 0; i < p.dx.size(); ++i) CHECK(twice.dx[i] == doctest::Approx(2 * p.dx[i]).epsilon(1e-14));
  for (index_t i = 0; i < p.dweight.size(); ++i)
    CHECK(twice.dweight[i] == doctest::Approx(2 * p.dweight[i]).epsilon(1e-13));
  twice.add_dx = false;
  twice.gradient(backend);
  CHECK(same_bits(twice.dx, p.dx));
}

TEST_CASE("cross_entropy: several chunks of logits, the same bits for any number of threads") {
  // 16 rows of this vocabulary fill more than one chunk: three chunks.
  const index_t vocabulary = cpu::detail::logits_bytes / 4 / 16 + 5;
  problem<float> first(37, 2, vocabulary);
  first.epsilon = 0.1;
  const cross_entropy_sums expected = first.expected();
  cross_entropy_sums one{};
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    problem<float> p(37, 2, vocabulary);
    p.epsilon = 0.1;
    const cross_entropy_sums sums = p.gradient(backend);
    CHECK(sums.loss == doctest::Approx(expected.loss).epsilon(1e-6));
    if (threads == 1)
      one = sums, first = std::move(p);
    else {
      CHECK(sums.loss == one.loss);
      CHECK(sums.nll == one.nll);
      CHECK(same_bits(p.dx, first.dx));
      CHECK(same_bits(p.dweight, first.dweight));
      CHECK(same_bits(p.dbias, first.dbias));
    }
  }
  double sum = 0;  // softmax and distribution both sum to one
  for (const float d : first.dbias) sum += double(d);
  CHECK(std::fabs(sum) < 1e-4);
}

TEST_CASE("cross_entropy: drawn targets follow the softmax of their row, whatever the given targets are") {
  // All rows are one row: the loss, its gradient and the counts of the drawn targets must fit the softmax.
  const index_t rows = 20000, vocabulary = 5;
  problem<double> p(rows, 3, vocabulary);
  for (index_t i = 0; i < rows * 3; ++i) p.x[i] = p.x[i % 3];
  p.bias[2] = -2000;  // an entry that has no probability at all
  const random_stream stream{.seed = 9, .stream = 4};
  cpu::cross_entropy_arguments<double> a = p.arguments();
  a.sample = &stream;
  cpu_backend one(1), three(3);
  const cross_entropy_sums sums = cpu::cross_entropy_value<double>(one, a);
  std::vector<double> share(std::size_t(vocabulary), 0.0);
  storage<double> logits(vocabulary);
  for (index_t v = 0; v < vocabulary; ++v) {
    logits[v] = p.bias[v];
    for (index_t c = 0; c < 3; ++c) logits[v] += p.x[c] * p.weight[v * 3 + c];
  }
  cpu::log_softmax_rows<double>(one, {logits.data(), 1, vocabulary}, {logits.data(), 1, vocabulary});
  double entropy = 0;
  for (index_t v = 0; v < vocabulary; ++v) {
    share[std::size_t(v)] = std::exp(logits[v]);
    if (v != 2) entropy -= share[std::size_t(v)] * logits[v];
  }
  CHECK(sums.loss == sums.nll);
  CHECK(sums.nll / double(rows) == doctest::Approx(entropy).epsilon(0.03));
  const cpu::cross_entropy_gradients<double> out{
      {p.dx.data(), rows, 3}, false, {p.dweight.data(), vocabulary, 3}, p.dbias.data()};
  CHECK(cpu::cross_entropy_gradient<double>(three, a, out).nll == sums.nll);
  // dbias = sum of (softmax - drawn): rows times the share less the count, which is nothing but noise.
  for (index_t v = 0; v < vocabulary; ++v) {
    const double q = share[std::size_t(v)], noise = std::sqrt(double(rows) * q * (1 - q));
    CHECK(std::abs(p.dbias[v]) <= 4 * noise);
  }
  CHECK(p.dbias[2] == 0);
  for (token_t& t : p.targets) t = 0;
  CHECK(cpu::cross_entropy_value<double>(one, a).nll == sums.nll);
}

TEST_CASE("cross_entropy: large logits are safe, not-a-number shows, no rows give zero") {
  cpu_backend backend(1);
  problem<float> p(4, 3, 50);
  for (float& b : p.bias) b *= 1e4f;
  p.epsilon = 0.1;
  CHECK(p.gradient(backend).loss == doctest::Approx(p.expected().loss).epsilon(1e-6));
  for (const float d : p.dx) CHECK(std::isfinite(d));
  p.x[4] = std::nanf("");
  CHECK(std::isnan(p.value(backend).loss));
  const problem<float> none(0, 3, 50);
  CHECK(none.value(backend).loss == 0);
  CHECK(none.value(backend).count == 0);
}

TEST_CASE("cross_entropy: wrong targets, smoothing and shapes are refused with a sentence") {
  cpu_backend backend(1);
  problem<float> p(4, 3, 5);
  p.targets[2] = 5;
  CHECK_THROWS_WITH_AS(p.value(backend),
                       "cross_entropy: target: id 5 at position 2, expected 0 to 4 (a vocabulary of 5)",
                       error);
  p.targets[2] = 4;
  p.epsilon = 1;
  CHECK_THROWS_WITH_AS(p.value(backend), doctest::Contains("expected a number in [0, 1)"), error);
  p.epsilon = 0;
  p.width = 2;
  auto a = p.arguments();
  a.weight.width = 3;
  CHECK_THROWS_WITH_AS(cpu::cross_entropy_value<float>(backend, a), doctest::Contains("x is [4, 2]"), error);
}

TEST_CASE_TEMPLATE("log_softmax_rows: probabilities sum to one, a row depends on itself only", T, float,
                   double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 31, 33, 2500}) {
    storage<T> z = normal_numbers<T>(6 * width, 1, 5), out(6 * width), alone(width);
    z[0] += 1000;
    cpu::log_softmax_rows<T>(backend, {z.data(), 6, width}, {out.data(), 6, width});
    for (index_t r = 0; r < 6; ++r) {
      double sum = 0;
      for (index_t c = 0; c < width; ++c) sum += std::exp(double(out[r * width + c]));
      CHECK(sum == doctest::Approx(1).epsilon(std::is_same_v<T, float> ? 2e-6 : 1e-13));
    }
    cpu::log_softmax_rows<T>(backend, {z.data() + 3 * width, 1, width}, {alone.data(), 1, width});
    CHECK(std::memcmp(alone.data(), out.data() + 3 * width, sizeof(T) * std::size_t(width)) == 0);
    cpu::log_softmax_rows<T>(backend, {z.data(), 6, width}, {z.data(), 6, width});
    CHECK(same_bits(z, out));
  }
}
