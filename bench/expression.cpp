// A fused tensor expression against a hand-written loop over batches and against xtensor: ns of thread CPU
// time per element. Columns: rows, width, then for a * b + exp(a) - v: by hand, ours with the width in the
// type, ours with dynamic extents, xtensor (noalias); then the same without exp for ours and xtensor; then
// a row softmax for ours and xtensor.
#define XTENSOR_USE_XSIMD
#include <formwork/kernels/cpu/evaluate.hpp>
#include <formwork/tensor/xtensor.hpp>

#if __has_include(<xtensor/core/xmath.hpp>)
#include <xtensor/core/xmath.hpp>
#include <xtensor/core/xnoalias.hpp>
#else
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

using namespace formwork;

namespace {

double cpu_nanoseconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * double(t.tv_sec) + double(t.tv_nsec);
}

/// Thread CPU time of one call: the lower quartile of 21 measurements.
template <class F>
double nanoseconds(const F& f, int repeats) {
  std::array<double, 21> times;
  f();
  for (double& time : times) {
    const double begin = cpu_nanoseconds();
    for (int i = 0; i < repeats; ++i) f();
    time = (cpu_nanoseconds() - begin) / repeats;
  }
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return times[5];
}

void by_hand(float* out, const float* a, const float* b, const float* v, index_t rows, index_t width) {
  constexpr index_t step = simd::width<float>;
  for (index_t r = 0; r < rows; ++r)
    for (index_t j = 0; j < width; j += step) {
      const index_t n = std::min(step, width - j), at = r * width + j;
      const auto x = simd::load_some(a + at, n), y = simd::load_some(b + at, n),
                 z = simd::load_some(v + j, n);
      simd::store_some(out + at, x * y + simd::exp(x) - z, n);
    }
}

template <index_t Width>
void run(index_t rows, int repeats) {
  tensor<float, dynamic, Width> a(rows), b(rows), y(rows), expected(rows);
  tensor<float, Width> v;
  for (index_t i = 0; i < a.size(); ++i) {
    a.data()[i] = float(i % 97) / 97 - 0.5f;
    b.data()[i] = float(i % 89) / 89;
  }
  for (index_t j = 0; j < Width; ++j) v.data()[j] = float(j % 7);
  matrix<float> da(rows, Width), db(rows, Width), dy(rows, Width);
  vector_of<float> dv(Width);
  da = a, db = b, dv = v;
  const xt::xtensor<float, 2> xa = a.xt(), xb = b.xt();
  const xt::xtensor<float, 1> xv = v.xt();
  xt::xtensor<float, 2> xy = xa;

  const auto per_element = [&](const auto& f) { return nanoseconds(f, repeats) / double(rows * Width); };
  const double hand =
      per_element([&] { by_hand(expected.data(), a.data(), b.data(), v.data(), rows, Width); });
  const double fused = per_element([&] { y = a * b + exp(a) - v; });
  const double fused_dynamic = per_element([&] { dy = da * db + exp(da) - dv; });
  const double theirs = per_element([&] { xt::noalias(xy) = xa * xb + xt::exp(xa) - xv; });
  float difference = 0;
  for (index_t i = 0; i < y.size(); ++i)
    difference =
        std::max({difference, std::abs(y.data()[i] - expected.data()[i]),
                  std::abs(dy.data()[i] - expected.data()[i]), std::abs(xy.data()[i] - expected.data()[i])});
  const double plain = per_element([&] { y = a * b + a - v; });
  const double plain_theirs = per_element([&] { xt::noalias(xy) = xa * xb + xa - xv; });
  const double softmax = per_element([&] { y = exp(a - row_max(a)) / row_sum(exp(a - row_max(a))); });
  const double softmax_theirs = per_element([&] {
    const auto kept = xt::keep_dims | xt::evaluation_strategy::immediate;
    const xt::xtensor<float, 2> largest = xt::amax(xa, {1}, kept);
    xt::noalias(xy) = xt::exp(xa - largest);
    const xt::xtensor<float, 2> total = xt::sum(xy, {1}, kept);
    xt::noalias(xy) = xy / total;
  });
  std::printf("%5lld %5lld  %6.3f %6.3f %6.3f %6.3f  %6.3f %6.3f  %6.3f %6.2f  %.0e\n",
              static_cast<long long>(rows), static_cast<long long>(Width), hand, fused, fused_dynamic, theirs,
              plain, plain_theirs, softmax, softmax_theirs, double(difference));
}

}  // namespace

int main() {
  std::printf("ns of CPU time per element, one thread, %lld floats in a batch\n",
              static_cast<long long>(simd::width<float>));
  std::printf(
      " rows width  a*b+exp(a)-v: hand static dynamic xtensor  a*b+a-v: ours xtensor  softmax: ours xtensor  "
      "largest difference\n");
  run<512>(16, 500);
  run<768>(4096, 3);
  run<768>(1024, 10);
  run<100>(64, 500);
  run<37>(64, 500);
}
