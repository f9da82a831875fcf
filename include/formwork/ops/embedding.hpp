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

/// One row of a trainable table for the segment of each token.
/// Shapes:   segments [N], table [kinds, D] -> y [N, D]
/// Gradient: row s of dtable += the sum of dy over the tokens of segment s
struct segment_embedding_op {
  static constexpr label name = "segment_embedding";

  template <class Call>
  static void forward(const Call& c) {
    using T = typename Call::scalar;
    cpu::gather<T>(c.backend, c.pass.segments, {c.parameter[0], c.parameter_rows, c.n.width}, 1, c.out);
  }
  template <class Call>
  static void backward(const Call& c) {
    using T = typename Call::scalar;
    cpu::scatter_add<T>(c.backend, c.pass.segments, c.d_out, 1,
                        {c.d_parameter[0], c.parameter_rows, c.n.width});
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

/// A row of a trainable table [kinds, width] for the segment of each source token (pass_state::segments).
constexpr expr segment_embedding(graph& g, axis rows, index_t kinds, index_t width, label table) {
  const short p = declare(g, {.name = table, .role = role::embedding, .rows = kinds, .columns = width});
  return push(g, {.op = &record_of<segment_embedding_op>,
                  .width = width,
                  .rows = rows,
                  .parameter = {p, -1},
                  .name = table});
}

}  // namespace ops

}  // namespace formwork
