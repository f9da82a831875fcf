#pragma once
#include <formwork/policy/optimizer/optimizer.hpp>

namespace formwork {

/// Another optimizer whose moments are stored in bfloat16, half the memory of single precision:
///   formwork::bf16_moments optimizer{formwork::adamw{.weight_decay = 0.1}};
/// Arithmetic stays as it is. Moments are rounded stochastically: rounded to nearest, a running mean with
/// beta2 = 0.999 would stand still.
/// When:   the optimizer's memory counts; the loss is that of the inner optimizer within its noise
/// Cost:   that of the inner optimizer, and 12 integer operations for each moment
/// Source: Zamirai et al. 2020, "Revisiting BFloat16 training", section 4, for the moments alone
template <class Inner>
struct bf16_moments : Inner {
  static_assert(elementwise_optimizer<Inner> && Inner::moments > 0,
                "bf16_moments: the inner optimizer must be element-wise and have moments");
  static_assert(
      !optimizer_with_views<Inner> && !detail::advances_with_sums<Inner>,
      "bf16_moments: the inner optimizer keeps weights among its moments, which 16 bits do not hold");

  static constexpr label name = join("bf16", Inner::name);
  using moment_type = bfloat16;

  constexpr bf16_moments() = default;
  constexpr bf16_moments(const Inner& inner) : Inner(inner) {}
};

}  // namespace formwork
