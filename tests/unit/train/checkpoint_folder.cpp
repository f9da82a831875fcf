#include <formwork/train/checkpoint_folder.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

#include "../../support/scratch_folder.hpp"

using namespace formwork;

namespace {

const auto ignore = [](std::string_view) {};

auto state(step_t step) {
  return [step](const std::string& path) {
    checkpoint_writer file("model=none\n");
    run_counters counters;
    counters.step = step;
    add_counters(file, counters);
    file.write(path);
  };
}

}  // namespace

TEST_CASE("checkpoint_folder: the state that is furthest on is the latest, interrupted or not") {
  formwork_test::scratch_folder scratch;
  checkpoint_folder folder(scratch.path(), 2);
  folder.open(true);
  CHECK_FALSE(folder.latest(ignore));
  folder.save(10, 0, state(10));
  folder.save_interrupted(state(13));
  CHECK(folder.latest(ignore)->path() == scratch / "interrupted.safetensors");
  folder.save(20, 0, state(20));  // takes the interrupted state away
  CHECK(folder.latest(ignore)->path() == scratch / "checkpoint-000020.safetensors");
  CHECK_FALSE(std::filesystem::exists(scratch / "interrupted.safetensors"));
}

TEST_CASE("checkpoint_folder: an intact interrupted state is found even if every checkpoint is damaged") {
  formwork_test::scratch_folder scratch;
  const checkpoint_folder folder(scratch.path(), 2);
  folder.save(10, 0, state(10));
  folder.save_interrupted(state(13));
  std::ofstream(scratch / "checkpoint-000010.safetensors") << "broken";
  CHECK(folder.latest(ignore)->path() == scratch / "interrupted.safetensors");
  std::ofstream(scratch / "checkpoint-000020.safetensors") << "broken";
  std::vector<std::string> faults;
  const auto found = folder.latest([&](std::string_view fault) { faults.emplace_back(fault); });
  CHECK(read_counters(*found).step == 13);
  REQUIRE(faults.size() == 1);  // of the one that is passed over
  CHECK(faults[0].starts_with(scratch / "checkpoint-000020.safetensors: "));
}

TEST_CASE("checkpoint_folder: a checkpoint comes before the interrupted state of the same update") {
  formwork_test::scratch_folder scratch;
  const checkpoint_folder folder(scratch.path(), 2);
  folder.save(10, 0, state(10));
  folder.save_interrupted(state(10));
  CHECK(folder.latest(ignore)->path() == scratch / "checkpoint-000010.safetensors");
}

TEST_CASE("checkpoint_folder: the latest state is opened once, so nothing can come between") {
  formwork_test::scratch_folder scratch;
  const checkpoint_folder folder(scratch.path(), 2);
  folder.save(10, 0, state(10));
  const auto found = folder.latest(ignore);
  std::filesystem::remove(found->path());
  CHECK(found->tensors().bytes("formwork.checksum").size() == 4);
}

TEST_CASE("checkpoint_folder: an opened folder is closed to every other run") {
  formwork_test::scratch_folder scratch;
  {
    checkpoint_folder first(scratch.path(), 2), second(scratch.path(), 2);
    first.open(true);
    CHECK_THROWS_WITH_AS(second.open(true), doctest::Contains("another run is using this folder"), error);
  }
  checkpoint_folder next(scratch.path(), 2);
  next.open(true);
}

TEST_CASE("checkpoint_folder: a folder with states is refused to a run that does not resume") {
  formwork_test::scratch_folder scratch;
  checkpoint_folder folder(scratch.path(), 2);
  folder.open(false);
  folder.save_interrupted(state(1));
  CHECK_THROWS_AS(folder.open(false), error);
  CHECK_THROWS_AS(checkpoint_folder("/dev/null/x", 1).open(true), error);
}

TEST_CASE("checkpoint_folder: without a name nothing is written") {
  checkpoint_folder none("", 1);
  none.open(false);
  none.save(1, 0, [](const std::string&) { FAIL("written"); });
  none.save_interrupted([](const std::string&) { FAIL("written"); });
  CHECK_FALSE(none.latest(ignore));
}

TEST_CASE("checkpoint_folder: a checkpoint under another's name is an error") {
  formwork_test::scratch_folder scratch;
  const checkpoint_folder folder(scratch.path(), 3);
  folder.save(10, 0, state(10));
  folder.save(20, 0, state(20));
  rename((scratch / "checkpoint-000010.safetensors").c_str(),
         (scratch / "checkpoint-000030.safetensors").c_str());
  CHECK_THROWS_WITH_AS(folder.latest(ignore),
                       ((scratch / "checkpoint-000030.safetensors") +
                        ": holds the state after update 10, not 30 as its name says")
                           .c_str(),
                       error);
}
