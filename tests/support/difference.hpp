#pragma once
#include <formwork/tensor/storage.hpp>

#include <cmath>

namespace formwork_test {

/// Largest |central difference - gradient| over all elements of x.
template <class F>
double difference_error(F& f, formwork::storage<double>& x, const formwork::storage<double>& gradient,
                        double step) {
  double worst = 0;
  for (formwork::index_t i = 0; i < x.size(); ++i) {
    const double old = x[i];
    x[i] = old + step;
    const double above = f();
    x[i] = old - step;
    const double below = f();
    x[i] = old;
    const double error = std::fabs((above - below) / (2 * step) - gradient[i]);
    if (!(error <= worst)) worst = error == error ? error : 1e300;
  }
  return worst;
}

/// True when `gradient` is the gradient of f() with respect to x. Judged by the order of the error: the
/// difference to a central difference must shrink with the square of the step (a wrong gradient stays put),
/// or be rounding only.
template <class F>
bool is_gradient(F f, formwork::storage<double>& x, const formwork::storage<double>& gradient,
                 double step = 2e-3) {
  const double coarse = difference_error(f, x, gradient, step),
               fine = difference_error(f, x, gradient, step / 2);
  const double rounding = 1e-15 * (1 + std::fabs(f())) / step * 20;
  return x.size() == gradient.size() && (fine < coarse * 0.3 || fine < rounding);
}

}  // namespace formwork_test
