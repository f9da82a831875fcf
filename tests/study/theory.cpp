// The setting of the theory of Xiong et al. 2020, section 3: one head, uniform attention, square matrices,
// Gaussian inputs, one sequence of 32 tokens, width 128. Expected numbers: an independent implementation, 20
// seeds.
#include <formwork/model/layer_stack.hpp>
#include <formwork/model/layers.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/policy/init/xavier.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../support/random_fill.hpp"

using namespace formwork;

namespace {

constexpr index_t D = 128, N = 32, V = 500;
constexpr int seeds = 20;

template <class Placement>
struct theory : config {
  static constexpr dims size{.d_model = D, .d_ff = D, .heads = 1};
  using placement = Placement;
};

/// Attention without output matrix; its queries and keys are 0, so that it averages.
template <class Placement>
struct theory_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    std::array x{stream_input(g, D, axis::source)};
    const auto product = [](expr y, label name, role r) { return ops::linear(y, D, name, r); };
    x = detail::place_sublayers<theory<Placement>>(
        x, {sublayer::self_attention, sublayer::feed_forward},
        [&](expr y) {
          return ops::attention(product(y, "query", role::query), product(y, "key", role::key),
                                product(y, "value", role::value), 1, false);
        },
        [&](expr y) { return product(ops::apply(relu{}, product(y, "up", role::up)), "down", role::down); });
    detail::set_outputs(g, x);
    return g;
  }();
};

struct figures {
  double gradient = 0;   ///< norm of the gradient of the last layer's second matrix
  double last_norm = 0;  ///< ||x||^2 / D behind the last layer
  std::vector<double>
      layer_norms;  ///< ||x||^2 / D of each layer: behind it, in Post-LN in front of its last norm
};

double mean_square(matrix_view<double> x) {
  double sum = 0;
  for (index_t r = 0; r < x.rows; ++r)
    for (index_t c = 0; c < x.width; ++c) sum += x.row(r)[c] * x.row(r)[c];
  return sum / double(x.rows * x.width);
}

/// Means over the seeds for a stack of so many layers.
template <class Placement>
figures measure(int layers) {
  using layer = program<theory_layer<Placement>, dialect, double, cpu_backend>;
  using end = program<final_layer<theory<Placement>, axis::source>, dialect, double, cpu_backend>;
  const index_t starts[] = {0, N};
  cpu_backend backend(1);
  figures out{.layer_norms = std::vector<double>(std::size_t(layers))};
  for (int seed = 1; seed <= seeds; ++seed) {
    parameter_store<double> store;
    layer_stack<layer, double, cpu_backend> stack;
    layer_stack<end, double, cpu_backend> last;
    stack.declare(store, "l", true, layers, {.stack = stack_kind::encoder, .encoder_layers = layers}, 1, 1);
    last.declare(store, "end", false, 1, {}, 1, 1);
    store.initialise(xavier_normal{}, std::uint64_t(seed), [](const parameter_info& p) {
      return p.role == role::query || p.role == role::key ? 0.0 : 1.0;
    });
    std::vector<double> kept(std::size_t((stack.kept() + last.kept()).at(N, 0))), x(N * D), dx(N * D),
        head(V * D), dhead(V * D), scratch(std::size_t(upper(layer::scratch, end::scratch).at(N, 0)));
    formwork_test::fill_normal(matrix_view<double>(x.data(), N, D), 1000 + std::uint64_t(seed));
    formwork_test::fill_normal(matrix_view<double>(head.data(), V, D), 2000 + std::uint64_t(seed),
                               1 / std::sqrt(double(D)));
    std::vector<token_t> targets;
    for (index_t i = 0; i < N; ++i)
      targets.push_back(token_t(random_stream{std::uint64_t(seed), 3}.below(std::uint64_t(i), V)));
    pass_state<double> pass;
    pass.rows[0] = {starts, 1};
    layer_memory<double> memory{.source_rows = N, .kept = kept.data(), .scratch = scratch.data()};
    layer_memory<double> behind = memory;
    behind.kept += stack.kept().at(N, 0);
    const auto x_last = stack.forward(backend, pass, memory, {x.data()}, store);
    const auto result = last.forward(backend, pass, behind, x_last, store);
    smoothed_cross_entropy{.epsilon = 0}.gradient<double>(
        backend, {result[0], N, D}, {.weight = {head.data(), V, D}, .d_weight = {dhead.data(), V, D}},
        targets.data(), {dx.data(), N, D});
    layer_memory<double> gradients = memory;
    gradients.stream[0] = dx.data();
    last.backward(backend, pass, behind, x_last, gradients, store);
    stack.backward(backend, pass, memory, {x.data()}, gradients, store);

    const auto g = store.gradient(text("l.", layers - 1, ".down.weight"));
    out.gradient += std::sqrt(mean_square(g) * double(D * D)) / double(N) / seeds;
    out.last_norm += mean_square({x_last[0], N, D}) / seeds;
    for (int l = 0; l < layers; ++l) {
      layer_memory<double> own = memory;
      own.kept += l * layer::values.kept.at(N, 0);
      own.stream[0] = stack.layer_inputs(l, memory, {x.data()})[0];
      int seen = layer::graph.outputs[0];  // Post-LN: what its last norm reads
      if (layer::graph[seen].op == &record_of<layer_norm_op>) seen = layer::graph[seen].in[0];
      out.layer_norms[std::size_t(l)] += mean_square(layer::value(seen, pass, own)) / seeds;
    }
  }
  return out;
}

