#include <formwork/policy/optimizer/optimizer.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/radam.hpp>
#include <formwork/policy/optimizer/sgd.hpp>

using namespace formwork;

static_assert(explain_optimizer<plain_sgd>() && explain_optimizer<sgd>() && explain_optimizer<adam>());
static_assert(explain_optimizer<adamw>() && explain_optimizer<radam>());
static_assert(std::is_same_v<prepared_of<adamw>, adamw::prepared>);
static_assert(plain_sgd::moments == 0 && sgd::moments == 1 && adam::moments == 2);
static_assert(!optimizer<int> && !optimizer<update_info>);

// Policies are literal types and work with designated initialisers.
constexpr adamw paper{.beta2 = 0.98, .epsilon = 1e-9};
static_assert(paper.beta1 == 0.9 && paper.beta2 == 0.98 && paper.weight_decay == 0.01);
static_assert((paper.validate(), true));

TEST_CASE("optimizer: names of the shipped policies differ") {
  const label names[] = {plain_sgd::name, sgd::name, adam::name, adamw::name, radam::name};
  for (const label& a : names)
    for (const label& b : names) CHECK((a == b) == (&a == &b));
}
