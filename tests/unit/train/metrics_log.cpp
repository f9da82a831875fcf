#include <formwork/train/metrics_log.hpp>

#include <formwork/data/lines.hpp>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "../../support/scratch_folder.hpp"

using formwork::evaluation_report;
using formwork::metrics_log;
using formwork::run_note;
using formwork::update_report;

namespace {

std::vector<nlohmann::json> lines_of(const std::string& path) {
  std::vector<nlohmann::json> lines;
  for (const std::string& line : formwork::read_lines(path)) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

void log_updates(metrics_log& log, formwork::step_t first, formwork::step_t last) {
  for (formwork::step_t step = first; step <= last; ++step)
    log(update_report{.step = step, .loss = 1.0 / double(step)});
}

}  // namespace

TEST_CASE("metrics log: each report is a JSON object with its kind and step") {
  const formwork_test::scratch_folder folder;
  {
    metrics_log log(folder / "m.jsonl");
    log(update_report{.step = 3,
                      .epoch = 1,
                      .loss = 2.5,
                      .nll = 2,
                      .gradient_norm = 0.5,
                      .clipped_norm = 0.25,
                      .target_tokens = 40});
    log(evaluation_report{.step = 3, .loss = 2.25, .nll = 0, .is_best = true});
    log(run_note{"says nothing in the log"});
  }
  const auto lines = lines_of(folder / "m.jsonl");
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["kind"] == "update");
  CHECK(lines[0]["step"] == 3);
  CHECK(lines[0]["loss"] == 2.5);
  CHECK(lines[0]["norm"] == 0.5);
  CHECK(lines[0]["clipped_norm"] == 0.25);
  CHECK(lines[0]["target_tokens"] == 40);
  CHECK(lines[1]["kind"] == "evaluation");
  CHECK(lines[1]["ppl"] == 1.0);
  CHECK(lines[1]["best"] == true);
}

TEST_CASE("metrics log: a resumed run has every update once") {
  const formwork_test::scratch_folder folder;
  {
    metrics_log log(folder / "m.jsonl");
    log_updates(log, 1, 9);
  }
  metrics_log log(folder / "m.jsonl");
  log(run_note{"resumed", 5});
  log_updates(log, 6, 8);
  const auto lines = lines_of(folder / "m.jsonl");
  REQUIRE(lines.size() == 8);
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i]["step"] == i + 1);
}

TEST_CASE("metrics log: a run that starts anew starts the log anew, at its first report") {
  const formwork_test::scratch_folder folder;
  {
    metrics_log log(folder / "m.jsonl");
    log_updates(log, 1, 3);
  }
  metrics_log log(folder / "m.jsonl");
  CHECK(lines_of(folder / "m.jsonl").size() == 3);
  log_updates(log, 1, 1);
  CHECK(lines_of(folder / "m.jsonl").size() == 1);
}
