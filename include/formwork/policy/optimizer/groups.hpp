#pragma once
// Other rules for some of the parameters, chosen by what they are: role, shape, layer.
//
//   with_rule<O, Rule>       rate and decay of O by a function of the update: `void rule(update_info&)`
//   groups<O, Rest, Choice>  O for the parameters that Choice takes, another optimizer for the rest
//   layer_decay              a rule: the rate falls from the top of a stack to its bottom (fine-tuning)
//   hidden_matrices          a choice: matrices inside of layers, not the tables and the output projection
#include <formwork/core/error.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/policy/validate.hpp>

#include <algorithm>
#include <cmath>

namespace formwork {

/// An optimizer with a rule that may change `lr` and `decays` of an update before the optimizer sees it:
///   formwork::with_rule half{formwork::adamw{}, [](formwork::update_info& u) {
///     if (u.parameter.role == formwork::role::embedding) u.lr *= 0.5;
///   }};
template <class Inner, class Rule>
struct with_rule : Inner {
  Rule rule{};

  constexpr with_rule() = default;
  constexpr with_rule(const Inner& inner, const Rule& rule) : Inner(inner), rule(rule) {}

  void adjust(update_info& u) const {
    rule(u);
    if constexpr (detail::adjusts<Inner>) Inner::adjust(u);
  }
  constexpr void validate() const {
    formwork::validate(static_cast<const Inner&>(*this));
    formwork::validate(rule);
  }
};

/// An optimizer for the parameters that `Choice`, a `bool operator()(const parameter_info&) const`, takes,
/// and another one for all others:
///   formwork::groups split{formwork::lion{}, formwork::adamw{}, formwork::hidden_matrices{}};
template <class First, class Rest, class Choice>
struct groups : First {
  static_assert(!detail::has_rest<First>, "groups: the first optimizer has a rest of its own; set that one");

  Rest rest{};
  Choice choice{};

  constexpr groups() = default;
  constexpr groups(const First& first, const Rest& rest, const Choice& choice)
      : First(first), rest(rest), choice(choice) {}

  bool takes(const parameter_info& p) const { return choice(p); }
};

/// True for the matrices inside of layers: no embedding, no output projection, no vector.
struct hidden_matrices {
  constexpr bool operator()(const parameter_info& p) const {
    return is_matrix(p.role) && p.role != role::head && p.rows > 1 && p.columns > 1;
  }
};

/// A rule for fine-tuning: the rate of layer i of n is lr factor^(n - 1 - i), that of embeddings lr factor^n.
/// Source: Clark et al. 2020, "ELECTRA", appendix B
struct layer_decay {
  double factor = 0.8;  ///< in (0, 1]

  void operator()(update_info& u) const {
    const parameter_info& p = u.parameter;
    if (p.role == role::embedding || p.role == role::position)
      u.lr *= std::pow(factor, (std::max)(p.encoder_layers, p.decoder_layers));
    else if (p.stack != stack_kind::none)
      u.lr *= std::pow(factor, p.place().layers() - 1 - p.layer);
  }
  constexpr void validate() const {
    if (!(factor > 0 && factor <= 1))
      fail("layer_decay: factor is ", factor, ", expected a number in (0, 1]");
  }
};

}  // namespace formwork
