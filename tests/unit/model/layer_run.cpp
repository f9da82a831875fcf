#include <formwork/model/layer_run.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

using namespace formwork;

namespace {

constexpr expr f(expr x, label name) { return ops::linear(x, 5, name, role::up); }

template <class Streams>
struct streams_layer {
  static constexpr formwork::graph graph = [] {
    formwork::graph g{};
    std::array<expr, 3> x{};
    for (expr& s : x) s = stream_input(g, 5, axis::source);
    detail::set_outputs(g, Streams::y(x));
    return g;
  }();
};
struct swapped {
  static constexpr std::array<expr, 3> y(std::array<expr, 3> x) { return {x[1], x[2], x[0]}; }
};
struct dropped {
  static constexpr std::array<expr, 3> y(std::array<expr, 3> x) { return {f(x[1], "a"), x[1], f(x[1], "a")}; }
};
struct crossed {
  static constexpr std::array<expr, 3> y(std::array<expr, 3> x) {
    const expr a = x[0] + f(x[1], "a"), b = x[1] + f(a, "b");
    return {b, a + b, x[2] + x[0]};
  }
};
struct merged {
  static constexpr std::array<expr, 1> y(std::array<expr, 3> x) { return {x[0] + 2.0 * x[1] + f(x[2], "a")}; }
};
/// Products that would be columns of one, but leave the layer.
struct products {
  static constexpr std::array<expr, 3> y(std::array<expr, 3> x) {
    return {f(x[0], "a"), f(x[0], "b"), x[1] + 2.0 * f(x[0], "c")};
  }
};
struct fewer {
  static constexpr std::array<expr, 2> y(std::array<expr, 3> x) { return {x[2], x[2]}; }
};

struct tiny : config {
  static constexpr dims size{.d_model = 6, .d_ff = 7, .heads = 2, .encoder_layers = 1, .decoder_layers = 1};
};

}  // namespace

TEST_CASE_TEMPLATE("layer_run: gradients of streams that cross, split, end and are exchanged", S, swapped,
                   dropped, crossed, merged, products, fewer) {
  CHECK(formwork_test::gradients_pass<streams_layer<S>>() >= 3);
  CHECK(formwork_test::gradients_pass<streams_layer<S>>({.source = {1}}) >= 3);
}

TEST_CASE("layer_run: starts with zeros; results and gradients lie where they are said to lie") {
  layer_run<streams_layer<swapped>> run({2, 1}, {});
  for (int s = 0; s < 3; ++s)
    CHECK((run.input(s).rows == 3 && run.input(s).width == 5 && run.input(s).data[7] == 0));
  for (int s = 0; s < 3; ++s) formwork_test::fill_normal(run.input(s), std::uint64_t(s));
  run.forward();
  for (int s = 0; s < 3; ++s) formwork_test::fill_normal(run.gradient(s), std::uint64_t(10 + s));
  std::vector<double> before[3];
  for (int s = 0; s < 3; ++s) before[s].assign(run.gradient(s).data, run.gradient(s).data + 15);
  run.backward();
  for (int s = 0; s < 3; ++s)
    for (index_t i = 0; i < 15; ++i) {
      CHECK(run.output(s).data[i] == run.input((s + 1) % 3).data[i]);
      CHECK(run.gradient((s + 1) % 3).data[i] == before[s][std::size_t(i)]);
    }
}

TEST_CASE("layer_run: a second backward pass gives the same, not the sum") {
  layer_run<decoder_layer<tiny>> run(std::vector<index_t>{2, 4}, std::vector<index_t>{3, 1});
  formwork_test::fill_normal(run.parameters());
  formwork_test::fill_normal(run.input(0), 1);
  formwork_test::fill_normal(run.memory(), 2);
  std::vector<double> first;
  for (int pass = 0; pass < 2; ++pass) {
    run.forward();
    formwork_test::fill_normal(run.gradient(0), 3);
    run.backward();
    std::vector<double> all(run.parameters().gradients(),
                            run.parameters().gradients() + run.parameters().size());
    all.insert(all.end(), run.d_memory().data, run.d_memory().data + 36);
    all.insert(all.end(), run.gradient(0).data, run.gradient(0).data + 24);
    if (pass == 0)
      first = all;
    else
      CHECK(all == first);
  }
}

TEST_CASE("layer_run: a length below 0 is an error") {
  using run_type = layer_run<decoder_layer<tiny>>;
  CHECK_THROWS_AS(run_type({-1, 4}, {3, 1}), error);
  CHECK_THROWS_AS(run_type({2, 4}, {3, -1}), error);
}