const std::vector<int> depths{2, 4, 6, 8, 10, 12, 14};

/// Slope of log(values) over log(depths) by least squares.
double slope(const std::vector<double>& values) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = std::log(double(depths[i])), y = std::log(values[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  const double n = double(values.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace

TEST_CASE(
    "theorem 1: the last gradient of Post-LN does not depend on the depth, that of Pre-LN falls like "
    "1/sqrt(L)") {
  // From the independent implementation, at 2, 4, ... 14 layers.
  const double post_expected[] = {1.162, 1.179, 1.171, 1.199, 1.197, 1.206, 1.214};
  const double pre_expected[] = {0.973, 0.733, 0.613, 0.517, 0.460, 0.407, 0.373};
  std::vector<double> post, pre, law;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const figures of_post = measure<post_norm>(depths[i]), of_pre = measure<pre_norm>(depths[i]);
    post.push_back(of_post.gradient);
    pre.push_back(of_pre.gradient);
    law.push_back(of_pre.gradient * std::sqrt(of_pre.last_norm));
    MESSAGE(depths[i], " layers: Post-LN ", post.back(), " Pre-LN ", pre.back());
    CHECK(post.back() == doctest::Approx(post_expected[i]).epsilon(0.08));
    CHECK(pre.back() == doctest::Approx(pre_expected[i]).epsilon(0.08));
  }
  // A6
  CHECK(*std::max_element(post.begin(), post.end()) < 1.15 * *std::min_element(post.begin(), post.end()));
  CHECK(std::abs(slope(post)) < 0.08);
  // A7; the exact law behind the root: gradient times the norm of the hidden state is constant.
  CHECK(slope(pre) > -0.58);
  CHECK(slope(pre) < -0.42);
  CHECK(pre[2] / pre[5] > 1.35);
  CHECK(pre[2] / pre[5] < 1.65);
  CHECK(*std::max_element(law.begin(), law.end()) < 1.08 * *std::min_element(law.begin(), law.end()));
}

TEST_CASE("lemma 2: the norm of hidden states at initialisation") {
  const figures post = measure<post_norm>(14), pre = measure<pre_norm>(14);
  double mean = 0;
  for (const double n : post.layer_norms) mean += n / 14;
  CHECK(mean > 1.45);  // A4: 3/2
  CHECK(mean < 1.55);
  for (int l = 1; l <= 14; ++l) {  // A5
    CHECK(pre.layer_norms[std::size_t(l) - 1] >= 1 + l / 2.0);
    CHECK(pre.layer_norms[std::size_t(l) - 1] <= 1 + 3 * l / 2.0);
  }
}

TEST_CASE("lemma 1: a rectified Gaussian row has half of its squared norm") {
  const random_stream random{5, 6};
  double sum = 0;
  constexpr int n = 1 << 20;
  for (int i = 0; i < n; ++i) {
    const double y = relu{}(random.normal(std::uint64_t(i)));
    sum += y * y;
  }
  CHECK(sum / n == doctest::Approx(0.5).epsilon(0.01));  // A3
}

namespace {

/// y = LayerNorm(x) without epsilon.
struct plain_norm {
  static constexpr expr y(expr x) { return ops::layer_norm(x, "norm", 0); }
};
struct norm_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    detail::set_outputs(g, std::array{plain_norm::y(stream_input(g, D, axis::source))});
    return g;
  }();
};

}  // namespace

TEST_CASE(
    "lemma 3: LayerNorm's result has norm sqrt(d), its Jacobian the spectral norm sqrt(d) / ||x - mean||") {
  using norm = program<norm_layer, dialect, double, cpu_backend>;
  const index_t starts[] = {0, 1};
  cpu_backend backend(1);
  parameter_store<double> store;
  layer_stack<norm, double, cpu_backend> stack;
  stack.declare(store, "n", false, 1, {}, 1, 1);
  store.initialise(xavier_normal{}, 1);
  std::vector<double> kept(std::size_t(norm::values.kept.at(1, 0))),
      scratch(std::size_t(norm::scratch.at(1, 0))), x(D), u(D);
  pass_state<double> pass;
  pass.rows[0] = {starts, 1};
  layer_memory<double> memory{.source_rows = 1, .kept = kept.data(), .scratch = scratch.data()};
  for (const double size : {0.1, 1.0, 30.0}) {
    formwork_test::fill_normal(matrix_view<double>(x.data(), 1, D), 17, size);
    formwork_test::fill_normal(matrix_view<double>(u.data(), 1, D), 18);
    const double* y = stack.forward(backend, pass, memory, {x.data()}, store)[0];
    CHECK(std::abs(mean_square({const_cast<double*>(y), 1, D}) - 1) < 1e-5);  // A1
    double mean = 0, square = 0, length = 0;
    for (const double a : x) mean += a / D;
    for (const double a : x) square += (a - mean) * (a - mean);
    layer_memory<double> gradients = memory;
    gradients.stream[0] = u.data();
    for (int i = 0; i < 60; ++i) {  // the Jacobian is symmetric: power iteration by its backward pass
      length = std::sqrt(mean_square({u.data(), 1, D}) * D);
      for (double& a : u) a /= length;
      stack.backward(backend, pass, memory, {x.data()}, gradients, store);
    }
    length = std::sqrt(mean_square({u.data(), 1, D}) * D);
    CHECK(length == doctest::Approx(std::sqrt(double(D) / square)).epsilon(1e-4));  // A2
  }
}
