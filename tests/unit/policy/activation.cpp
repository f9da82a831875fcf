#include <formwork/policy/activation/activation.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace formwork;

namespace {

// A user's own activation, outside of the library.
struct leaky_relu {
  static constexpr label name = "leaky_relu";
  double leak = 0.125;
  template <class V>
  FORMWORK_HD V operator()(V x) const {
    return where(x < V(scalar_of<V>(0)), x * scalar_of<V>(leak), x);
  }
};
static_assert(activation<leaky_relu> && explain_activation<leaky_relu>());

// A gate of a user's own, by the template and as a struct.
struct leaky_gate {
  static constexpr label name = "leaky_gate";
  using gate = leaky_relu;
};
struct nameless_gate {
  using gate = leaky_relu;
};
struct gate_of_nothing {
  static constexpr label name = "nothing";
  using gate = int;
};
static_assert(gated_activation<leaky_gate> && explain_activation<leaky_gate>());
static_assert(gated_activation<gated<leaky_relu>> && gated<leaky_relu>::name == label("gated.leaky_relu"));
static_assert(!gated_activation<silu> && !gated_activation<nameless_gate> &&
              !gated_activation<gate_of_nothing>);
static_assert(!activation<swiglu>);

double cdf(double x) { return 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }
double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846); }

template <class A, class Value, class Slope>
void check_closed_form(A f, Value value, Slope slope) {
  for (double x = -6.05; x < 6; x += 0.1) {
    CAPTURE(x);
    const dual<double> y = derivative(f, x);
    CHECK(y.value == doctest::Approx(value(x)).epsilon(1e-12));
    CHECK(y.slope == doctest::Approx(slope(x)).epsilon(1e-12));
  }
}

template <class A>
void check_central_difference(A f) {
  for (double x : {-2.3, -0.7, 0.4, 1.1, 3.2}) {
    CAPTURE(x);
    const double slope = derivative(f, x).slope;
    const auto error = [&](double h) { return std::abs((f(x + h) - f(x - h)) / (2 * h) - slope); };
    const double coarse = error(1e-2), fine = error(1e-3);
    CHECK(coarse < 1e-3);
    CHECK(fine < coarse * 0.02 + 1e-12);
  }
}

template <class A>
void check_batches(A f) {
  constexpr index_t width = simd::width<float>;
  float x[width], value[width], slope[width];
  for (int block = -4; block < 4; ++block) {
    for (index_t i = 0; i < width; ++i) x[i] = float(block) + float(i) / float(width);
    const auto y = derivative(f, simd::load(x));
    simd::store(value, y.value);
    simd::store(slope, y.slope);
    for (index_t i = 0; i < width; ++i) {
      const dual<double> expected = derivative(f, double(x[i]));
      CHECK(std::abs(value[i] - expected.value) < 1e-6);
      CHECK(std::abs(slope[i] - expected.slope) < 2e-6);
      CHECK(std::abs(f(x[i]) - expected.value) < 1e-6);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("activation: batches, floats and doubles agree, slopes match central differences", A, relu,
                   gelu, gelu_tanh, silu, squared_relu, logistic_sigmoid, hyperbolic_tangent, leaky_relu) {
  check_batches(A{});
  check_central_difference(A{});
}

TEST_CASE("activation: values and slopes match the closed forms") {
  check_closed_form(
      relu{}, [](double x) { return x > 0 ? x : 0; }, [](double x) { return x > 0 ? 1.0 : 0.0; });
  check_closed_form(
      gelu{}, [](double x) { return x * cdf(x); }, [](double x) { return cdf(x) + x * density(x); });
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  check_closed_form(
      silu{}, [&](double x) { return x * sigmoid(x); },
      [&](double x) { return sigmoid(x) * (1 + x * (1 - sigmoid(x))); });
  check_closed_form(
      squared_relu{}, [](double x) { return x > 0 ? x * x : 0; }, [](double x) { return x > 0 ? 2 * x : 0; });
  check_closed_form(logistic_sigmoid{}, sigmoid, [&](double x) { return sigmoid(x) * (1 - sigmoid(x)); });
  check_closed_form(
      hyperbolic_tangent{}, [](double x) { return std::tanh(x); },
      [](double x) { return 1 / (std::cosh(x) * std::cosh(x)); });
  const double c = std::sqrt(2 / 3.14159265358979323846);
  const auto inner = [&](double x) { return std::tanh(c * (x + 0.044715 * x * x * x)); };
  check_closed_form(
      gelu_tanh{}, [&](double x) { return x / 2 * (1 + inner(x)); },
      [&](double x) {
        return (1 + inner(x)) / 2 + x / 2 * (1 - inner(x) * inner(x)) * c * (1 + 3 * 0.044715 * x * x);
      });
}

TEST_CASE("activation: relu has slope zero at zero and lets a not-a-number through") {
  for (double x : {0.0, -0.0}) {
    CHECK(relu{}(x) == 0.0);
    CHECK(derivative(relu{}, x).slope == 0.0);
    CHECK(derivative(relu{}, float(x)).slope == 0.0f);
  }
  CHECK(std::isnan(relu{}(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("activation: the tanh formula stays within 5e-4 of gelu and differs from it") {
  double largest = 0;
  for (double x = -5; x < 5; x += 0.01) largest = std::max(largest, std::abs(gelu{}(x)-gelu_tanh{}(x)));
  CHECK(largest < 5e-4);
  CHECK(largest > 1e-4);
}
