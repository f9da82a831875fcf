#pragma once
#include <formwork/core/simd.hpp>

#include <ctime>

namespace bench {

/// CPU time of this thread in seconds: unlike wall time it does not count while other programs run.
inline double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// GFLOP/s of 16 independent chains of fused multiply-adds in registers: the most one core can do.
template <class T>
double fma_peak_gflops() {
  using batch = formwork::simd::batch<T>;
  static volatile T keep;
  constexpr int chains = 16, steps = 400000;
  batch sum[chains];
  for (batch& s : sum) s = batch(T(0));
  const batch x(T(1.0001)), y(T(1e-9));
  const double start = cpu_seconds();
  for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 16
    for (int j = 0; j < chains; ++j) sum[j] = formwork::simd::fma(sum[j], x, y);
  }
  const double seconds = cpu_seconds() - start;
  for (int j = 1; j < chains; ++j) sum[0] = sum[0] + sum[j];
  keep = formwork::simd::sum<T>(sum[0]);  // so that the loop is not removed
  (void)keep;
  return 2.0 * double(formwork::simd::width<T>) * chains * steps / seconds * 1e-9;
}

}  // namespace bench
