#include <formwork/kernels/cpu/attention_logits.hpp>

#include <doctest/doctest.h>

#include "../../support/attention_case.hpp"
#include "../../support/difference.hpp"

using namespace formwork;
using namespace formwork_test;

namespace {

const std::vector<index_t> lengths{5, 0, 1, 17, 3, 33, 70};

/// All forms, alone and together.
const attention_form forms[] = {{.distance_bias = true},
                                {.window = 1},
                                {.window = 4},
                                {.window = 9},
                                {.window = 40},
                                {.cap = 0.7},
                                {.key_heads = 1},
                                {.key_heads = 3},
                                {.key_heads = 2, .distance_bias = true},
                                {.key_heads = 3, .distance_bias = true, .window = 6, .cap = 2}};

}  // namespace

TEST_CASE("distance_slope: powers of two, and what stands between them") {
  const double of_8[] = {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625};
  for (index_t h = 0; h < 8; ++h) CHECK(cpu::distance_slope(h, 8) == doctest::Approx(of_8[h]).epsilon(1e-15));
  CHECK(cpu::distance_slope(0, 1) == 1.0 / 256);
  // Six heads: those of 4, then the first and the third of 8.
  const double of_6[] = {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125};
  for (index_t h = 0; h < 6; ++h) CHECK(cpu::distance_slope(h, 6) == doctest::Approx(of_6[h]).epsilon(1e-15));
}

TEST_CASE("attention head: a window hides what is further away, on both sides or behind") {
  storage<float> x(64);
  cpu::detail::attention_head<float> head{
      .q = {x.data(), 7, 2}, .k = {x.data(), 7, 2}, .v = {x.data(), 7, 2}};
  head.window = 2;
  CHECK((head.from(0) == 0 && head.seen(0) == 3 && head.from(4) == 2 && head.seen(4) == 7));
  head.causal = true;
  CHECK((head.from(4) == 2 && head.seen(4) == 5 && head.first_query() == 0));
  CHECK(!head.plain());
}

TEST_CASE_TEMPLATE("attention: every form equals plain loops, causal or not, with dropout", T, float,
                   double) {
  cpu_backend backend(2);
  for (const attention_form& form : forms)
    for (const index_t width : {1, 16, 19})
      for (const bool causal : {false, true})
        for (const double rate : {0.0, 0.3}) {
          CAPTURE(form.window);
          CAPTURE(form.cap);
          attention_case<T> c(lengths, lengths, 6, width, form);
          c.causal = causal;
          c.dropout = {rate, 5, 2, 9};
          c.forward(backend);
          CHECK(largest_difference(c.out, c.expected()) < (std::is_same_v<T, float> ? 4e-6 : 1e-14));
        }
}

TEST_CASE("attention: causal forms with more keys than queries, and fewer") {
  cpu_backend backend(1);
  for (const attention_form& form : forms) {
    attention_case<double> c({5, 4, 0, 20}, {9, 2, 3, 40}, 6, 4, form);
    c.causal = true;
    c.forward(backend);
    CHECK(largest_difference(c.out, c.expected()) < 1e-14);
  }
}

TEST_CASE("attention: gradients of every form shrink their error with the square of the step") {
  cpu_backend backend(2);
  for (const attention_form& form : forms)
    for (const bool causal : {false, true})
      for (const double rate : {0.0, 0.4}) {
        CAPTURE(form.window);
        CAPTURE(form.cap);
        attention_case<double> c({3, 1, 0, 11, 2}, {3, 1, 0, 11, 2}, 6, 3, form);
        c.causal = causal;
        c.dropout = {rate, 5, 2, 9};
        c.backward(backend);
        const auto loss = [&] { return c.loss(backend); };
        CHECK(is_gradient(loss, c.q, c.dq));
        CHECK(is_gradient(loss, c.k, c.dk));
        CHECK(is_gradient(loss, c.v, c.dv));
      }
}

TEST_CASE("attention: float gradients of every form agree with double over several blocks") {
  cpu_backend backend(2);
  for (const attention_form& form : forms) {
    attention_case<float> c({75, 16}, {75, 16}, 6, 8, form);
    attention_case<double> exact({75, 16}, {75, 16}, 6, 8, form);
    c.causal = exact.causal = true;
    exact.q = converted<double>(c.q), exact.k = converted<double>(c.k);
    exact.v = converted<double>(c.v), exact.dout = converted<double>(c.dout);
    c.backward(backend);
    exact.backward(backend);
    const auto relative = [](const auto& a, const storage<double>& b) {
      double largest = 0;
      for (const double x : b) largest = std::max(largest, std::fabs(x));
      return largest_difference(a, b) / largest;
    };
    CHECK(relative(c.dq, exact.dq) < 5e-6);
    CHECK(relative(c.dk, exact.dk) < 5e-6);
    CHECK(relative(c.dv, exact.dv) < 2e-6);
  }
}

