#pragma once
#include <formwork/kernels/cpu/stream_weights.hpp>
#include <formwork/ops/check.hpp>

#include <array>

namespace formwork {

namespace detail {
static_assert(graph::max_streams <= cpu::most_streams);

/// The number of operands: of streams.
constexpr index_t streams_of_weights(const node& n) {
  index_t count = 0;
  for (const short k : n.in) count += k >= 0;
  return count;
}
}  // namespace detail

/// Weights of n streams from what each of them says: constant + scale tanh(z_j).
/// Shapes:   z_j [N, n + 2], constant [n (n + 2)], scale [2] -> y [N, n (n + 2)]
/// Gradient: dz = dy scale (1 - tanh(z)^2), dconstant = sum dy, dscale = sum dy tanh(z)
/// Source:   Zhu et al. 2024 (Hyper-Connections), eq. 10 to 13
struct tanh_weights_op {
  static constexpr label name = "tanh_weights";
  static constexpr backward_reads reads(const node&) { return {.inputs = (1u << operands::capacity) - 1}; }
  static constexpr row_cost cost(const graph&, const node& n) { return {.flops = 2.0 * double(n.width)}; }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    const index_t n = detail::streams_of_weights(c.n);
    cpu::tanh_weights<T>(c.backend, c.in, n, c.parameter[0], c.parameter[1], c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    const index_t n = detail::streams_of_weights(c.n);
    cpu::tanh_weights_backward<T>(c.backend, c.d_out, c.in, n, c.parameter[1], c.d_in, c.adds,
                                  c.d_parameter[0], c.d_parameter[1]);
  }
};

/// Weights of n streams on the manifold of doubly stochastic matrices: with v = constant + scale sum_j z_j,
/// logistic(v) for a branch's input, 2 logistic(v) for its result and sinkhorn(exp(v)) from stream to stream.
/// Shapes:   z_j and y [N, n (n + 2)], constant [n (n + 2)], scale [3]
/// Gradient: through all steps of Sinkhorn's iteration, which backward computes again
/// Source:   Xie et al. 2025 (mHC), eq. 7 to 9
struct sinkhorn_weights_op {
  static constexpr label name = "sinkhorn_weights";
  static constexpr backward_reads reads(const node&) {
    return {.inputs = (1u << operands::capacity) - 1, .output = true};
  }
  static constexpr row_cost cost(const graph&, const node& n) {
    return {.flops = 4.0 * cpu::sinkhorn_steps * double(n.width)};
  }

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    const index_t n = detail::streams_of_weights(c.n);
    cpu::sinkhorn_weights<T>(c.backend, c.in, n, c.parameter[0], c.parameter[1], c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    const index_t n = detail::streams_of_weights(c.n);
    cpu::sinkhorn_weights_backward<T>(c.backend, c.d_out, c.in, c.out, n, c.parameter[0], c.parameter[1],
                                      c.d_in, c.adds, c.d_parameter[0], c.d_parameter[1]);
  }
};

namespace detail {

/// A node that makes the weights of N streams from what each of them says in `said` numbers. Its parameters:
/// `name`.constant [N (N + 2)] and `name`.scale, `scales` numbers that begin at `scale`.
template <std::size_t N>
constexpr expr stream_weights(const op_record& op, const std::array<expr, N>& z, index_t said, label name,
                              index_t scales, double scale) {
  static_assert(N >= 1 && N <= std::size_t(graph::max_streams),
                "stream weights: expected one to four streams");
  graph& g = *z[0].g;
  const index_t width = cpu::stream_weight_count(index_t(N));
  const short constant = declare(g, {.name = join(name, "constant"), .role = role::scalar, .rows = width});
  const short factor =
      declare(g, {.name = join(name, "scale"), .role = role::scalar, .rows = scales, .start = scale});
  node n{.op = &op, .width = width, .rows = z[0].rows(), .parameter = {constant, factor}, .name = name};
  for (std::size_t j = 0; j < N; ++j) {
    if (!same_rows(z[0], z[j])) throw "stream weights: all streams must run over the same token axis";
    if (z[j].width() != said) throw "stream weights: a stream says a wrong count of numbers";
    n.in[int(j)] = z[j].id;
  }
  return push(g, n);
}

}  // namespace detail

namespace ops {

/// constant + scale tanh(z_j), z_j [rows, N + 2] what stream j says of its own weights. The parameters are
/// `name`.constant [N (N + 2)], which begins at 0, and `name`.scale [2], which begins at `scale`.
/// Error: the z differ in token axis, or are not N + 2 wide.
template <std::size_t N>
constexpr expr tanh_weights(const std::array<expr, N>& z, label name, double scale) {
  return detail::stream_weights(record_of<tanh_weights_op>, z, index_t(N) + 2, name, 2, scale);
}

/// Weights whose stream-to-stream part is doubly stochastic, z_j [rows, N (N + 2)] what stream j says of all.
/// The parameters are `name`.constant [N (N + 2)], which begins at 0, and `name`.scale [3], which begins at
/// `scale`.
/// Error: the z differ in token axis, or are not N (N + 2) wide.
template <std::size_t N>
constexpr expr sinkhorn_weights(const std::array<expr, N>& z, label name, double scale) {
  return detail::stream_weights(record_of<sinkhorn_weights_op>, z, cpu::stream_weight_count(index_t(N)), name,
                                3, scale);
}

}  // namespace ops

}  // namespace formwork
