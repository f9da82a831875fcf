#include <formwork/kernels/cpu/attention.hpp>

#include <doctest/doctest.h>

#include "../../support/attention_case.hpp"
#include "../../support/difference.hpp"

using namespace formwork;
using namespace formwork_test;

namespace {

const std::vector<index_t> ragged_queries{5, 0, 1, 17, 3, 33}, ragged_keys{7, 4, 0, 16, 3, 40};

}  // namespace

TEST_CASE_TEMPLATE("attention: equals plain loops on ragged sequences, causal or not, with dropout", T, float,
                   double) {
  cpu_backend backend(2);
  for (const index_t width : {1, 3, 16, 31, 32, 33})
    for (const bool causal : {false, true})
      for (const double rate : {0.0, 0.3}) {
        attention_case<T> c(ragged_queries, ragged_keys, 3, width);
        c.causal = causal;
        c.dropout = {rate, 5, 2, 9};
        c.forward(backend);
        CHECK(largest_difference(c.out, c.expected()) < (std::is_same_v<T, float> ? 4e-6 : 1e-14));
      }
}

TEST_CASE("attention: a long sequence, many more keys than one block of queries") {
  cpu_backend backend(2);
  attention_case<float> c({70, 40}, {1500, 40}, 1, 64);
  c.causal = true;
  c.forward(backend);
  CHECK(largest_difference(c.out, c.expected()) < 4e-6);
}

TEST_CASE("attention: scores of any size neither overflow nor become not-a-number") {
  cpu_backend backend(1);
  for (const double scale : {1e-30, 1.0, 1e4}) {
    attention_case<float> c({9}, {23}, 2, 8);
    c.scale = scale;
    c.forward(backend);
    CHECK(largest_difference(c.out, c.expected()) < (scale > 1 ? 0.05 : 4e-6));
  }
}

TEST_CASE("attention: gradients shrink their error with the square of the step") {
  cpu_backend backend(2);
  for (const bool causal : {false, true})
    for (const double rate : {0.0, 0.4}) {
      attention_case<double> c({3, 1, 0, 4, 2}, {3, 2, 2, 0, 5}, 2, 3);
      c.causal = causal;
      c.dropout = {rate, 5, 2, 9};
      c.backward(backend);
      const auto loss = [&] { return c.loss(backend); };
      CHECK(is_gradient(loss, c.q, c.dq));
      CHECK(is_gradient(loss, c.k, c.dk));
      CHECK(is_gradient(loss, c.v, c.dv));
    }
}

TEST_CASE_TEMPLATE("attention: float gradients agree with double over several blocks", T, float) {
  cpu_backend backend(2);
  for (const bool causal : {false, true}) {
    attention_case<T> c({75, 16, 14}, {75, 25, 14}, 2, 32);
    attention_case<double> exact({75, 16, 14}, {75, 25, 14}, 2, 32);
    c.causal = exact.causal = causal;
    c.dropout = exact.dropout = {0.1, 1, 1, 1};
    exact.q = converted<double>(c.q), exact.k = converted<double>(c.k);
    exact.v = converted<double>(c.v), exact.dout = converted<double>(c.dout);
    c.backward(backend);
    exact.backward(backend);
    const auto relative = [](const auto& a, const storage<double>& b) {
      double largest = 0;
      for (const double x : b) largest = std::max(largest, std::fabs(x));
      return largest_difference(a, b) / largest;
    };
    // dq and dk sum differences dp - delta of nearly equal numbers, about 20 times their rounding.
    CHECK(relative(c.dq, exact.dq) < 3e-6);
    CHECK(relative(c.dk, exact.dk) < 3e-6);
    CHECK(relative(c.dv, exact.dv) < 1e-6);
  }
}

TEST_CASE("attention: backward adds where asked and overwrites elsewhere") {
  cpu_backend backend(1);
  attention_case<double> c({4, 0, 2}, {4, 3, 6}, 2, 5), d({4, 0, 2}, {4, 3, 6}, 2, 5);
  c.backward(backend);
  for (double& x : d.dq) x = 7;
  for (double& x : d.dk) x = 7;
  for (double& x : d.dv) x = 7;
  d.add_dk = true;
  d.backward(backend);
  CHECK(same_bits(c.dq, d.dq));
  CHECK(same_bits(c.dv, d.dv));
  for (index_t i = 0; i < c.dk.size(); ++i) CHECK(d.dk[i] == doctest::Approx(c.dk[i] + 7).epsilon(1e-14));
}

TEST_CASE_TEMPLATE("attention: any number of threads gives the same bits", T, float, double) {
  attention_case<T> first(ragged_queries, ragged_keys, 2, 17);
  first.causal = true;
  first.dropout = {0.2, 3, 4, 5};
  for (const int threads : {1, 2, 3}) {
    cpu_backend backend(threads);
    attention_case<T> c(ragged_queries, ragged_keys, 2, 17);
    c.causal = true;
    c.dropout = first.dropout;
    c.backward(backend);
    if (threads == 1) first.backward(backend);
    CHECK(same_bits(c.out, first.out));
    CHECK(same_bits(c.lse, first.lse));
    CHECK(same_bits(c.dq, first.dq));
    CHECK(same_bits(c.dk, first.dk));
    CHECK(same_bits(c.dv, first.dv));
  }
}

