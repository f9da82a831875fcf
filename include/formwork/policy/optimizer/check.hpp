#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/philox.hpp>
#include <formwork/core/simd.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace formwork {

namespace detail {

template <class V, class T>
V read_part(const T* p, index_t n) {
  if constexpr (std::is_same_v<V, T>)
    return *p;
  else
    return simd::load_part(p, n);
}

template <class V, class T>
void write_part(T* p, const V& v, index_t n) {
  if constexpr (std::is_same_v<V, T>)
    *p = v;
  else
    simd::store_part(p, v, n);
}

// Weights w with their moments, moved by a policy in numbers T or in SIMD batches V of them.
template <class T, class V, optimizer O>
struct weights_under_test {
  O policy;
  std::vector<T> w;
  std::vector<T> moments = std::vector<T>(w.size() * std::size_t(O::moments), T(0));

  void update(const std::vector<T>& g, const update_info& info) {
    const auto prepared = policy.prepare(info);
    const index_t n = index_t(w.size()), lanes = index_t(sizeof(V) / sizeof(T));
    for (index_t i = 0; i < n; i += lanes) {
      const index_t count = (std::min)(lanes, n - i);
      std::array<V, std::size_t(O::moments)> state;
      for (std::size_t k = 0; k < state.size(); ++k)
        state[k] = read_part<V>(moments.data() + index_t(k) * n + i, count);
      V weight = read_part<V>(w.data() + i, count);
      policy.update(weight, read_part<V>(g.data() + i, count), state, prepared);
      write_part(w.data() + i, weight, count);
      for (std::size_t k = 0; k < state.size(); ++k)
        write_part(moments.data() + index_t(k) * n + i, state[k], count);
    }
  }
};

// Weight i after `steps` updates by made-up gradients that depend on (i, step) alone, for i below n.
template <class T, class V, optimizer O>
std::vector<T> random_walk(const O& policy, index_t n, step_t steps, double lr) {
  const random_stream noise{.seed = 5};
  const auto draw = [&noise, n, steps](step_t step) {
    std::vector<T> out;
    for (index_t i = 0; i < n; ++i) out.push_back(T(noise.normal(std::uint64_t(i * (steps + 1) + step))));
    return out;
  };
  weights_under_test<T, V, O> trial{policy, draw(0)};
  for (step_t step = 1; step <= steps; ++step)
    trial.update(draw(step), {.step = step, .lr = lr, .decays = true});
  return trial.w;
}

template <class O, class A, class B>
void expect_close(const O&, const std::vector<A>& found, const std::vector<B>& expected, double tolerance,
                  const char* what) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double a = double(found[i]), b = double(expected[i]);
    if (!(std::fabs(a - b) <= tolerance * (1 + std::fabs(b))))
      fail("optimizer ", label(O::name), ": ", what, " differ at weight ", i, " of ", expected.size(), ": ",
           a, " against ", b);
  }
}

// Two weights, a loss and its gradient.
struct bowl {  // curvatures 1 and 0.1
  static double loss(double x, double y) { return 0.5 * (x - 1) * (x - 1) + 0.05 * (y + 2) * (y + 2); }
  static std::vector<double> slope(double x, double y) { return {x - 1, 0.1 * (y + 2)}; }
};
struct valley {  // Rosenbrock's function with a milder wall
  static double loss(double x, double y) { return (1 - x) * (1 - x) + 5 * (y - x * x) * (y - x * x); }
  static std::vector<double> slope(double x, double y) {
    return {-2 * (1 - x) - 20 * x * (y - x * x), 10 * (y - x * x)};
  }
};

template <class Objective, optimizer O>
void expect_descent(const O& policy, double lr, double share, const char* what) {
  weights_under_test<double, double, O> trial{policy, {-1, 0.5}};
  const double before = Objective::loss(trial.w[0], trial.w[1]);
  for (step_t step = 1; step <= 1000; ++step)
    trial.update(Objective::slope(trial.w[0], trial.w[1]), {.step = step, .lr = lr, .decays = false});
  const double after = Objective::loss(trial.w[0], trial.w[1]);
  if (!(after <= share * before))
    fail("optimizer ", label(O::name), ": 1000 updates bring the loss of ", what, " from ", before, " to ",
         after, ", expected at most ", share * before);
}

template <class T, optimizer O>
void expect_rest(const O& policy, double lr) {
  const std::vector<T> start{T(1), T(-0.5), T(1e-30), T(0)};
  weights_under_test<T, T, O> trial{policy, start};
  for (step_t step = 1; step <= 1000; ++step)
    trial.update(std::vector<T>(start.size(), T(0)), {.step = step, .lr = lr, .decays = false});
  for (std::size_t i = 0; i < start.size(); ++i)
    if (!(trial.w[i] == start[i]))
      fail("optimizer ", label(O::name), ": 1000 updates by gradient 0 without decay move weight ", start[i],
           " to ", trial.w[i]);
}

}  // namespace detail

/// Tests an optimizer: its own `validate()`; 1000 updates by gradient 0 without decay change nothing; a
/// quadratic and a curved valley are descended; arrays of 1, 7 and 1023 weights in SIMD batches move like
/// single numbers; and float moves like double. `lr` is a rate at which the policy should learn, for losses
/// of curvature about 1. Throws `error` with a sentence for the first rule that is broken.
template <class O>
void check_optimizer(const O& policy, double lr = 0.01) {
  static_assert(explain_optimizer<O>());
  validate(policy);
  detail::expect_rest<double>(policy, lr);
  detail::expect_rest<float>(policy, lr);
  detail::expect_descent<detail::bowl>(policy, lr, 0.5, "a quadratic");
  detail::expect_descent<detail::valley>(policy, lr, 1, "a curved valley");
  for (const index_t n : {1, 7, 1023}) {
    const auto single = detail::random_walk<float, float>(policy, n, 20, lr);
    const auto batched = detail::random_walk<float, simd::batch<float>>(policy, n, 20, lr);
    detail::expect_close(policy, batched, single, 1e-4, "SIMD batches and single numbers");
    const auto exact = detail::random_walk<double, double>(policy, n, 20, lr);
    const auto exact_batched = detail::random_walk<double, simd::batch<double>>(policy, n, 20, lr);
    detail::expect_close(policy, exact_batched, exact, 1e-12, "SIMD batches and single numbers");
    detail::expect_close(policy, single, exact, 1e-3, "float and double");
  }
}

}  // namespace formwork
