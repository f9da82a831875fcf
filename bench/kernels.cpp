// Speed of the row kernels and of attention at the shapes of Transformer layers, fp32. Every kernel gets its
// time an element, the memory traffic (each array counted once) beside that of a plain copy, or the flops
// beside the peak of fused multiply-adds; both references are measured in the same run. One thread: thread
// CPU time. More threads (argument): wall time, meaningful on an idle machine only.
// Lower quartile of the repetitions.
#include <formwork/kernels/cpu/attention.hpp>
#include <formwork/kernels/cpu/columns.hpp>
#include <formwork/kernels/cpu/cross_entropy.hpp>
#include <formwork/kernels/cpu/dropout.hpp>
#include <formwork/kernels/cpu/dynamic_norm.hpp>
#include <formwork/kernels/cpu/elementwise.hpp>
#include <formwork/kernels/cpu/embedding.hpp>
#include <formwork/kernels/cpu/gate.hpp>
#include <formwork/kernels/cpu/layer_norm.hpp>
#include <formwork/kernels/cpu/rms_norm.hpp>
#include <formwork/policy/activation/activation.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

using namespace formwork;

namespace {

double seconds(int threads) {
  if (threads > 1)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Lower quartile of the seconds of f(), after two calls that grow scratch memory and warm the cache.
template <class F>
double time_of(cpu_backend& backend, F f) {
  f();
  f();
  std::vector<double> times;
  const double begin = seconds(backend.threads());
  while (times.size() < 15 || (times.size() < 400 && seconds(backend.threads()) - begin < 0.15)) {
    const double start = seconds(backend.threads());
    f();
    times.push_back(seconds(backend.threads()) - start);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 4];
}

storage<float> numbers(index_t n, std::uint64_t stream) {
  storage<float> x(n);
  const random_stream random{1, stream};
  for (index_t i = 0; i < n; ++i) x[i] = float(random.uniform(std::uint64_t(i))) - 0.5f;
  return x;
}

volatile float keep;

/// GFLOP/s of 16 chains of fused multiply-adds on each thread.
double peak(cpu_backend& backend) {
  constexpr int chains = 16, steps = 100000;
  const double time = time_of(backend, [&] {
    backend.team().run(backend.threads(), [](index_t) {
      simd::batch<float> sum[chains];
      for (auto& s : sum) s = simd::batch<float>(0.0f);
      const simd::batch<float> x(1.0001f), y(1e-9f);
      for (int i = 0; i < steps; ++i) {
#pragma GCC unroll 16
        for (int j = 0; j < chains; ++j) sum[j] = simd::fma(sum[j], x, y);
      }
      for (int j = 1; j < chains; ++j) sum[0] = sum[0] + sum[j];
      keep = simd::sum<float>(sum[0]);
    });
  });
  return 2.0 * double(simd::width<float>) * chains * steps * backend.threads() / time * 1e-9;
}

struct row_bench {
  cpu_backend& backend;
  index_t rows, width, n = rows * width;
  storage<float> a = numbers(n, 1), b = numbers(n, 2), c = numbers(n, 3), d{n}, e{n},
                 gain = numbers(width, 4), bias = numbers(width, 5), stats{rows * 2};
  double copy = 0;

  matrix_view<float> view(storage<float>& s) { return {s.data(), rows, width}; }

  template <class F>
  void line(const char* name, double bytes, F f) {
    const double time = time_of(backend, f), rate = bytes * double(n) / time * 1e-9;
    if (copy == 0) copy = rate;
    std::printf("%-34s %5lld x %-6lld %7.3f ns/element %7.1f GB/s  %5.2f of copy\n", name, (long long)rows,
                (long long)width, time / double(n) * 1e9, rate, rate / copy);
  }

  void run() {
    line("copy", 8, [&] {
      backend.team().run(64, [&](index_t i) {
        std::memcpy(b.data() + i * (n / 64), a.data() + i * (n / 64), sizeof(float) * std::size_t(n / 64));
      });
    });
    line("dropout 0.1", 8, [&] { cpu::dropout<float>(backend, view(a), view(b), {0.1, 1, 2, 3}); });
    line("dropout 0.1, added to a residual", 12, [&] {
      cpu::dropout<float>(backend, view(a), view(b), {0.1, 1, 2, 3}, true);
    });
    const matrix_view<float> st(stats.data(), rows, 2);
    line("layer_norm forward", 8, [&] {
      cpu::layer_norm_forward<float>(backend, view(a), gain.data(), bias.data(), 1e-5, view(b), st);
    });
    line("layer_norm backward", 12, [&] {
      cpu::layer_norm_backward<float>(backend, view(b), view(a), st, gain.data(), view(c), false, gain.data(),
                                      bias.data());
    });
    using cpu::row_size;
    line("rms_norm forward", 8, [&] {
      cpu::rms_norm_forward<float>(backend, view(a), gain.data(), row_size::rms, 1e-5, view(b), st);
    });
    line("rms_norm backward", 12, [&] {
      cpu::rms_norm_backward<float>(backend, view(b), view(a), st, gain.data(), row_size::rms, view(c), false,
                                    bias.data());
    });
    const auto head = [&](storage<float>& x, index_t h) { return view(x).columns(h * width / 8, width / 8); };
    line("rms_norm of 8 heads forward", 8, [&] {
      for (index_t h = 0; h < 8; ++h)
        cpu::rms_norm_forward<float>(backend, head(a, h), gain.data(), row_size::rms, 1e-5, head(b, h), st);
    });
    line("rms_norm of 8 heads backward", 12, [&] {
      for (index_t h = 0; h < 8; ++h)
        cpu::rms_norm_backward<float>(backend, head(b, h), head(a, h), st, gain.data(), row_size::rms,
                                      head(c, h), false, bias.data());
    });
    const cpu::dynamic_norm_parameters<const float> dynamic{gain.data(), bias.data(), gain.data(), nullptr};
    line("dynamic_norm (tanh) forward", 8,
         [&] { cpu::dynamic_norm_forward<float>(backend, view(a), hyperbolic_tangent{}, dynamic, view(b)); });
    line("dynamic_norm (tanh) backward", 12, [&] {
      cpu::dynamic_norm_backward<float>(
          backend, view(b), view(a), hyperbolic_tangent{}, dynamic, view(c), false,
          {stats.data(), stats.data() + width, stats.data() + 2 * width, nullptr});
    });
    line("gate (silu) forward", 12,
         [&] { cpu::gate_forward<float>(backend, silu{}, view(a), view(b), view(c)); });
    line("gate (silu) backward", 20, [&] {
      cpu::gate_backward<float>(backend, silu{}, view(a), view(b), view(c), view(d), false, view(e), false);
    });
    line("scale_columns forward", 8,
         [&] { cpu::scale_columns<float>(backend, view(a), gain.data(), width, view(b)); });
    line("scale_columns backward", 12, [&] {
      cpu::scale_columns_backward<float>(backend, view(b), view(a), gain.data(), width, view(c), false,
                                         bias.data());
    });
    line("column_sum", 4, [&] { cpu::column_sum<float>(backend, view(a), gain.data()); });
    line("sum_of_squares", 4, [&] { cpu::sum_of_squares(backend, a.data(), n); });
    line("first_non_finite", 4, [&] { cpu::first_non_finite(backend, a.data(), n); });
    std::vector<token_t> ids;
    const random_stream random{1, 9};
    for (index_t i = 0; i < rows; ++i)
      ids.push_back(token_t(random.below(std::uint64_t(i), std::uint64_t(rows))));
    line("gather", 8, [&] { cpu::gather<float>(backend, ids.data(), view(a), 2, view(b)); });
    line("scatter_add", 12, [&] { cpu::scatter_add<float>(backend, ids.data(), view(a), 1e-3, view(b)); });
  }
};

void attention_line(cpu_backend& backend, index_t length, index_t width, bool causal, double rate,
                    double top) {
  const index_t heads = 4, d = heads * width, count = std::max<index_t>(4, 2048 / length), n = count * length;
  const storage<float> qkv = numbers(n * 3 * d, 1), dout = numbers(n * d, 2);
  storage<float> out(n * d), gradient(n * 3 * d), lse(n * heads);
  std::vector<index_t> start;
  for (index_t b = 0; b <= count; ++b) start.push_back(b * length);
  const sequences rows{start.data(), count};
  const auto part = [&](auto* data, index_t i) { return matrix_view(data + i * d, n, d, 3 * d); };
  const cpu::attention<float> a{
      part(qkv.data(), 0),          part(qkv.data(), 1), part(qkv.data(), 2), rows, rows, heads, causal,
      1 / std::sqrt(double(width)), {rate, 1, 2, 3}};
  const cpu::attention_gradients<float> g{part(gradient.data(), 0), part(gradient.data(), 1),
                                          part(gradient.data(), 2)};
  const matrix_view<float> o(out.data(), n, d), sums(lse.data(), n, heads);
  const double forward = time_of(backend, [&] { cpu::attention_forward<float>(backend, a, o, sums); });
  const double backward = time_of(backend, [&] {
    cpu::attention_backward<float>(backend, a, o, sums, {dout.data(), n, d}, g);
  });
  const double pairs = causal ? 0.5 * double(length) * double(length + 1) : double(length * length);
  const double flops = 4 * pairs * double(d * count);
  std::printf(
      "T %-4lld K %-4lld %-8s dropout %.1f  forward %6.1f GFLOP/s %4.2f of peak  backward %6.1f GFLOP/s "
      "%4.2f\n",
      (long long)length, (long long)width, causal ? "causal" : "full", rate, flops / forward * 1e-9,
      flops / forward * 1e-9 / top, 2.5 * flops / backward * 1e-9, 2.5 * flops / backward * 1e-9 / top);
}

void cross_entropy_line(cpu_backend& backend, index_t n, index_t d, index_t vocabulary, double top) {
  const storage<float> x = numbers(n * d, 1), weight = numbers(vocabulary * d, 2),
                       bias = numbers(vocabulary, 3);
  storage<float> dx(n * d), dweight(vocabulary * d), dbias(vocabulary);
  const std::vector<token_t> targets(std::size_t(n), 1);
  const cpu::cross_entropy_arguments<float> a{
      {x.data(), n, d}, {weight.data(), vocabulary, d}, bias.data(), targets.data(), 0.1};
  const cpu::cross_entropy_gradients<float> g{
      {dx.data(), n, d}, false, {dweight.data(), vocabulary, d}, dbias.data()};
  const double time = time_of(backend, [&] { cpu::cross_entropy_gradient<float>(backend, a, g); });
  const double rate = 6.0 * double(n) * double(d) * double(vocabulary) / time * 1e-9;
  std::printf("N %lld D %lld V %lld: loss and gradients %7.2f ms %6.1f GFLOP/s %4.2f of peak\n", (long long)n,
              (long long)d, (long long)vocabulary, time * 1e3, rate, rate / top);
}

}  // namespace

int main(int count, char** arguments) {
  cpu_backend backend(count > 1 ? std::atoi(arguments[1]) : 1);
  const double top = peak(backend);
  std::printf("%d thread(s), peak %.0f GFLOP/s\n\n", backend.threads(), top);
  row_bench{backend, 4096, 128}.run();
  row_bench{backend, 4096, 512}.run();
  std::printf("\nattention\n");
  for (const bool causal : {false, true})
    for (const double rate : {0.0, 0.1})
      for (const auto& [length, width] : {std::pair{16, 32}, {32, 32}, {25, 128}, {64, 64}, {128, 64}})
        attention_line(backend, length, width, causal, rate, top);
  std::printf("\ncross_entropy\n");
  cross_entropy_line(backend, 1024, 128, 6000, top);
  cross_entropy_line(backend, 1024, 512, 10000, top);
}
