#pragma once
#include <formwork/kernels/cpu/embedding.hpp>
#include <formwork/graph/call.hpp>

namespace formwork {

/// One row of a trainable table for each token, times a constant.
/// Shapes:   ids [N], table [V, D] -> y [N, D]
/// Gradient: row v of dtable += alpha times the sum of dy over the tokens v, in the order of the tokens
struct embedding_op {
  static constexpr label name = "embedding";

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::gather<T>(c.backend, c.pass.ids[int(c.n.rows)], table(c, c.parameter[0]), c.n.alpha, c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::scatter_add<T>(c.backend, c.pass.ids[int(c.n.rows)], c.d_out, c.n.alpha,
                                  table(c, c.d_parameter[0]));
  }

 private:
  template <class Call, class T>
  static matrix_view<T> table(const Call& c, T* data) {
    return {data, c.parameter_rows, c.n.width};
  }
};

namespace ops {

/// The embedded tokens of an axis, scaled. `vocabulary` is parameter::source_vocabulary or
/// ::target_vocabulary, or a number of rows. Tables of one name are one table (tied).
constexpr expr embedding(graph& g, axis rows, index_t vocabulary, index_t width, label table, double scale) {
  const short p = declare(g, {.name = table, .role = role::embedding, .rows = vocabulary, .columns = width,
                              .shared = true});
  return push(g, {.op = &record_of<embedding_op>,
                  .width = width,
                  .rows = rows,
                  .parameter = {p, -1},
                  .alpha = scale,
                  .name = table});
}

}  // namespace ops

}  // namespace formwork
