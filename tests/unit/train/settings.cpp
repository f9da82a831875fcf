#include <formwork/train/settings.hpp>

#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adam.hpp>
#include <formwork/policy/optimizer/groups.hpp>
#include <formwork/policy/schedule/constant.hpp>

using namespace formwork;

namespace {

std::string settings(const training_options& options, const adamw& optimizer = {}, double lr = 1e-3,
                     const smoothed_cross_entropy& loss = {}) {
  return settings_of(options, loss, optimizer, constant{lr}, 7);
}

}  // namespace

TEST_CASE("settings: the same settings have the same text") {
  CHECK(changed_settings(settings({}), settings({})).empty());
}

TEST_CASE("settings: whatever changes an update changes the text, and is said with both values") {
  const std::string usual = settings({});
  CHECK(changed_settings(usual, settings({.accumulate = 2})) ==
        std::vector<std::string>{"accumulate is 2, was 1"});
  CHECK(changed_settings(usual, settings({.seed = 5})).size() == 1);
  CHECK(changed_settings(usual, settings({.evaluate_every = 9})) ==
        std::vector<std::string>{"evaluate_every is 9, was 0"});
  CHECK(changed_settings(usual, settings({.dropout = {.attention = 0.1}})).size() == 1);
  CHECK(changed_settings(usual, settings({}, {}, 2e-3)).size() == 2);
  CHECK(changed_settings(usual, settings({}, {}, 1e-3, {.epsilon = 0})).size() == 1);
  CHECK(changed_settings(usual, settings({}, {}, 1e-3, {.convention = smoothing::over_others})).size() == 1);
  for (const adamw& other :
       {adamw{.beta1 = 0.8}, adamw{.beta2 = 0.98}, adamw{.epsilon = 1e-3}, adamw{.weight_decay = 0.1}})
    CHECK(changed_settings(usual, settings({}, other)).size() == 1);
}

TEST_CASE("settings: a schedule is not asked for rates beyond the updates that were made") {
  for (const step_t made : {0, 1, 7}) {
    step_t furthest = 0;
    const auto schedule = [&](step_t step) {
      CHECK(step >= 1);
      furthest = std::max(furthest, step);
      return 1e-3;
    };
    settings_of({}, {}, adamw{}, schedule, made);
    CHECK(furthest == std::max<step_t>(made, 1));
  }
}

TEST_CASE("settings: another rule by layer is another setting") {
  const auto moves = [](double factor) { return moves_of(with_rule{adamw{}, layer_decay{factor}}); };
  CHECK(moves(0.8) == moves(0.8));
  CHECK(moves(0.8) != moves(0.5));
}
