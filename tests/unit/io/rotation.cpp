#include <formwork/io/rotation.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::failure_of;

namespace {

struct run_folder : formwork_test::scratch_folder {
  rotation files{path()};

  void save(step_t step) const {
    checkpoint_writer writer("");
    writer.set("step", std::int64_t{step});
    writer.write(files.path(step));
  }
  void damage(step_t step) const { std::filesystem::resize_file(files.path(step), 20); }
  std::vector<step_t> steps() const {
    std::vector<step_t> out;
    for (const rotation::file& each : files.files()) out.push_back(each.step);
    return out;
  }
};

using steps = std::vector<step_t>;

}  // namespace

TEST_CASE("rotation: files are found by their exact names, in the order of their steps") {
  run_folder run;
  CHECK(run.files.path(400) == run / "checkpoint-000400.safetensors");
  for (const step_t step : {1'000'000, 7, 0, 999'999}) run.save(step);
  for (const char* other :
       {"best.safetensors", "checkpoint-8.safetensors", "checkpoint-000009.safetensors.partial",
        "checkpoint-.safetensors", "checkpoint--00001.safetensors", "checkpoint-00000x.safetensors"}) {
    run.write(other, "x");
  }
  CHECK(run.steps() == steps{0, 7, 999'999, 1'000'000});
  run.files.keep = 1;
  run.files.prune();
  CHECK(run.steps() == steps{1'000'000});
  CHECK(std::filesystem::exists(run / "best.safetensors"));
  CHECK(rotation{run / "none"}.files().empty());
  CHECK(failure_of<error>([&] { rotation{run / "best.safetensors"}.files(); }) ==
        run / "best.safetensors: cannot be listed: Not a directory");
}

TEST_CASE("rotation: keeps the latest, the best and every so-many-th") {
  run_folder run;
  for (step_t step = 100; step <= 1000; step += 100) run.save(step);
  run.files.keep = 2;
  run.files.keep_every = 400;
  run.files.prune(step_t{300});
  CHECK(run.steps() == steps{300, 400, 800, 900, 1000});
  run.files.prune(step_t{300});
  CHECK(run.steps() == steps{300, 400, 800, 900, 1000});
  run.files.keep = 0;
  run.files.keep_every = 0;
  run.files.prune();
  CHECK(run.steps() == steps{1000});
}

TEST_CASE("rotation: never deletes the only intact file") {
  run_folder run;
  for (step_t step = 1; step <= 5; ++step) run.save(step);
  run.files.keep = 2;
  for (const step_t step : {3, 4, 5}) run.damage(step);
  run.files.prune();
  CHECK(run.steps() == steps{2, 4, 5});
  run.damage(2);
  run.save(6);
  run.damage(6);
  run.files.prune();
  CHECK(run.steps() == steps{2, 4, 5, 6});  // nothing is intact: nothing goes
  run.save(7);
  run.files.prune();
  CHECK(run.steps() == steps{6, 7});
}

TEST_CASE("rotation: the latest intact checkpoint is found, damaged ones are noted") {
  run_folder run;
  CHECK_FALSE(run.files.latest_valid());
  for (step_t step = 1; step <= 3; ++step) run.save(step);
  CHECK(run.files.latest_valid()->step == 3);
  run.damage(3);
  run.write("checkpoint-000004.safetensors", "");
  std::vector<std::string> notes;
  const auto found = run.files.latest_valid([&](std::string_view note) { notes.emplace_back(note); });
  REQUIRE(found);
  CHECK(found->step == 2);
  CHECK(found->reader.path() == run.files.path(2));
  CHECK(found->reader.scalar<std::int64_t>("step") == 2);
  CHECK_FALSE(run.files.latest_valid_after(2));
  CHECK(run.files.latest_valid_after(1)->step == 2);
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].starts_with(run.files.path(4) + ": has 0 bytes"));
  CHECK(notes[1].starts_with(run.files.path(3) + ": header of "));
  for (const step_t step : {1, 2}) run.damage(step);
  CHECK(failure_of<error>([&] {
          run.files.latest_valid();
        }).starts_with(run.path() + ": none of its 4 checkpoints is intact"));
}
