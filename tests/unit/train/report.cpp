#include <formwork/train/report.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("report: perplexity is e to the negative log-likelihood, smoothing left out") {
  CHECK(update_report{.loss = 9, .nll = std::log(8.0)}.perplexity() == doctest::Approx(8));
  CHECK(evaluation_report{.loss = 9, .nll = std::log(8.0)}.perplexity() == doctest::Approx(8));
}

TEST_CASE("report: an observer gets the reports that it takes, and no others") {
  int updates = 0, evaluations = 0, notes = 0, all = 0;
  auto one = [&](const update_report& r) { updates += int(r.step); };
  struct {
    int &evaluations, &notes;
    void operator()(const evaluation_report&) { ++evaluations; }
    void operator()(const run_note& n) { notes += int(n.sentence.size()); }
  } two{evaluations, notes};
  auto any = [&](const auto&) { ++all; };
  const auto send = [&](const auto& report) {
    notify(one, report), notify(two, report), notify(any, report);
  };
  send(update_report{.step = 7});
  send(evaluation_report{});
  send(run_note{"four"});
  CHECK((updates == 7 && evaluations == 1 && notes == 4 && all == 3));
}
