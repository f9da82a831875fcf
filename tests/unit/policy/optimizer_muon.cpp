#include <formwork/policy/optimizer/muon.hpp>
//
#include <formwork/policy/optimizer/check.hpp>

#include "../../support/optimizer_golden.hpp"
#include "../../support/wrong_numbers.hpp"

using namespace formwork;
using formwork_test::check_number;
using formwork_test::check_run;

namespace {

using numbers = std::vector<double>;

numbers product(const numbers& a, const numbers& b, index_t m, index_t k, index_t n) {
  numbers c(std::size_t(m * n));
  for (index_t i = 0; i < m; ++i)
    for (index_t j = 0; j < n; ++j)
      for (index_t l = 0; l < k; ++l)
        c[std::size_t(i * n + j)] += a[std::size_t(i * k + l)] * b[std::size_t(l * n + j)];
  return c;
}

/// [n, n] with orthonormal rows: random ones after Gram and Schmidt, twice.
numbers orthonormal(index_t n, std::uint64_t seed) {
  const random_stream random{.seed = seed};
  numbers q(std::size_t(n * n));
  for (index_t i = 0; i < n * n; ++i) q[std::size_t(i)] = random.normal(std::uint64_t(i));
  for (index_t r = 0; r < n; ++r) {
    double* const row = &q[std::size_t(r * n)];
    for (int twice = 0; twice < 2; ++twice)
      for (index_t o = 0; o < r; ++o) {
        const double* const other = &q[std::size_t(o * n)];
        double dot = 0;
        for (index_t c = 0; c < n; ++c) dot += row[c] * other[c];
        for (index_t c = 0; c < n; ++c) row[c] -= dot * other[c];
      }
    double length = 0;
    for (index_t c = 0; c < n; ++c) length += row[c] * row[c];
    for (index_t c = 0; c < n; ++c) row[c] /= std::sqrt(length);
  }
  return q;
}

numbers transposed(const numbers& a, index_t rows, index_t columns) {
  numbers out(a.size());
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < columns; ++c) out[std::size_t(c * rows + r)] = a[std::size_t(r * columns + c)];
  return out;
}

/// What becomes of the singular values: U^T f(U S V) V^T, which must stay diagonal.
numbers iterated(const numbers& values, index_t rows, index_t columns) {
  const numbers u = orthonormal(rows, 1), v = orthonormal(columns, 2);
  numbers s(std::size_t(rows * columns));
  for (std::size_t i = 0; i < values.size(); ++i) s[i * std::size_t(columns) + i] = values[i];
  numbers x = product(product(u, s, rows, rows, columns), v, rows, columns, columns);
  numbers scratch(std::size_t(newton_schulz_scratch(rows, columns)));
  cpu_backend backend(1);
  newton_schulz<double>(backend, {x.data(), rows, columns}, 5, {}, scratch.data());
  const numbers back = product(product(transposed(u, rows, rows), x, rows, rows, columns),
                               transposed(v, columns, columns), rows, columns, columns);
  numbers out;
  for (index_t r = 0; r < rows; ++r)
    for (index_t c = 0; c < columns; ++c) {
      const double entry = back[std::size_t(r * columns + c)];
      if (r == c)
        out.push_back(entry);
      else
        CHECK(std::abs(entry) < 1e-12);
    }
  return out;
}

}  // namespace

TEST_CASE("muon: five steps bring singular values from 0.003 on between 0.68 and 1.21, vectors stay") {
  numbers values;
  for (int i = 0; i < 24; ++i) values.push_back(0.003 * std::pow(1 / 0.003, i / 23.0));
  for (const auto& [rows, columns] : {std::pair<index_t, index_t>{24, 24}, {24, 31}, {37, 24}}) {
    for (const double value : iterated(values, rows, columns)) {
      CHECK(value >= 0.68);
      CHECK(value <= 1.21);
    }
  }
  CHECK(iterated({0.001, 0.5}, 2, 2)[0] == doctest::Approx(0.47).epsilon(0.01));
}

TEST_CASE("muon: a step is orthogonal to its precision: every direction moves by the rate") {
  const index_t rows = 40, columns = 16;
  numbers w(std::size_t(rows * columns)), g(w.size());
  const random_stream random{.seed = 3};
  for (std::size_t i = 0; i < g.size(); ++i) g[i] = random.normal(i);
  cpu_backend backend(1);
  optimizer_state<double, muon> state(
      muon{.scale = muon_scale::by_shape},
      {{0, {.role = role::up, .rows = rows, .columns = columns}, w.data(), g.data()}});
  state.update(backend, 1, 0.1);
  for (double& x : w) x /= 0.1 * std::sqrt(40.0 / 16);
  const numbers square = product(transposed(w, rows, columns), w, columns, rows, columns);
  double trace = 0, off = 0;
  for (index_t r = 0; r < columns; ++r)
    for (index_t c = 0; c < columns; ++c) {
      const double entry = square[std::size_t(r * columns + c)];
      if (r == c) {
        trace += entry;
        CHECK(entry > 0.68 * 0.68);
        CHECK(entry < 1.21 * 1.21);
      } else {
        off = std::max(off, std::abs(entry));
      }
    }
  CHECK(trace / columns == doctest::Approx(0.9).epsilon(0.2));
  CHECK(off < 0.3);  // of the raw gradient: up to 0.5
}

TEST_CASE("muon: 100 updates equal ones with 50 digits") {
  check_run("muon", muon{.weight_decay = 0.5}, 0.02);
  check_run("muon by shape", muon{.nesterov = false, .scale = muon_scale::by_shape, .rest_rate = 0.25}, 0.02);
}

TEST_CASE("muon: the public check accepts it") {
  CHECK_NOTHROW(check_optimizer(muon{}));
  CHECK_NOTHROW(check_optimizer(muon{.nesterov = false, .scale = muon_scale::by_shape}));
  CHECK(optimizer_name<muon>() == "muon, adamw");
}

TEST_CASE("muon: bad numbers are refused with a sentence") {
  check_number(muon{}, &muon::momentum, {0, 0.99}, {-0.1, 1});
  check_number(muon{}, &muon::weight_decay, {0, 10}, {-1});
  check_number(muon{}, &muon::steps, {1, 10}, {0, -1});
  check_number(muon{}, &muon::rest_rate, {0.01, 10}, {0, -1});
}
