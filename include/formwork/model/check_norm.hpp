#pragma once
#include <formwork/model/check_gradient.hpp>
#include <formwork/model/layers.hpp>

#include <cmath>

namespace formwork {

namespace detail {

/// A layer of nothing but a norm over `Heads` heads of `Width` columns.
template <class Norm, index_t Width, int Heads>
struct lone_norm {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr x = stream_input(g, Width * Heads, axis::target);
    expr y = x;
    if constexpr (Heads > 1)
      y = Norm::apply(x, "n", Heads);
    else
      y = Norm::apply(x, "n");
    set_outputs(g, std::array{y});
    return g;
  }();
};

/// Result, width and parameters of a norm's equation.
inline void check_norm_graph(const graph& g, index_t width) {
  const node& y = g[g.outputs[0]];
  if (y.width != width || y.rows != axis::target)
    fail("norm: a value of ", width, " columns becomes one of ", y.width, ", or of another token axis");
  for (int i = 0; i < g.parameter_count; ++i) {
    const std::string_view name = g.parameters[i].name;
    if (name != "n" && name.substr(0, 2) != "n.")
      fail("norm: parameter '", name,
           "' does not begin with the name that apply was given; use join(name, \"", name,
           "\"), or all norms of a layer share it");
  }
  for (int i = 0; i < g.count; ++i)
    if (!g[i].is_input() && g[i].op->mixes_rows(g[i]))
      fail("norm: op '", g[i].op->name, "' mixes rows; a token's norm must not depend on other tokens");
}

/// Rows of 0 (padding, an embedding that starts at 0) and large rows, with usual parameters: everything stays
/// finite, and a row's result is the same whatever stands in the others.
template <class Layer, class Dialect>
void check_norm_rows() {
  layer_run<Layer, Dialect> run({}, {1, 2});
  run.parameters().initialise(
      [](const parameter_info& p, const random_stream& r, std::uint64_t i) {
        return p.columns > 1 ? r.normal(i) / std::sqrt(double(p.columns)) : p.start;
      },
      1);
  const index_t width = run.table[run.table.outputs[0]].width;
  const random_stream random{1, 2};
  std::vector<double> alone;
  for (const double size : {0.0, 1e4}) {
    for (index_t i = 0; i < 3 * width; ++i) {
      run.input(0).data[i] = (i < width ? 1 : size) * random.normal(std::uint64_t(i));
      run.gradient(0).data[i] = 1;
    }
    run.forward();
    const std::vector<double> first(run.output(0).row(0), run.output(0).row(0) + width);
    for (index_t i = 0; i < 3 * width; ++i)
      if (!std::isfinite(run.output(0).data[i]))
        fail("norm: a row of numbers of size ", size, " becomes ", run.output(0).data[i]);
    if (!alone.empty() && first != alone) fail("norm: a row's result depends on other rows");
    alone = first;
    run.backward();
    for (index_t i = 0; i < 3 * width; ++i)
      if (!std::isfinite(run.gradient(0).data[i]))
        fail("norm: the gradient at a row of numbers of size ", size, " is ", run.gradient(0).data[i]);
  }
}

template <class Norm, class Dialect, index_t Width, int Heads>
void check_norm_at() {
  using layer = lone_norm<Norm, Width, Heads>;
  check_norm_graph(layer::graph, Width * Heads);
  check_norm_rows<layer, Dialect>();
  for (const gradient_check& c : check_gradient<layer, Dialect>())
    if (!c.passed())
      fail("norm: the gradient of ", c.name, " is wrong for ", Heads, " times ", Width,
           " columns: it differs from a central difference by ", c.coarse,
           ", and with a quarter of the step by ", c.fine);
}

}  // namespace detail

/// Tests a norm on a few widths, and on heads if it takes them: the shape of the result, the names of its
/// parameters, that every row is normalised on its own, finite results and gradients at rows of 0 and at
/// large ones, and all gradients against central differences. Throws `error` with a sentence for the first
/// rule broken.
template <class Norm, class Dialect = dialect>
void check_norm() {
  static_assert(explain_norm<Norm>());
  detail::check_norm_at<Norm, Dialect, 7, 1>();
  detail::check_norm_at<Norm, Dialect, 34, 1>();
  if constexpr (head_norm<Norm>) detail::check_norm_at<Norm, Dialect, 5, 3>();
}

}  // namespace formwork
