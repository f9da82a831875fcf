#include <formwork/kernels/cpu/symmetric_eigen.hpp>

#include <formwork/core/philox.hpp>
#include <formwork/kernels/cpu/gemm.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace formwork;

namespace {

using numbers = std::vector<double>;

/// B B^T for a random B [n, rank].
numbers of_rank(index_t n, index_t rank) {
  const random_stream random{.seed = 11, .stream = std::uint64_t(n)};
  numbers b(std::size_t(n * rank)), a(std::size_t(n * n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = random.normal(i);
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < n; ++j)
      for (index_t k = 0; k < rank; ++k)
        a[std::size_t(i * n + j)] += b[std::size_t(i * rank + k)] * b[std::size_t(j * rank + k)];
  return a;
}

struct eigen {
  numbers vectors, values;
};
eigen eigen_of(const numbers& a, index_t n, int threads = 1) {
  eigen out{numbers(a.size()), numbers(std::size_t(n))};
  numbers scratch(std::size_t(cpu::symmetric_eigen_scratch(n)));
  cpu_backend backend(threads);
  cpu::symmetric_eigen<double>(backend, {a.data(), n, n}, {out.vectors.data(), n, n}, out.values.data(),
                               scratch.data());
  return out;
}

void check(const numbers& a, index_t n) {
  CAPTURE(n);
  const eigen e = eigen_of(a, n);
  double largest = 0;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  for (index_t i = 0; i < n; ++i) {
    const double* const v = &e.vectors[std::size_t(i * n)];
    if (i) CHECK(e.values[std::size_t(i)] <= e.values[std::size_t(i - 1)]);
    for (index_t j = 0; j <= i; ++j) {
      double dot = 0;
      for (index_t k = 0; k < n; ++k) dot += v[k] * e.vectors[std::size_t(j * n + k)];
      REQUIRE(dot == doctest::Approx(i == j).epsilon(1e-12));
    }
    for (index_t r = 0; r < n; ++r) {
      double product = 0;
      for (index_t k = 0; k < n; ++k) product += a[std::size_t(r * n + k)] * v[k];
      REQUIRE(std::abs(product - e.values[std::size_t(i)] * v[r]) <= 1e-13 * double(n) * (largest + 1));
    }
  }
}

}  // namespace

TEST_CASE("symmetric_eigen: rows are orthonormal eigenvectors, values fall") {
  for (const index_t n : {1, 2, 3, 7, 64, 65, 150}) check(of_rank(n, n + 2), n);
}

TEST_CASE(
    "symmetric_eigen: matrices without full rank, with equal values, indefinite, zero and diagonal ones") {
  check(of_rank(50, 3), 50);
  check(of_rank(20, 1), 20);
  numbers equal(900), indefinite(400);
  for (int i = 0; i < 30; ++i) equal[std::size_t(31 * i)] = i < 15 ? 2 : 5;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) indefinite[std::size_t(20 * i + j)] = double((i * j * 7 + i + j) % 11) - 5;
  check(equal, 30);
  check(indefinite, 20);
  check(numbers(49), 7);
}

TEST_CASE("symmetric_eigen: rounding noise beside a few values converges too") {
  // Columns that repeat: 89 times two equal ones, in single precision.
  const index_t n = 178;
  std::vector<float> b(std::size_t(n * n)), a(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = float((i * 31) % 89) - 44;
  for (float& x : b) x /= 3200;
  cpu_backend backend(1);
  cpu::gemm<float>(backend, n, {b.data(), n, true}, {b.data(), n}, {a.data(), n, n});
  numbers rounded;
  for (const float x : a) rounded.push_back(double(x * 0.05f));
  check(rounded, n);
}

TEST_CASE("symmetric_eigen: the second difference has the eigenvalues that it should") {
  const index_t n = 40;
  numbers a(std::size_t(n * n));
  for (index_t i = 0; i < n; ++i) {
    a[std::size_t(i * n + i)] = 2;
    if (i) a[std::size_t(i * n + i - 1)] = a[std::size_t((i - 1) * n + i)] = -1;
  }
  const eigen e = eigen_of(a, n);
  for (index_t i = 0; i < n; ++i)
    CHECK(e.values[std::size_t(i)] ==
          doctest::Approx(2 + 2 * std::cos(double(i + 1) * 3.14159265358979324 / double(n + 1))));
}

TEST_CASE(
    "symmetric_eigen: the bits do not depend on the number of threads; single precision is rounded double") {
  const index_t n = 130;
  const numbers a = of_rank(n, 90);
  const eigen one = eigen_of(a, n, 1), three = eigen_of(a, n, 3);
  CHECK(one.vectors == three.vectors);
  CHECK(one.values == three.values);
  std::vector<float> narrow(a.begin(), a.end()), values(static_cast<std::size_t>(n));
  const numbers rounded(narrow.begin(), narrow.end());
  const eigen expected = eigen_of(rounded, n);
  numbers scratch(std::size_t(cpu::symmetric_eigen_scratch(n)));
  cpu_backend backend(1);
  cpu::symmetric_eigen<float>(backend, {narrow.data(), n, n}, {narrow.data(), n, n}, values.data(),
                              scratch.data());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == float(expected.values[i]));
  for (std::size_t i = 0; i < narrow.size(); ++i) REQUIRE(narrow[i] == float(expected.vectors[i]));
}

TEST_CASE("symmetric_eigen: numbers that are not finite are refused") {
  CHECK_THROWS_AS(eigen_of({1, 0, 0, 0, 1, NAN, 0, NAN, 1}, 3), error);
}
