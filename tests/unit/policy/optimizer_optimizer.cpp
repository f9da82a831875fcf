#include <formwork/policy/optimizer/optimizer.hpp>
//
#include <doctest/doctest.h>

#include <formwork/policy/optimizer/adabelief.hpp>
#include <formwork/policy/optimizer/adafactor.hpp>
#include <formwork/policy/optimizer/adan.hpp>
#include <formwork/policy/optimizer/adopt.hpp>
#include <formwork/policy/optimizer/amsgrad.hpp>
#include <formwork/policy/optimizer/cautious.hpp>
#include <formwork/policy/optimizer/lamb.hpp>
#include <formwork/policy/optimizer/lars.hpp>
#include <formwork/policy/optimizer/lion.hpp>
#include <formwork/policy/optimizer/lookahead.hpp>
#include <formwork/policy/optimizer/muon.hpp>
#include <formwork/policy/optimizer/nadam.hpp>
#include <formwork/policy/optimizer/prodigy.hpp>
#include <formwork/policy/optimizer/schedule_free.hpp>
#include <formwork/policy/optimizer/sgd.hpp>
#include <formwork/policy/optimizer/shampoo.hpp>
#include <formwork/policy/optimizer/soap.hpp>
#include <formwork/policy/optimizer/sophia.hpp>

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

template <class... O>
void check_names() {
  const label names[] = {O::name...};
  for (const label& a : names)
    for (const label& b : names) CHECK((a == b) == (&a == &b));
}

TEST_CASE("optimizer: names of the shipped policies differ") {
  check_names<plain_sgd, sgd, adam, adamw, amsgrad, nadam, nadamw, radam, adabelief, adan, adopt, lion,
              sophia_g, lamb, lars, prodigy, adafactor, muon, shampoo, soap, schedule_free_sgd,
              schedule_free_adamw, cautious<adamw>, cautious<lion>, lookahead<sgd>, lookahead<radam>>();
}
