#include <formwork/model/layer_stack.hpp>

#include <doctest/doctest.h>

#include "../../support/gradient.hpp"
#include "../../support/random_fill.hpp"

#include <memory>

using namespace formwork;

namespace {

/// Every layer sees its number: y = 1 / (layers - layer) (x W^T + b).
struct numbered {
  static constexpr expr y(expr x) {
    return ops::scale_by_layer([](const layer_place& p) { return 1.0 / (p.layers() - p.layer); },
                               ops::linear(x, 3, "f", role::up));
  }
};
using single = formwork_test::equation_layer<numbered, 3>;
using compiled = program<single, dialect, double, cpu_backend>;

}  // namespace

TEST_CASE("layer_stack: a stack is its layers one behind the other, forward and backward") {
  constexpr index_t N = 4, depth = 3, rows[] = {0, N};
  cpu_backend backend(1);
  parameter_store<double> store;
  layer_stack<compiled, double, cpu_backend> stack;
  stack.declare(store, "encoder", true, depth, {.stack = stack_kind::encoder, .encoder_layers = depth}, 1, 1);
  store.initialise([](auto&&...) { return 0.0; }, 1);
  formwork_test::fill_normal(store);
  CHECK(stack.depth() == depth);
  CHECK(store.entries()[2].name == "encoder.1.f.weight");
  CHECK(stack.kept() == depth * compiled::values.kept);
  CHECK(stack.at_layer({}, 2).first_site == 2 * std::uint32_t(graph::max_nodes));
  CHECK(stack.sites() == depth * std::uint32_t(graph::max_nodes));

  std::vector<double> x(N * 3), dy(N * 3), kept(std::size_t(stack.kept().at(N, 0))),
      scratch(std::size_t(compiled::scratch.at(N, 0)));
  formwork_test::fill_normal(matrix_view<double>(x.data(), N, 3), 1);
  formwork_test::fill_normal(matrix_view<double>(dy.data(), N, 3), 2);
  pass_state<double> pass;
  pass.rows[0] = {rows, 1};
  const layer_memory<double> memory{.source_rows = N, .kept = kept.data(), .scratch = scratch.data()};
  layer_memory<double> gradients = memory;
  std::vector<double> d = dy;
  gradients.stream[0] = d.data();
  const double* y = stack.forward(backend, pass, memory, {x.data()}, store)[0];
  store.zero_gradients();
  stack.backward(backend, pass, memory, {x.data()}, gradients, store);

  std::vector<std::unique_ptr<layer_run<single>>> alone;
  std::vector<double> input = x;
  for (int l = 0; l < depth; ++l) {
    auto& run = alone.emplace_back(
        std::make_unique<layer_run<single>>(std::vector<index_t>{N}, std::vector<index_t>{}));
    run->pass.place = {stack_kind::encoder, l, depth, 0};
    for (const char* name : {"f.weight", "f.bias"})
      std::copy_n(store.value(text("encoder.", l, ".", name)).data,
                  run->parameters().value(name).rows * run->parameters().value(name).width,
                  run->parameters().value(name).data);
    std::copy(input.begin(), input.end(), run->input(0).data);
    run->forward();
    input.assign(run->output(0).data, run->output(0).data + N * 3);
  }
  CHECK(std::equal(input.begin(), input.end(), y));
  for (int l = depth - 1; l >= 0; --l) {
    std::copy(dy.begin(), dy.end(), alone[std::size_t(l)]->gradient(0).data);
    alone[std::size_t(l)]->backward();
    dy.assign(alone[std::size_t(l)]->gradient(0).data, alone[std::size_t(l)]->gradient(0).data + N * 3);
    const auto w = alone[std::size_t(l)]->parameters().gradient("f.weight");
    CHECK(std::equal(w.data, w.data + 9, store.gradient(text("encoder.", l, ".f.weight")).data));
  }
  CHECK(d == dy);
}
