#include <formwork/train/experiment.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/norm_placement/whole_layer.hpp>
#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/linear.hpp>

#include <type_traits>

#include "../../support/scratch_folder.hpp"

using namespace formwork;
using formwork_test::scratch_folder;

namespace {

struct narrow : config {
  static constexpr dims size{.d_model = 16, .heads = 2};
};

using study_type =
    experiment<placements<post_norm, pre_norm>, optimizers<adam, sgd>, schedules<linear>, models<narrow>>;
const study_type study{
    .name = "toy", .figures = {"sum"}, .grid = {.lr = {0.5, 0.25}, .warmup = {1, 3}, .seed = {1, 2}}};

/// A trainer that adds the numbers of its run and counts its calls.
struct toy {
  int& calls;

  template <class Types>
  std::vector<double> operator()(Types, const grid_point& at) const {
    static_assert(Types::configuration::size.d_model == 16);
    static_assert(std::is_same_v<typename Types::configuration::placement, typename Types::placement>);
    ++calls;
    return {at.lr + double(at.warmup) + double(at.seed) +
            (std::is_same_v<typename Types::optimizer, sgd> ? 100 : 0)};
  }
};

std::string sentence_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("experiment: every combination of types meets every point of the grid once") {
  const scratch_folder folder;
  int calls = 0;
  std::vector<std::string> notes;
  const auto rows =
      study.run(folder / "t.csv", toy{calls}, [&](const run_note& n) { notes.emplace_back(n.sentence); });
  CHECK(calls == 32);
  REQUIRE(rows.size() == 32);
  CHECK(rows.front().key ==
        std::vector<std::string>{"post_norm", "adam", "linear", "narrow", "0.5", "1", "1"});
  CHECK(rows.front().figures == std::vector<double>{2.5});
  CHECK(rows.back().key == std::vector<std::string>{"pre_norm", "sgd", "linear", "narrow", "0.25", "3", "2"});
  CHECK(rows.back().figures == std::vector<double>{105.25});
  CHECK(notes[0] == "run 1 of 32: post_norm adam linear narrow 0.5 1 1");
  CHECK(notes[31] == "run 32 of 32: pre_norm sgd linear narrow 0.25 3 2; 0 s left");
  CHECK(detail::whole_file(folder / "t.md").starts_with("toy\n\n| placement | optimizer |"));
  CHECK_FALSE(std::filesystem::exists(folder / "t.csv.lock"));
}

TEST_CASE("experiment: what is in the table is not run again, however the last program ended") {
  const scratch_folder folder;
  int calls = 0;
  const std::string sentence = sentence_of([&] {
    study.run(folder / "t.csv", [&](auto types, const grid_point& at) {
      if (calls == 5) fail("the disk is full");
      return toy{calls}(types, at);
    });
  });
  CHECK(sentence == "the disk is full");
  CHECK_FALSE(std::filesystem::exists(folder / "t.md"));
  CHECK(study.run(folder / "t.csv", toy{calls}).size() == 32);
  CHECK(calls == 32);
  study.run(folder / "t.csv", toy{calls});
  CHECK(calls == 32);
  auto more = study;
  more.grid.seed = {3, 1};  // rows of other seeds stay in the table
  CHECK(more.run(folder / "t.csv", toy{calls}).size() == 48);
  CHECK(calls == 48);
}

TEST_CASE("experiment: a run that diverges is a row that says so, and is not tried again") {
  const scratch_folder folder;
  int calls = 0;
  const auto train = [&](auto types, const grid_point& at) {
    if (at.lr == 0.5) throw non_finite_error("update 7: the loss is nan");
    return toy{calls}(types, at);
  };
  const auto rows = study.run(folder / "t.csv", train);
  CHECK(calls == 16);
  CHECK(rows[0].figures.empty());
  CHECK(rows[0].note == "update 7: the loss is nan");
  study.run(folder / "t.csv", train);
  CHECK(calls == 16);
}

TEST_CASE("experiment: some placements of the list can be run") {
  const scratch_folder folder;
  int calls = 0;
  auto some = study;
  some.only = {"pre_norm"};
  CHECK(some.run(folder / "t.csv", toy{calls})[0].key[0] == "pre_norm");
  CHECK(calls == 16);
  some.only = {"pre_norm", "rep_norm"};
  CHECK(sentence_of([&] { some.run(folder / "t.csv", toy{calls}); }) ==
        "experiment: there is no placement 'rep_norm' in the list");
}

TEST_CASE("experiment: mistakes are sentences, and nothing is written") {
  const scratch_folder folder;
  int calls = 0;
  auto twice = study;
  twice.grid.warmup = {3, 3};
  CHECK(sentence_of([&] { twice.run(folder / "t.csv", toy{calls}); }) ==
        "experiment: a number is twice in the grid: lr 0.5, warmup 3, seed 1");
  CHECK(sentence_of([&] { study.run(folder / "t.txt", toy{calls}); }) ==
        (folder / "t.txt: the name of the table must end with .csv"));
  CHECK(std::filesystem::is_empty(folder.path()));
  CHECK(calls == 0);
  CHECK(sentence_of([&] {
          study.run(folder / "t.csv", [](auto, const grid_point&) { return std::vector<double>(2); });
        }) == (folder / "t.csv: a run gave 2 figures, the table has columns for 1"));
}

TEST_CASE("grid_point: a schedule takes the members it has") {
  const grid_point at{.lr = 0.5, .warmup = 3, .seed = 1};
  CHECK(at.schedule<linear>(10).total == 10);
  CHECK(at.schedule<linear>(10).warmup == 3);
  CHECK(grid_point{.lr = 0.25}.schedule<constant>(10)(1) == 0.25);
  CHECK(sentence_of([&] { at.schedule<constant>(10); }) ==
        "experiment: constant has no warm-up, expected 0 or 1 in the grid, not 3");
  CHECK(sentence_of([&] { at.schedule<linear>(2); }) == "linear: warmup 3 is more than total 2");
}
