#pragma once
#include <formwork/core/error.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/policy/validate.hpp>

#include <cmath>
#include <vector>

namespace formwork {

/// Tests that a schedule behaves over updates 1 to `total`: its own `validate()`, rates finite and not
/// negative, a first rate above 0, and the same rate when a step is asked for again in another order (a
/// resumed run does that). Throws `error` with a sentence for the first rule that is broken.
template <class Schedule>
void check_schedule(const Schedule& lr, step_t total = 10'000) {
  static_assert(explain_schedule<Schedule>());
  validate(lr);
  std::vector<double> rates;
  for (step_t step = 1; step <= total; ++step) {
    const double rate = double(lr(step));
    if (!std::isfinite(rate) || rate < 0)
      fail("schedule: the rate of update ", step, " is ", rate, ", expected a finite number, 0 or more");
    if (step == 1 && rate == 0) fail("schedule: the rate of update 1 is 0, the update would be lost");
    rates.push_back(rate);
  }
  const Schedule copy = lr;
  for (step_t step = total; step >= 1; --step) {
    const double rate = double(copy(step)), before = rates[std::size_t(step - 1)];
    if (rate != before)
      fail("schedule: the rate of update ", step, " was ", before, ", asked again it is ", rate);
  }
}

}  // namespace formwork
