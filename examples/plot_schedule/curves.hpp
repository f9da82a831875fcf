#pragma once
#include <formwork/policy/schedule/compose.hpp>
#include <formwork/policy/schedule/constant.hpp>
#include <formwork/policy/schedule/cooldown.hpp>
#include <formwork/policy/schedule/cosine.hpp>
#include <formwork/policy/schedule/cosine_restarts.hpp>
#include <formwork/policy/schedule/inverse_sqrt.hpp>
#include <formwork/policy/schedule/linear.hpp>
#include <formwork/policy/schedule/one_cycle.hpp>
#include <formwork/policy/schedule/polynomial.hpp>
#include <formwork/policy/schedule/power_law.hpp>
#include <formwork/policy/schedule/step_decay.hpp>
#include <formwork/policy/schedule/tri_stage.hpp>
#include <formwork/policy/schedule/wsd.hpp>

#include <functional>
#include <string>
#include <vector>

namespace examples {

using formwork::step_t;

/// What all curves have in common.
struct curve_options {
  step_t steps = 1000, warmup = 100, epoch = 100, decay_from = 100;
  double lr = 1e-3;
};

/// A schedule under the name by which it is plotted.
struct curve {
  std::string name;
  std::function<double(step_t)> rate;
};

/// Every shipped schedule. For a curve of your own add a line here.
/// Error: a sentence, if the numbers do not go together
inline std::vector<curve> all_curves(const curve_options& o) {
  using namespace formwork;
  const double lr = o.lr;
  const step_t n = o.steps, w = o.warmup, after = n - w;
  const step_t half = n > 1 ? n / 2 : 1, later = half + n / 4 > half ? half + n / 4 : half + 1;
  std::vector<curve> out;
  const auto add = [&](const char* name, auto schedule) {
    validate_run(schedule, n);
    out.push_back({name, schedule});
  };
  add("constant", constant{lr});
  add("linear", linear{.lr = lr, .warmup = w, .total = n});
  add("polynomial", polynomial{.lr = lr, .warmup = w, .total = n, .exponent = 2});
  add("cosine", cosine{.lr = lr, .warmup = w, .total = n, .minimum = lr / 10});
  add("cosine_restarts",
      cosine_restarts{
          .lr = lr, .first_cycle = after / 7 + 1, .length_factor = 2, .lr_factor = 0.8, .warmup = w});
  add("wsd", wsd<>{.lr = lr, .warmup = w, .total = n, .decay = after / 4});
  add("wsd_sqrt_tail", wsd<sqrt_tail>{.lr = lr, .warmup = w, .total = n, .decay = after / 4});
  add("wsd_exponential_tail", wsd<exponential_tail>{.lr = lr, .warmup = w, .total = n, .decay = after / 4});
  add("tri_stage",
      tri_stage{.lr = lr, .warmup = w, .hold = after / 3, .decay = after - after / 3 + (n == w)});
  add("one_cycle", one_cycle{.lr = lr, .total = n});
  add("inverse_sqrt", inverse_sqrt{.lr = lr, .warmup = w, .decay_from = o.decay_from});
  add("fairseq_inverse_sqrt", fairseq_inverse_sqrt{.lr = lr, .warmup = w});
  add("tfixup_inverse_sqrt", tfixup_inverse_sqrt{.lr = lr, .half = o.decay_from});
  add("noam", noam{.d_model = 512, .warmup = w, .factor = noam::factor_for(lr, 512, w)});
  add("power_law", power_law{.lr = lr, .warmup = w, .decay_from = o.decay_from, .exponent = -0.8});
  add("step_decay", step_decay<2>{.lr = lr, .boundaries = {half, later}, .factor = 0.3});
  add("epoch_decay", epoch_decay<1>{.lr = lr, .epochs = {8}, .steps_per_epoch = o.epoch});
  add("staircase", staircase{.lr = lr, .every = o.epoch, .factor = 0.8});
  add("warmup", warmup{w, staircase{.lr = lr, .every = o.epoch, .factor = 0.8}});
  add("then",
      then{warmup{w, constant{lr}}, w + after / 2, cosine{.lr = lr, .total = after - after / 2 + (n == w)}});
  add("scaled", scaled{0.5, linear{.lr = lr, .warmup = w, .total = n}});
  add("cooldown", cooldown{inverse_sqrt{.lr = lr, .warmup = w, .decay_from = o.decay_from}, n, after / 4});
  return out;
}

}  // namespace examples
