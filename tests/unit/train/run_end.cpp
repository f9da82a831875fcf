#include <formwork/train/run_end.hpp>

#include <doctest/doctest.h>

using namespace formwork;

TEST_CASE("run end: the first option that is reached ends a run") {
  CHECK_FALSE(end_of({.step = 9, .epoch = 2, .stalled = 3}, {.steps = 10, .epochs = 3, .patience = 4}));
  CHECK(end_of({.step = 10}, {.steps = 10}) == run_end::finished);
  CHECK(end_of({.step = 11}, {.steps = 10}) == run_end::finished);  // of a run that went further before
  CHECK(end_of({.step = 5, .epoch = 3}, {.steps = 10, .epochs = 3}) == run_end::finished);
  CHECK(end_of({.step = 5, .stalled = 4}, {.steps = 10, .patience = 4}) == run_end::out_of_patience);
  CHECK_FALSE(end_of({.step = 1'000'000, .epoch = 1000, .stalled = 4}, {.patience = 5}));
}

TEST_CASE("run end: evaluations come after so many updates, or where an epoch has ended") {
  CHECK(evaluation_due({.step = 20, .epoch = 1, .batch = 4}, {.evaluate_every = 10}));
  CHECK_FALSE(evaluation_due({.step = 21, .epoch = 1, .batch = 0}, {.evaluate_every = 10}));
  CHECK(evaluation_due({.step = 21, .epoch = 1, .batch = 0}, {}));
  CHECK_FALSE(evaluation_due({.step = 20, .epoch = 1, .batch = 4}, {}));
  CHECK_FALSE(evaluation_due({}, {}));  // no update yet
}
