#include <formwork/graph/graph.hpp>

#include <doctest/doctest.h>

#include <formwork/ops/linear.hpp>

#include <string>

using namespace formwork;

TEST_CASE("graph: uses counts operands, both of one node too, and what leaves the layer") {
  graph g{};
  const expr x = stream_input(g, 4, axis::source);
  const expr y = push(g, {.op = &record_of<linear_op>, .in = {x.id, x.id, -1, -1}, .width = 4});
  g.outputs[g.output_count++] = y.id;
  CHECK(g.uses(x.id) == 2);
  CHECK(g.uses(y.id) == 1);
}

TEST_CASE("graph: a node has up to six operands, missing ones are -1") {
  const operands none{}, two = {3, 5, -1, -1}, six = {0, 1, 2, 3, 4, 5};
  for (const short k : none) CHECK(k == -1);
  CHECK(two == operands{3, 5});
  CHECK(two != six);
  CHECK((two[1] == 5 && two[2] == -1 && two[5] == -1));
  int n = 0;
  for (const short k : six) CHECK(k == n++);
  CHECK(n == operands::capacity);
}

TEST_CASE("graph: two inputs are never one node, whatever they have in common") {
  graph g{};
  CHECK(stream_input(g, 4, axis::target).id != stream_input(g, 4, axis::target).id);
  CHECK(memory_input(g, 4).rows() == axis::source);
  CHECK((g.input_count == 2 && g.memory == 2));
}

TEST_CASE("graph: a parameter that is declared again must be the same") {
  graph g{};
  const parameter p{.name = "w", .role = role::up, .rows = 3, .columns = 5};
  CHECK(declare(g, p) == declare(g, p));
  CHECK(g.parameter_count == 1);
  const char* sentence = "graph: two parameters of one name differ in shape, role or first value";
  for (parameter q : {parameter{"w", role::up, 4, 5}, {"w", role::up, 3, 6}, {"w", role::down, 3, 5},
                      {"w", role::up, 3, 5, false, 0.5}})
    CHECK_THROWS_WITH(declare(g, q), sentence);
}

TEST_CASE("graph: more nodes, parameters or streams than there is room for is a sentence") {
  graph g{};
  for (int s = 0; s < graph::max_streams; ++s) stream_input(g, 1, axis::source);
  CHECK_THROWS_WITH(stream_input(g, 1, axis::source), "graph: more streams than graph::max_streams");
  for (int i = 0; i < graph::max_parameters; ++i) declare(g, {.name = std::string_view(std::to_string(i))});
  CHECK_THROWS_WITH(declare(g, {.name = "one more"}),
                    "graph: a layer has more parameters than graph::max_parameters");
  while (g.count < graph::max_nodes) push(g, {.width = 1});
  CHECK_THROWS_WITH(push(g, {.width = 1}), "graph: a layer has more nodes than graph::max_nodes");
}
