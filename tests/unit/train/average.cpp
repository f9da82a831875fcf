#include <formwork/train/average.hpp>

#include <doctest/doctest.h>

#include "../../support/scratch_folder.hpp"
#include "../../support/small_model.hpp"

using formwork_test::small_model;

TEST_CASE("average: the mean of the parameters of several files") {
  const formwork_test::scratch_folder folder;
  auto a = small_model(1), b = small_model(2), c = small_model(3), mean = small_model(4);
  std::vector<std::string> paths;
  for (auto* model : {&a, &b, &c}) {
    paths.push_back(folder / formwork::text(paths.size()));
    formwork::save_model(*model, paths.back());
  }
  formwork::average_checkpoints(mean, paths);
  for (formwork::index_t i = 0; i < a.parameters().size(); ++i) {
    const auto at = [i](auto& model) { return double(model.parameters().values()[i]); };
    CHECK(at(mean) == doctest::Approx((at(a) + at(b) + at(c)) / 3).epsilon(1e-6));
  }
  formwork::average_checkpoints(mean, std::span(paths).first(1));
  CHECK(std::equal(mean.parameters().values(), mean.parameters().values() + a.parameters().size(),
                   a.parameters().values()));
}

TEST_CASE("average: a file of another model is refused and nothing changes") {
  const formwork_test::scratch_folder folder;
  auto good = small_model(1), target = small_model(3), untouched = small_model(3);
  auto post = small_model<formwork::post_norm>(2);
  formwork::save_model(good, folder / "0");
  formwork::save_model(post, folder / "1");
  const std::vector<std::string> paths{folder / "0", folder / "1"};
  CHECK_THROWS_WITH_AS(formwork::average_checkpoints(target, paths), doctest::Contains("/1: "),
                       formwork::error);
  CHECK(std::equal(target.parameters().values(), target.parameters().values() + target.parameters().size(),
                   untouched.parameters().values()));
  CHECK_THROWS_AS(formwork::average_checkpoints(target, {}), formwork::error);
}

TEST_CASE("average: the last checkpoints are those that were written, oldest first") {
  const formwork::run_counters run{.saved = {30, 200, 1000000}};
  const auto last = [&](formwork::index_t count) {
    return formwork::text_of_steps(formwork::last_checkpoints(run, count));
  };
  CHECK(last(2) == "200 1000000");
  CHECK(last(3) == "30 200 1000000");
  CHECK(last(9) == "30 200 1000000");
  CHECK_THROWS_AS(last(0), formwork::error);
  CHECK_THROWS_AS(formwork::last_checkpoints({}, 1), formwork::error);
}

TEST_CASE("average: a checkpoint that is missing, damaged or renamed is named, with how many are left") {
  const formwork_test::scratch_folder folder;
  const formwork::rotation files{.folder = folder.path()};
  const auto write = [&](formwork::step_t step, formwork::step_t name) {
    auto model = small_model(std::uint64_t(step));
    const formwork::model_origin origin{
        .fingerprint = fingerprint_of(model), .counters = {.step = step}, .parts = {}};
    formwork::save_model(model, files.path(name), &origin);
  };
  const std::vector<formwork::step_t> steps{10, 20, 30, 40};
  const auto refused = [&](formwork::step_t at, formwork::index_t usable, const char* reason) {
    auto model = small_model(9), untouched = small_model(9);
    try {
      formwork::average_checkpoints(model, folder.path(), steps);
      FAIL("not refused");
    } catch (const formwork::incomplete_average& e) {
      CHECK(std::string(e.what()).starts_with(files.path(at) + ": "));
      CHECK(std::string(e.what()).find(reason) != std::string::npos);
      CHECK(e.usable == usable);
    }
    CHECK(std::equal(model.parameters().values(), model.parameters().values() + model.parameters().size(),
                     untouched.parameters().values()));
  };
  for (const formwork::step_t step : steps) write(step, step);
  auto mean = small_model(1), same = small_model(2);
  formwork::average_checkpoints(mean, folder.path(), steps);
  std::vector<std::string> paths;
  for (const formwork::step_t step : steps) paths.push_back(files.path(step));
  formwork::average_checkpoints(same, paths);
  CHECK(std::equal(mean.parameters().values(), mean.parameters().values() + mean.parameters().size(),
                   same.parameters().values()));

  std::filesystem::remove(files.path(20));
  refused(20, 2,
          "No such file or directory; a mean of 4 checkpoints needs it, of which the last 2 are intact");
  std::filesystem::resize_file(files.path(30), 100);
  refused(20, 1, "the last 1 are intact");
  write(20, 20);
  write(10, 30);  // would be taken twice
  refused(30, 1, "holds the state after update 10, not 30 as its name says");
  std::filesystem::remove(files.path(40));
  write(30, 30);
  refused(40, 0, "the last 0 are intact");
}
