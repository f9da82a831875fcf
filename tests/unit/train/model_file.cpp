#include <formwork/train/model_file.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"
#include "../../support/small_model.hpp"

using formwork_test::small_model;

TEST_CASE("model file: the parameters come back bit for bit, and equal ones give equal bytes") {
  const formwork_test::scratch_folder folder;
  auto model = small_model(1), other = small_model(2);
  formwork::save_model(model, folder / "a");
  formwork::load_model(other, folder / "a");
  for (formwork::index_t i = 0; i < model.parameters().size(); ++i)
    CHECK(other.parameters().values()[i] == model.parameters().values()[i]);
  formwork::save_model(other, folder / "b");
  const auto bytes = [&](const char* name) {
    std::ifstream in(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  CHECK(bytes("a") == bytes("b"));
}

TEST_CASE("model file: where the parameters come from is stored if it is given") {
  const formwork_test::scratch_folder folder;
  auto model = small_model(1), other = small_model(2);
  formwork::save_model(model, folder / "a");
  CHECK_FALSE(formwork::origin_of(formwork::checkpoint_reader(folder / "a")));
  const std::vector<formwork::step_t> steps{20, 40};
  formwork::model_origin origin;  // member by member: g++ 12 warns of an aggregate of such members
  origin.fingerprint = fingerprint_of(model) + "text=5\n";
  origin.counters.step = 40;
  origin.counters.stalled = 2;
  origin.counters.saved = steps;
  origin.parts = formwork::mean_of("ema.", steps);
  formwork::save_model(model, folder / "b", &origin);
  const auto read = formwork::origin_of(formwork::checkpoint_reader(folder / "b"));
  REQUIRE(read);
  CHECK(read->fingerprint == origin.fingerprint);
  CHECK((read->counters.step == 40 && read->counters.stalled == 2 && read->counters.saved == steps));
  CHECK(read->parts == "ema. 20 40");
  CHECK(formwork::mean_of("", steps) == "20 40");
  formwork::load_model(other, folder / "b");
  CHECK(other.parameters().values()[0] == model.parameters().values()[0]);
}

TEST_CASE("model file: another model is refused by naming the difference") {
  const formwork_test::scratch_folder folder;
  auto model = small_model();
  formwork::save_model(model, folder / "a");
  auto post = small_model<formwork::post_norm>();
  CHECK_THROWS_WITH_AS(formwork::load_model(post, folder / "a"), doctest::Contains("configuration"),
                       formwork::error);
  auto larger = small_model(1, 12);
  CHECK_THROWS_WITH_AS(formwork::load_model(larger, folder / "a"),
                       doctest::Contains("is 2020 in the file and 2028 here"), formwork::error);
  CHECK_THROWS_AS(formwork::load_model(model, folder / "missing"), formwork::error);
}

TEST_CASE("model file: a model that was moved from is neither written nor read") {
  const formwork_test::scratch_folder folder;
  auto model = small_model();
  formwork::save_model(model, folder / "a");
  const auto other = std::move(model);
  CHECK_THROWS_WITH_AS(formwork::save_model(model, folder / "b"),
                       "parameters: the model has been moved to another one", formwork::error);
  CHECK_THROWS_AS(formwork::load_model(model, folder / "a"), formwork::error);
}
