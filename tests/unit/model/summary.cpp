#include <formwork/model/summary.hpp>

#include <doctest/doctest.h>

#include "../../support/small_model.hpp"

using formwork::equations_of;
using formwork_test::small_config;

TEST_CASE("summary: a pre-norm encoder layer reads like its equation") {
  CHECK(equations_of(formwork::encoder_layer<small_config<>>::graph) ==
        "  t1 = norm(x)\n"
        "  t2 = x + dropout(output(attention(query(t1), key(t1), value(t1))))\n"
        "  out = t2 + dropout(down(dropout(relu(up(norm(t2))))))\n");
}

TEST_CASE("summary: a decoder layer has the causal attention and the memory") {
  const std::string text = equations_of(formwork::decoder_layer<small_config<formwork::post_norm>>::graph);
  CHECK(text.find("t1 = norm(x + dropout(output(causal_attention(query(x), key(x), value(x)))))") !=
        text.npos);
  CHECK(text.find("attention(query(t1), key(memory), value(memory))") != text.npos);
}

TEST_CASE("summary: scaled sums have parentheses, embeddings their factor") {
  constexpr auto g = [] {
    formwork::graph made{};
    const formwork::expr x = stream_input(made, 4, formwork::axis::source);
    made.outputs[made.output_count++] = (0.5 * (x + 2.0 * x)).id;
    return made;
  }();
  CHECK(equations_of(g) == "  out = 0.5 * (x + 2 * x)\n");
  const std::string text =
      equations_of(formwork::embedding_layer<small_config<>, formwork::axis::source>::graph);
  CHECK(text.find("2.828 * embedding(source tokens)") != text.npos);
}

TEST_CASE("summary: the shortest way through a pre-norm layer is its additions") {
  constexpr auto paths = formwork::paths_of(formwork::encoder_layer<small_config<>>::graph);
  CHECK(paths.shortest == 2);
  CHECK(paths.longest == 13);
  CHECK(formwork::paths_of(formwork::encoder_layer<small_config<formwork::post_norm>>::graph).shortest == 4);
}

TEST_CASE("summary: the parameter table counts every number once and joins equal layers") {
  auto model = formwork_test::small_model();
  const std::string table = formwork::parameter_table(model.parameters());
  CHECK(table.find("2  encoder.*.self_attention.query.weight") != table.npos);
  CHECK(table.find("8 x 8") != table.npos);
  CHECK(table.find("encoder.1.") == table.npos);
  CHECK(table.find(formwork::text(model.parameters().size()).substr(0, 1)) != table.npos);
  CHECK(table.find(formwork::detail::grouped(model.parameters().size()) + " in all") != table.npos);
}

TEST_CASE("summary: the whole text names placement, operations and memory") {
  auto model = formwork_test::small_model();
  const std::string text = formwork::summary_of(model);
  for (const char* part : {"placement pre_norm", "encoder layer, 2 times", "million", "activations", "MB"})
    CHECK(text.find(part) != text.npos);
}
