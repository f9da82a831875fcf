#include <doctest/doctest.h>

#include <formwork/io/safetensors.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>

#include "../support/shared.hpp"

using namespace formwork;

namespace {

template <class Schedule>
void check_rates(const std::string& name, const Schedule& lr) {
  CAPTURE(name);
  const safetensors_reader file(formwork_test::shared_path("data/vectors-transformer/schedules.safetensors"));
  const std::vector<step_t> steps = file.tensor<std::int64_t>("step").values;
  const std::vector<double> expected = file.tensor<double>(name).values;
  REQUIRE(steps.size() == 10'000);
  REQUIRE(expected.size() == steps.size());
  int wrong = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    wrong += !(std::fabs(lr(steps[i]) - expected[i]) <= 1e-12 * std::fabs(expected[i]));
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("schedules: 10,000 rates equal the reference") {
  check_rates("inverse_sqrt", fairseq_inverse_sqrt{.lr = 5e-4, .warmup = 1000, .initial = 1e-7});
  check_rates("inverse_sqrt", inverse_sqrt{.lr = 5e-4, .warmup = 1000, .decay_from = 1000, .initial = 1e-7});
  check_rates("noam_d512", noam{.d_model = 512, .warmup = 4000});
  check_rates("linear_warmup_linear_decay", linear{.lr = 1e-4, .warmup = 1000, .total = 10'000});
}