TEST_CASE_TEMPLATE("attention: every form has the same bits for any number of threads", T, float, double) {
  for (const attention_form& form : forms) {
    attention_case<T> first(lengths, lengths, 6, 7, form);
    first.causal = true;
    first.dropout = {0.2, 3, 4, 5};
    for (const int threads : {1, 2, 3}) {
      cpu_backend backend(threads);
      attention_case<T> c(lengths, lengths, 6, 7, form);
      c.causal = true;
      c.dropout = first.dropout;
      c.backward(backend);
      if (threads == 1) first.backward(backend);
      CHECK(same_bits(c.out, first.out));
      CHECK(same_bits(c.dq, first.dq));
      CHECK(same_bits(c.dk, first.dk));
      CHECK(same_bits(c.dv, first.dv));
    }
  }
}

TEST_CASE_TEMPLATE("attention: a row of any form does not depend on what else is in the batch", T, float,
                   double) {
  cpu_backend backend(1);
  for (const attention_form& form : forms)
    for (const bool causal : {false, true}) {
      attention_case<T> all({37, 5, 26}, {37, 5, 26}, 6, 8, form), one({26}, {26}, 6, 8, form);
      all.causal = one.causal = causal;
      all.forward(backend);
      const index_t d = 48, of_keys = all.key_heads() * 8;
      std::copy_n(all.q.data() + 42 * d, 26 * d, one.q.data());
      std::copy_n(all.k.data() + 42 * of_keys, 26 * of_keys, one.k.data());
      std::copy_n(all.v.data() + 42 * of_keys, 26 * of_keys, one.v.data());
      one.forward(backend);
      CHECK(std::memcmp(one.out.data(), all.out.data() + 42 * d, sizeof(T) * std::size_t(26 * d)) == 0);
    }
}

TEST_CASE("attention: not-a-number outside of a row's window does not reach it") {
  cpu_backend backend(1);
  for (const bool causal : {false, true}) {
    attention_case<double> clean({40}, {40}, 1, 4, {.window = 3}), bad({40}, {40}, 1, 4, {.window = 3});
    clean.causal = bad.causal = causal;
    for (index_t c = 0; c < 4; ++c) bad.k[20 * 4 + c] = bad.v[20 * 4 + c] = std::nan("");
    clean.forward(backend);
    bad.forward(backend);
    for (index_t r = 0; r < 40; ++r) {
      const bool sees = r >= (causal ? 20 : 17) && r <= 23;
      for (index_t c = r * 4; c < r * 4 + 4; ++c)
        CHECK((sees ? bad.out[c] != bad.out[c] : bad.out[c] == clean.out[c]));
    }
  }
}

TEST_CASE_TEMPLATE("attention_step: the bits of the last row of the whole sequence in every form", T, float,
                   double) {
  cpu_backend backend(2);
  const index_t heads = 6, width = 5, d = heads * width;
  for (const attention_form& form : forms)
    for (const index_t n : {1, 2, 8, 9, 17, 40, 71}) {
      attention_case<T> c({n}, {n}, heads, width, form);
      c.causal = true;
      c.forward(backend);
      const index_t of_keys = c.key_heads() * width;
      std::vector<index_t> place;
      for (index_t t = 0; t < n; ++t) place.push_back(t);
      const index_t* const rows[2] = {place.data(), place.data()};
      const index_t half = (n + 1) / 2, lengths[2] = {n, half};
      storage<T> q(2 * d), out(2 * d);
      std::copy_n(c.q.data() + (n - 1) * d, d, q.data());
      std::copy_n(c.q.data() + (half - 1) * d, d, q.data() + d);
      cpu::attention_step<T>(backend, {q.data(), 2, d}, {c.k.data(), n, of_keys}, {c.v.data(), n, of_keys},
                             rows, lengths, heads, c.scale, {out.data(), 2, d}, form);
      CHECK(std::memcmp(out.data(), c.out.data() + (n - 1) * d, sizeof(T) * std::size_t(d)) == 0);
      CHECK(std::memcmp(out.data() + d, c.out.data() + (half - 1) * d, sizeof(T) * std::size_t(d)) == 0);
    }
}

TEST_CASE("attention: forms that do not fit are refused with a sentence") {
  cpu_backend backend(1);
  attention_case<float> c({3}, {4}, 4, 2);
  const auto refused = [&](const attention_form& form, const char* sentence) {
    auto a = c.arguments();
    a.form = form;
    CHECK_THROWS_WITH_AS(cpu::attention_forward<float>(backend, a, c.query_view(c.out), {}),
                         doctest::Contains(sentence), error);
  };
  refused({.key_heads = 3}, "do not divide into 3 heads that 4 heads of queries can share");
  refused({.key_heads = 2}, "do not fit together");
  refused({.window = -1}, "a window of -1");
  refused({.cap = -2}, "a cap of -2");
  refused({.window = 1}, "a window over 3 queries and 4 keys, expected equal numbers");
}
