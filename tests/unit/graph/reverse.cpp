#include <formwork/graph/reverse.hpp>

#include <doctest/doctest.h>

#include <formwork/model/layers.hpp>
#include <formwork/ops/add.hpp>
#include <formwork/ops/fusions.hpp>
#include <formwork/ops/layer_norm.hpp>

#include "../../support/gradient.hpp"

using namespace formwork;

namespace {

constexpr index_t width = 8;

template <class F>
constexpr graph layer(F equation) {
  graph g{};
  const expr y = equation(stream_input(g, width, axis::source));
  g.outputs[0] = y.id;
  g.output_count = 1;
  return g;
}

constexpr int count(const gradient_program& p, gradient_step::kind what) {
  int n = 0;
  for (int t = 0; t < p.count; ++t) n += p.steps[t].what == what;
  return n;
}

constexpr expr square(expr x, label name) { return ops::linear(x, width, name, role::up); }

constexpr expr columns(expr x, index_t first, index_t count) {
  return push(*x.g, {.op = &record_of<slice_op>, .in = {x.id, -1, -1, -1}, .width = count, .rows = x.rows(),
                     .column = first});
}
constexpr expr out(expr x, label name) { return ops::linear(x, 5, name, role::down); }
constexpr expr inner(expr x) { return ops::linear(x, 6, "z", role::up); }

// Equations of a value and its columns; `zeros` is the number of zero steps their backward passes need.
struct slice_then_whole {
  static constexpr int zeros = 1;
  static constexpr expr y(expr x) {
    const expr z = inner(x);
    return out(z, "whole") + out(columns(z, 1, 3), "part");  // the last operand's gradient comes first
  }
};
struct whole_then_slice {
  static constexpr int zeros = 0;  // the whole's gradient comes first and writes all columns
  static constexpr expr y(expr x) {
    const expr z = inner(x);
    return out(columns(z, 1, 3), "part") + out(z, "whole");
  }
};
struct residual_then_slice {
  static constexpr int zeros = 0;  // z shares the sum's gradient
  static constexpr expr y(expr x) {
    const expr z = ops::linear(x, 5, "z", role::up);
    return 2.0 * out(columns(z, 2, 3), "part") + z;
  }
};
struct residual_and_slice_in_one {
  static constexpr int zeros = 1;  // the fused product's kernel adds to the slice before the residual passes
  static constexpr expr y(expr x) {
    const expr z = ops::linear(x, 5, "z", role::up);
    return out(columns(z, 2, 3), "part") + z;
  }
};
struct slice_alone {
  static constexpr int zeros = 1;
  static constexpr expr y(expr x) { return out(columns(inner(x), 2, 3), "part"); }
};
struct slices_overlap {
  static constexpr int zeros = 1;
  static constexpr expr y(expr x) {
    const expr z = inner(x);
    return out(columns(z, 0, 4), "left") + out(columns(z, 2, 4), "right");
  }
};
struct slice_of_slice {
  static constexpr int zeros = 1;
  static constexpr expr y(expr x) {
    const expr left = columns(inner(x), 0, 5);
    return out(columns(left, 1, 3), "inside") + 2.0 * left;
  }
};
struct slice_of_stream {
  static constexpr int zeros = 1;
  static constexpr expr y(expr x) { return out(columns(x, 1, 2), "part"); }
};
struct slice_and_stream {
  static constexpr int zeros = 0;
  static constexpr expr y(expr x) { return x + 2.0 * out(columns(x, 0, 3), "part"); }
};
struct tiles {
  static constexpr int zeros = 0;  // as queries, keys and values: each column through one view, some twice
  static constexpr expr y(expr x) {
    const expr z = inner(x), right = columns(z, 3, 3);
    return out(columns(z, 0, 3), "a") + out(right, "b") + out(2.0 * right, "c");
  }
};
/// Two outputs: a value and what is made of its columns.
struct slice_of_output {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    const expr y = out(stream_input(g, 5, axis::source), "y");
    detail::set_outputs(g, std::array{y, out(columns(y, 1, 3), "part")});
    return g;
  }();
};
struct queries_keys_values {
  static constexpr int zeros = 0;
  static constexpr expr y(expr x) {
    const expr q = ops::linear(x, 5, "q", role::query), k = ops::linear(x, 5, "k", role::key),
               v = ops::linear(x, 5, "v", role::value);
    return ops::attention(q, k, v, 1, true);
  }
};

}  // namespace

TEST_CASE_TEMPLATE("reverse: gradients of values that are read through views", E, slice_then_whole,
                   whole_then_slice, residual_then_slice, residual_and_slice_in_one, slice_alone,
                   slices_overlap, slice_of_slice, slice_of_stream, slice_and_stream, tiles,
                   queries_keys_values) {
  using layer = formwork_test::equation_layer<E, 5>;
  CHECK(formwork_test::gradients_pass<layer>() >= 1);
  CHECK(count(program<layer, dialect, double, cpu_backend>::gradients, gradient_step::zero) == E::zeros);
}

TEST_CASE("reverse: columns of a value that leaves the layer") {
  CHECK(formwork_test::gradients_pass<slice_of_output>() == 5);
}

TEST_CASE("reverse: operands of one op may be the same columns or none in common") {
  const auto attend = [](index_t q, index_t k, index_t v) {
    return layer([=](expr x) {
      const expr z = ops::linear(x, 9, "z", role::up);
      return ops::attention(columns(z, q, 3), columns(z, k, 3), columns(z, v, 3), 1, false);
    });
  };
  CHECK_NOTHROW(differentiate(attend(0, 3, 6)));
  CHECK_NOTHROW(differentiate(attend(1, 1, 1)));
  CHECK_THROWS_WITH(
      differentiate(attend(0, 2, 5)),
      "graph: two operands of an op share some columns of one value; give one a copy: 1.0 * x");
}

TEST_CASE("reverse: a residual passes its gradient on without a copy or an addition of its own") {
  static constexpr graph g = layer([](expr x) { return x + square(ops::layer_norm(x, "norm"), "f"); });
  static constexpr gradient_program p = differentiate(g);
  static_assert(count(p, gradient_step::copy) == 0 && count(p, gradient_step::add) == 0);
  static_assert(p.count == 2, "the linear and the norm have kernels, the addition has none");
  // The norm adds to the stream's gradient, which still holds what the residual passed on.
  CHECK(p.steps[1].node == 1);
  CHECK(p.steps[1].adds[0]);
  CHECK(p.steps[1].d_in[0].where == region::stream);
}

TEST_CASE("reverse: a gradient that two values share is copied before one of them changes it") {
  // d(a) and d(b) are the same buffer at first; a's other use adds to d(a) while d(b) is still to be read.
  static constexpr graph g = layer([](expr x) {
    const expr b = square(x, "b");
    const expr a = square(x, "a");
    return (a + b) + square(a, "c");
  });
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::copy) == 1);
}

TEST_CASE("reverse: one value as both operands gets both gradients") {
  static constexpr graph g = layer([](expr x) {
    const expr y = square(x, "f");
    return y + y;
  });
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::copy) + count(p, gradient_step::add) >= 1);
}

TEST_CASE("reverse: an input that nothing reads gets a zero gradient") {
  static constexpr graph g = [] {
    graph g{};
    const expr x = stream_input(g, width, axis::source);
    stream_input(g, width, axis::source);
    g.outputs[0] = square(x, "f").id;
    g.output_count = 1;
    return g;
  }();
  static constexpr gradient_program p = differentiate(g);
  CHECK(count(p, gradient_step::zero) == 1);
  CHECK(p.steps[p.count - 1].d_in[0].stream == 1);
}
