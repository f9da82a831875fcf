#include <formwork/core/update.hpp>

#include <type_traits>

using namespace formwork;

// Optimizers are called with one of these for each update and parameter, also in constant expressions.
static_assert(std::is_aggregate_v<update_info> && std::is_trivially_copyable_v<update_info>);
static_assert(update_info{}.step == 1,
              "the first update has number 1: bias corrections divide by 1 - beta^step");
static_assert(update_info{}.lr == 0 && !update_info{}.decays, "an update nobody filled in moves nothing");
