#include <formwork/model/parameters.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/init/xavier.hpp>

using namespace formwork;

namespace {

constexpr graph layer = [] {
  graph g{};
  declare(g, {.name = "norm.gain", .role = role::norm_gain, .rows = 4});
  declare(g, {.name = "up.weight", .role = role::up, .rows = 6, .columns = 4});
  declare(g, {.name = "up.bias", .role = role::bias, .rows = 6, .start = 0.5});
  declare(g, {.name = "down.weight", .role = role::down, .rows = 4, .columns = 6});
  declare(g, {.name = "table",
              .role = role::embedding,
              .rows = parameter::target_vocabulary,
              .columns = 4,
              .shared = true});
  return g;
}();

parameter_store<float> stack_of(int layers, std::uint64_t seed) {
  parameter_store<float> store;
  for (int l = 0; l < layers; ++l) store.declare(layer, text("encoder.", l, "."), {.layer = l}, 7, 9);
  store.initialise(xavier_uniform{}, seed);
  return store;
}

}  // namespace

TEST_CASE(
    "parameters: matrices, then vectors, layer by layer; what is shared is there once and has its own name") {
  parameter_store<float> store = stack_of(2, 1);
  const char* names[] = {"encoder.0.up.weight",   "encoder.0.down.weight", "table",
                         "encoder.0.norm.gain",   "encoder.0.up.bias",     "encoder.1.up.weight",
                         "encoder.1.down.weight", "encoder.1.norm.gain",   "encoder.1.up.bias"};
  REQUIRE(store.entries().size() == std::size(names));
  index_t offset = 0;
  for (std::size_t i = 0; i < std::size(names); ++i) {
    CHECK(store.entries()[i].name == names[i]);
    CHECK(store.entries()[i].offset == offset);
    offset += store.entries()[i].info.size();
  }
  CHECK(store.size() == offset);
  CHECK(store.size() == 2 * parameter_count(layer, false, 7, 9) + parameter_count(layer, true, 7, 9));
  CHECK((store.value("table").rows == 9 && store.value("table").width == 4));
  CHECK((store.entries()[8].info.layer == 1 && store.entries()[8].info.role == role::bias));
  CHECK(store.value("encoder.1.up.bias").data == store.values() + store.size() - 6);
  CHECK((store.value("encoder.0.norm.gain").data[3] == 1 && store.value("encoder.1.up.bias").data[3] == 0.5));
}

TEST_CASE("parameters: more layers change no other layer's first values; seed and name do") {
  const auto make = [](int encoders, std::uint64_t seed) {
    parameter_store<float> store;
    for (int l = 0; l < encoders; ++l) store.declare(layer, text("encoder.", l, "."), {}, 7, 9);
    store.declare(layer, "decoder.0.", {}, 7, 9);  // lies elsewhere in each
    store.initialise(xavier_uniform{}, seed);
    return store;
  };
  parameter_store<float> one = make(1, 5), three = make(3, 5), other = make(1, 6);
  for (const parameter_entry& e : one.entries())
    for (index_t i = 0; i < e.info.size(); ++i)
      CHECK(one.values()[e.offset + i] == three.value(e.name).data[i]);
  const auto first = [](parameter_store<float>& s, const char* name) { return *s.value(name).data; };
  CHECK(first(one, "decoder.0.up.weight") != first(other, "decoder.0.up.weight"));
  CHECK(first(three, "encoder.0.up.weight") != first(three, "encoder.1.up.weight"));
}

TEST_CASE("parameters: initialised again they have other values at the same place, and no gradient") {
  parameter_store<float> store = stack_of(2, 1);
  float* const place = store.values();
  const std::vector<float> before(place, place + store.size());
  store.gradients()[3] = 1;
  store.initialise(xavier_uniform{}, 7);
  CHECK(store.values() == place);
  CHECK_FALSE(std::equal(before.begin(), before.end(), place));
  CHECK(store.gradients()[3] == 0);
}

TEST_CASE("parameters: faults are sentences") {
  parameter_store<float> store = stack_of(1, 1);
  CHECK_THROWS_WITH_AS(store.find("encoder.0.up"),
                       "parameters: the model has no parameter named 'encoder.0.up'", error);
  CHECK_THROWS_WITH_AS(store.declare(layer, "encoder.0.", {}, 7, 9),
                       "parameters: two parameters are named 'encoder.0.up.weight'", error);
  CHECK_THROWS_WITH_AS(
      store.declare(layer, "encoder.1.", {}, 7, 10),
      "parameters: the tied parameter 'table' has 9 rows in one place and 10 in another; tied "
      "embeddings need one vocabulary",
      error);
}

TEST_CASE("parameters: a function of the element may give numbers their first values, times the gain") {
  parameter_store<float> store;
  graph g{};
  formwork::declare(g, {.name = "numbers", .role = role::scalar, .rows = 3, .start = 7});
  formwork::declare(g, {.name = "bias", .role = role::bias, .rows = 3});
  store.declare(g, "", {}, 7, 9);
  store.initialise(
      xavier_uniform{}, 1, [](const parameter_info&) { return 2.0; },
      [](const parameter_info& p, index_t i) { return p.start + double(i); });
  for (int i = 0; i < 3; ++i) {
    CHECK(store.value("numbers").data[i] == float(14 + 2 * i));
    CHECK(store.value("bias").data[i] == 0);
  }
}
