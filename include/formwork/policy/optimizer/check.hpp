#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/philox.hpp>
#include <formwork/policy/optimizer/trial.hpp>

#include <cmath>
#include <vector>

namespace formwork {

namespace detail {

// Makes `steps` updates by made-up gradients that depend on (i, step) alone, for weights i below n; the
// weights start as random numbers too.
struct random_gradients {
  index_t n;
  step_t steps = 20;
  double lr;

  template <class T>
  std::vector<T> draw(step_t step) const {
    const random_stream noise{.seed = 5};
    std::vector<T> out;
    for (index_t i = 0; i < n; ++i) out.push_back(T(noise.normal(std::uint64_t(i * (steps + 1) + step))));
    return out;
  }
  template <class T, class Trial>
  std::vector<T> move(Trial trial) const {
    for (step_t step = 1; step <= steps; ++step)
      trial.update(draw<T>(step), {.step = step, .lr = lr, .decays = true});
    return trial.w;
  }
};

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
  trial_of<double, double, O> trial{policy, {-1, 0.5}};
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
  trial_of<T, T, O> trial{policy, start};
  for (step_t step = 1; step <= 1000; ++step)
    trial.update(std::vector<T>(start.size(), T(0)), {.step = step, .lr = lr, .decays = false});
  for (std::size_t i = 0; i < start.size(); ++i)
    if (!(trial.w[i] == start[i]))
      fail("optimizer ", label(O::name), ": 1000 updates by gradient 0 without decay move weight ", start[i],
           " to ", trial.w[i]);
}

}  // namespace detail

namespace detail {

template <class O>
void check_elementwise(const O& policy, double lr) {
  for (const index_t n : {1, 7, 1023}) {
    const random_gradients walk{.n = n, .lr = lr};
    const auto moved = [&]<class T, class V>(T, V) {
      return walk.move<T>(weights_under_test<T, V, O>{policy, walk.draw<T>(0)});
    };
    const auto single = moved(float{}, float{});
    const auto exact = moved(double{}, double{});
    const char* const lanes = "SIMD batches and single numbers";
    expect_close(policy, moved(float{}, simd::batch<float>(0.0f)), single, 1e-4, lanes);
    expect_close(policy, moved(double{}, simd::batch<double>(0.0)), exact, 1e-12, lanes);
    expect_close(policy, single, exact, 1e-3, "float and double");
  }
}

template <class O>
void check_matrices(const O& policy, double lr) {
  const index_t shapes[][2] = {{1, 1}, {1, 5}, {7, 1}, {4, 6}, {7, 5}, {40, 23}, {6, 6}, {23, 23}};
  for (const auto& [rows, columns] : shapes) {
    const random_gradients walk{.n = rows * columns, .lr = lr};
    const auto moved = [&, c = columns]<class T>(T, int threads) {
      return walk.move<T>(matrix_under_test<T, O>{policy, walk.draw<T>(0), c, threads});
    };
    const auto single = moved(float{}, 1);
    expect_close(policy, moved(float{}, 3), single, 0, "three threads and one");
    // Where rows and columns are not of one number a gradient leaves directions open, and a policy that
    // turns the matrix may choose any.
    if (rows == columns) expect_close(policy, single, moved(double{}, 1), 1e-2, "float and double");
  }
}

}  // namespace detail

/// Tests an optimizer: its own `validate()`; 1000 updates by gradient 0 without decay change nothing; a
/// quadratic and a curved valley are descended; float moves like double. An element-wise one: arrays of 1, 7
/// and 1023 weights in SIMD batches move like single numbers. One of whole matrices: the same bits with three
/// threads as with one. An optimizer for the rest is tested too. `lr` is a rate at which the policy should
/// learn, for losses of curvature about 1.
/// Throws `error` with a sentence for the first rule that is broken.
template <class O>
void check_optimizer(const O& policy, double lr = 0.01) {
  static_assert(explain_optimizer<O>());
  validate(policy);
  detail::expect_rest<double>(policy, lr);
  detail::expect_rest<float>(policy, lr);
  detail::expect_descent<detail::bowl>(policy, lr, 0.5, "a quadratic");
  detail::expect_descent<detail::valley>(policy, lr, 1, "a curved valley");
  if constexpr (matrix_optimizer<O>)
    detail::check_matrices(policy, lr);
  else
    detail::check_elementwise(policy, lr);
  if constexpr (detail::has_rest<O>) check_optimizer(policy.rest, lr);
}

}  // namespace formwork