TEST_CASE_TEMPLATE("attention: a row does not depend on what else is in the batch", T, float, double) {
  cpu_backend backend(1);
  for (const bool causal : {false, true}) {
    attention_case<T> all({37, 5, 26}, {37, 9, 26}, 2, 16);
    all.causal = causal;
    all.forward(backend);
    const index_t d = 32, first = 42;  // the third sequence alone
    attention_case<T> one({26}, {26}, 2, 16);
    one.causal = causal;
    std::copy_n(all.q.data() + first * d, 26 * d, one.q.data());
    std::copy_n(all.k.data() + 46 * d, 26 * d, one.k.data());
    std::copy_n(all.v.data() + 46 * d, 26 * d, one.v.data());
    one.forward(backend);
    CHECK(std::memcmp(one.out.data(), all.out.data() + first * d, sizeof(T) * 26 * d) == 0);
    CHECK(std::memcmp(one.lse.data(), all.lse.data() + first * 2, sizeof(T) * 26 * 2) == 0);
  }
}

TEST_CASE("attention: not-a-number stays in its sequence, and no earlier row sees a later one") {
  cpu_backend backend(1);
  const double nan = std::nan("");
  attention_case<double> clean({6, 20}, {6, 20}, 1, 4), bad({6, 20}, {6, 20}, 1, 4);
  clean.causal = bad.causal = true;
  for (index_t c = 0; c < 4; ++c) {
    bad.q[16 * 4 + c] = bad.k[16 * 4 + c] = bad.v[16 * 4 + c] = nan;  // row 10 of the second sequence
    bad.dout[16 * 4 + c] = nan;
  }
  clean.backward(backend);
  bad.backward(backend);
  for (index_t i = 0; i < clean.out.size(); ++i) {
    CHECK((i < 16 * 4 ? bad.out[i] == clean.out[i] : bad.out[i] != bad.out[i]));
    if (i < 16 * 4) CHECK(bad.dq[i] == clean.dq[i]);
    if (i < 6 * 4) CHECK((bad.dk[i] == clean.dk[i] && bad.dv[i] == clean.dv[i]));
  }
}

TEST_CASE_TEMPLATE("attention_step: the bits of the last row of the whole sequence", T, float, double) {
  cpu_backend backend(2);
  const index_t heads = 2, width = 19, d = heads * width;
  for (const index_t n : {1, 2, 8, 9, 16, 17, 31, 40, 71}) {
    attention_case<T> c({n}, {n}, heads, width);
    c.causal = true;
    c.forward(backend);
    // The cache holds the positions in reverse, between rows of somebody else; a second row has a shorter
    // past.
    storage<T> keys((2 * n + 1) * d), values((2 * n + 1) * d), q(2 * d), out(2 * d);
    for (T& x : keys) x = T(std::nan(""));
    std::vector<index_t> place;
    for (index_t t = 0; t < n; ++t) {
      place.push_back(2 * (n - t) - 1);
      std::copy_n(c.k.data() + t * d, d, keys.data() + place.back() * d);
      std::copy_n(c.v.data() + t * d, d, values.data() + place.back() * d);
    }
    const index_t* const rows[2] = {place.data(), place.data()};
    const index_t half = (n + 1) / 2, lengths[2] = {n, half};
    std::copy_n(c.q.data() + (n - 1) * d, d, q.data());
    std::copy_n(c.q.data() + (half - 1) * d, d, q.data() + d);
    cpu::attention_step<T>(backend, {q.data(), 2, d}, {keys.data(), 2 * n + 1, d},
                           {values.data(), 2 * n + 1, d}, rows, lengths, heads, c.scale, {out.data(), 2, d});
    CHECK(std::memcmp(out.data(), c.out.data() + (n - 1) * d, sizeof(T) * d) == 0);
    CHECK(std::memcmp(out.data() + d, c.out.data() + (half - 1) * d, sizeof(T) * d) == 0);
    place[0] = 2 * n + 1;
    CHECK_THROWS_WITH_AS(cpu::attention_step<T>(backend, {q.data(), 2, d}, {keys.data(), 2 * n + 1, d},
                                                {values.data(), 2 * n + 1, d}, rows, lengths, heads, c.scale,
                                                {out.data(), 2, d}),
                         doctest::Contains("position 0 of row"), error);
  }
}

TEST_CASE("attention: shapes that do not fit are refused with a sentence") {
  cpu_backend backend(1);
  attention_case<float> c({3}, {3}, 1, 4);
  auto a = c.arguments();
  a.heads = 3;
  CHECK_THROWS_WITH_AS(cpu::attention_forward<float>(backend, a, {c.out.data(), 3, 4}, {}),
                       doctest::Contains("do not divide into 3 heads"), error);
  a = c.arguments();
  a.key.count = 0;
  CHECK_THROWS_WITH_AS(cpu::attention_forward<float>(backend, a, {c.out.data(), 3, 4}, {}),
                       doctest::Contains("expected equal counts"), error);
  a = c.arguments();
  a.k.width = 3;
  CHECK_THROWS_WITH_AS(cpu::attention_forward<float>(backend, a, {c.out.data(), 3, 4}, {}),
                       doctest::Contains("do not fit together"), error);
}

TEST_CASE("attention: no sequence at all is legal, forward and backward, without any memory") {
  cpu_backend backend(2);
  const index_t starts[1] = {0};
  const cpu::attention<float> a{
      {nullptr, 0, 4}, {nullptr, 0, 4}, {nullptr, 0, 4}, {starts, 0}, {starts, 0}, 2, true};
  const matrix_view<float> none(nullptr, 0, 4), sums(nullptr, 0, 2);
  CHECK_NOTHROW(cpu::attention_forward<float>(backend, a, none, sums));
  CHECK_NOTHROW(cpu::attention_backward<float>(backend, a, none, sums, none, {none, none, none}));
}
