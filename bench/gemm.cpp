// Speed of the matrix product in the shapes of Transformer layers: GFLOP/s (2 m n k flops a product, fp32,
// packing included) and the share of the fused-multiply-add peak, measured between products by a loop that
// touches registers only. One thread: thread CPU time, lower quartile of the repetitions. Two threads: wall
// time, the best repetition, because on a shared machine any other program that stops one thread stops both.
//
//   bench.gemm [seconds for each number [number of one layer]]
#include <formwork/kernels/cpu/gemm.hpp>
#include <formwork/tensor/storage.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

using namespace formwork;

namespace {

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

volatile float keep;

/// GFLOP/s of 12 independent chains of fused multiply-adds.
double peak() {
  using batch = simd::batch<float>;
  constexpr int chains = 12, steps = 400000;
  batch sum[chains];
  for (batch& s : sum) s = batch(0.0f);
  batch x(1.0001f), y(1e-9f);
  const double start = cpu_seconds();
  for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 12
    for (int j = 0; j < chains; ++j) sum[j] = simd::fma(sum[j], x, y);
  }
  const double seconds = cpu_seconds() - start;
  for (int j = 1; j < chains; ++j) sum[0] = sum[0] + sum[j];
  keep = simd::sum<float>(sum[0]);
  return 2.0 * double(simd::width<float>) * chains * steps / seconds * 1e-9;
}

double rank(std::vector<double>& values, std::size_t of_four) {
  std::sort(values.begin(), values.end());
  return values[values.size() * of_four / 4];
}

/// Gives each member of the team a processor of its own; a busy system leaves both on one for a long time.
void spread(thread_team& team) {
#if defined(__linux__)
  std::atomic<int> arrived{0};
  team.run(team.size(), [&](index_t task) {
    for (++arrived; arrived < team.size();) std::this_thread::yield();
    cpu_set_t processor;
    CPU_ZERO(&processor);
    CPU_SET(std::size_t(task), &processor);
    sched_setaffinity(0, sizeof processor, &processor);
  });
#endif
}

struct layer {
  index_t rows, in, out;  // y [rows, out] = x [rows, in] W [out, in]^T
};

enum form { forward, input_gradient, weight_gradient };

/// One product of a layer, with operands in place.
struct product {
  storage<float> a, b, c;
  index_t m, n, k;
  bool a_transposed, b_transposed;

  product(layer l, form f) {
    m = f == weight_gradient ? l.out : l.rows;
    n = f == forward ? l.out : l.in;
    k = f == forward ? l.in : f == input_gradient ? l.out : l.rows;
    a_transposed = f == weight_gradient;
    b_transposed = f == forward;
    a.resize(m * k);
    b.resize(k * n);
    c.resize(m * n);
    for (index_t i = 0; i < a.size(); ++i) a[i] = float(i % 97) * 0.01f - 0.5f;
    for (index_t i = 0; i < b.size(); ++i) b[i] = float(i % 89) * 0.01f - 0.4f;
  }
  double flops() const { return 2.0 * double(m) * double(n) * double(k); }
  void run(cpu_backend& backend) {
    cpu::gemm(backend, k, {a.data(), a_transposed ? m : k, a_transposed},
              {b.data(), b_transposed ? k : n, b_transposed}, matrix_view<float>(c.data(), m, n));
  }
};

struct rate {
  double gflops, share;
};

template <class Clock>
rate measure(product& p, cpu_backend& backend, double budget, Clock clock, std::size_t of_four) {
  std::vector<double> seconds, slowness;
  p.run(backend);
  const double begin = wall_seconds();
  while (seconds.size() < 5 || (wall_seconds() - begin < budget && seconds.size() < 400)) {
    if (seconds.size() % 4 == 0) slowness.push_back(1 / peak());
    const double start = clock();
    p.run(backend);
    seconds.push_back(clock() - start);
  }
  const double gflops = p.flops() / rank(seconds, of_four) * 1e-9;
  return {gflops, gflops * rank(slowness, of_four) / backend.threads()};
}

}  // namespace

int main(int count, char** words) {
  const double budget = count > 1 ? std::atof(words[1]) : 0.3;  // seconds for each number
  constexpr layer layers[] = {{4096, 128, 128},  {4096, 128, 256},  {4096, 512, 512},
                              {4096, 512, 2048}, {4096, 768, 3072}, {2048, 512, 10000}};
  constexpr const char* names[] = {"fwd", "dgrad", "wgrad"};
  const int only = count > 2 ? std::atoi(words[2]) : -1;
  cpu_backend one(1), two(2);
  std::printf("fp32 peak of one core by registers only: %.0f GFLOP/s\n", peak());
  std::printf("rows   in    out     form    1 thread: GFLOP/s  of peak    2 threads: GFLOP/s  of peak\n");
  for (int i = 0; i < int(std::size(layers)); ++i) {
    if (only >= 0 && i != only) continue;
    const layer l = layers[i];
    for (const form f : {forward, input_gradient, weight_gradient}) {
      product p(l, f);
      const rate alone = measure(p, one, budget, cpu_seconds, 1);
      spread(two.team());
      const rate both = measure(p, two, budget, wall_seconds, 0);
      std::printf("%-6d %-5d %-7d %-7s %18.0f %8.2f %21.0f %8.2f\n", int(l.rows), int(l.in), int(l.out),
                  names[f], alone.gflops, alone.share, both.gflops, both.share);
    }
  }
}
