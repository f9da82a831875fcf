#include <formwork/train/checkpoint_state.hpp>

#include <doctest/doctest.h>

#include "../../support/random_fill.hpp"
#include "../../support/scratch_folder.hpp"

#include <limits>

using namespace formwork;

namespace {

/// Two parameters: a matrix [3, 2] and a vector [3].
parameter_store<float> small_store(index_t rows = 3) {
  graph g{};
  declare(g, {.name = "weight", .role = role::up, .rows = rows, .columns = 2});
  declare(g, {.name = "bias", .role = role::bias, .rows = rows});
  parameter_store<float> store;
  store.declare(g, "f.", {}, 1, 1);
  store.initialise([](auto&&...) { return 0.0; }, 1);
  return store;
}

}  // namespace

TEST_CASE("checkpoint state: arrays and counters come back bit for bit") {
  const formwork_test::scratch_folder folder;
  parameter_store<float> store = small_store();
  formwork_test::fill_normal(store, 1);
  std::vector<float> moment{1, 2, 3, 4, 5, 6, 7, 8, 9}, read(9);
  const run_counters counters{.step = 7,
                              .batches = 12,
                              .epoch = 2,
                              .batch = 3,
                              .evaluations = 4,
                              .best_loss = 0.1,
                              .best_step = 5,
                              .stalled = 1,
                              .skipped_updates = 6,
                              .saved = {0, 5, 1'000'000'000'000}};
  checkpoint_writer file("model=test\n");
  add_arrays<float>(file, store, {{"", store.values()}, {"moment0.", moment.data()}});
  add_counters(file, counters);
  file.write(folder / "a");

  const checkpoint_reader reader(folder / "a");
  parameter_store<float> other = small_store();
  read_arrays<float>(reader, other, {{"moment0.", read.data()}, {"", other.values()}});
  CHECK(read == moment);
  CHECK(std::equal(store.values(), store.values() + 9, other.values()));
  const run_counters c = read_counters(reader);
  CHECK((c.step == 7 && c.batches == 12 && c.epoch == 2 && c.batch == 3 && c.evaluations == 4 &&
         c.best_loss == 0.1 && c.best_step == 5 && c.stalled == 1 && c.skipped_updates == 6));
  CHECK(c.saved == counters.saved);
  int count = 0;
  each_counter(c, [&](const char*, auto) { ++count; });
  CHECK(count == 9);
  CHECK(reader.tensors().tensor<float>("moment0.f.bias").values == std::vector<float>{7, 8, 9});
}

TEST_CASE("checkpoint state: no loss yet is infinity, and stays it") {
  const formwork_test::scratch_folder folder;
  checkpoint_writer file("");
  add_counters(file, {});
  file.write(folder / "a");
  CHECK(read_counters(checkpoint_reader(folder / "a")).best_loss == std::numeric_limits<double>::infinity());
}

TEST_CASE("checkpoint state: the list of checkpoints may be empty, and is nothing but numbers") {
  const formwork_test::scratch_folder folder;
  const auto read = [&](const char* saved) {
    checkpoint_writer file("");
    add_counters(file, {});
    file.set("saved", saved);
    file.write(folder / "a");
    return read_counters(checkpoint_reader(folder / "a")).saved;
  };
  CHECK(read("").empty());
  CHECK(read("20 40") == std::vector<step_t>{20, 40});
  for (const char* wrong : {"x", "20 x", "20,40", "20  40", " 20", "99999999999999999999"})
    CHECK_THROWS_WITH_AS(read(wrong), doctest::Contains("expected update numbers"), error);
}

TEST_CASE("checkpoint state: a missing array or one of another size is an error that names it") {
  const formwork_test::scratch_folder folder;
  parameter_store<float> store = small_store(), larger = small_store(4);
  checkpoint_writer file("");
  add_arrays<float>(file, store, {{"", store.values()}});
  file.write(folder / "a");
  const checkpoint_reader reader(folder / "a");
  CHECK_THROWS_WITH_AS(read_arrays<float>(reader, larger, {{"", larger.values()}}),
                       doctest::Contains("f.weight"), error);
  CHECK_THROWS_WITH_AS(read_arrays<float>(reader, store, {{"ema.", store.values()}}),
                       doctest::Contains("ema.f.weight"), error);
  CHECK_THROWS_WITH_AS(read_counters(reader), doctest::Contains("step"), error);
}
