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

TEST_CASE("average: the last checkpoints of a folder, oldest first") {
  const formwork_test::scratch_folder folder;
  CHECK_THROWS_WITH_AS(formwork::last_checkpoints(folder.path(), 2), doctest::Contains("no checkpoint"),
                       formwork::error);
  const formwork::rotation files{.folder = folder.path()};
  const auto write = [&](formwork::step_t step, formwork::step_t name) {
    formwork::checkpoint_writer file("model=none\n");
    formwork::run_counters counters;
    counters.step = step;
    add_counters(file, counters);
    file.write(files.path(name));
  };
  for (const formwork::step_t step : {1000000, 200, 30}) write(step, step);
  CHECK(formwork::last_checkpoints(folder.path(), 2) ==
        std::vector<std::string>{files.path(200), files.path(1000000)});
  CHECK(formwork::last_checkpoints(folder.path(), 9).size() == 3);
  CHECK_THROWS_AS(formwork::last_checkpoints(folder.path(), 0), formwork::error);
  write(200, 1000000);  // renamed by hand: it would be averaged twice
  CHECK_THROWS_WITH_AS(formwork::last_checkpoints(folder.path(), 1),
                       doctest::Contains("holds the state after update 200, not 1000000 as its name says"),
                       formwork::error);
}
