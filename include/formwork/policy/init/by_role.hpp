#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/finite.hpp>
#include <formwork/policy/init/initialiser.hpp>
#include <formwork/policy/validate.hpp>

namespace formwork {

namespace detail {

/// A set of roles.
struct role_set {
  std::uint32_t bits = 0;

  constexpr bool has(role r) const { return bits >> int(r) & 1; }
};
template <std::same_as<role>... Roles>
constexpr role_set set_of(Roles... roles) {
  static_assert(sizeof...(roles) > 0, "by_role: name at least one role behind the initialiser or the factor");
  return {(0u | ... | (1u << int(roles)))};
}

/// `other` for some roles, `base` for the rest.
template <class Base, class Other>
struct replaced_roles {
  Base base{};
  Other other{};
  role_set which{};

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    return which.has(p.role) ? double(other(p, r, i)) : double(base(p, r, i));
  }
  constexpr void validate() const {
    formwork::validate(base);
    formwork::validate(other);
  }
};

/// `base`, times `factor` for some roles.
template <class Base>
struct multiplied_roles {
  Base base{};
  double factor = 1;
  role_set which{};

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    const double x = base(p, r, i);
    return which.has(p.role) ? factor * x : x;
  }
  constexpr void validate() const {
    formwork::validate(base);
    if (!is_finite(factor)) fail("by_role: a factor is ", factor, ", expected a finite number");
    for (int r = 0; r <= int(role::scalar); ++r)
      if (which.has(role(r)) && !is_random(role(r)))
        fail("by_role: a factor is for matrices and tables, not for biases, norms and scalars");
  }
};

}  // namespace detail

/// One initialiser for all roles but those that get another one, or a factor:
///   by_role{xavier_uniform{}}.with(normal{0.01}, role::embedding, role::head).times(0.5, role::value)
/// What is said later holds for what was said before. A factor of 0 starts a role at 0. The two matrices in
/// front of a gate are both role::up; a tied output projection is role::embedding.
/// When: to repeat a recipe that treats roles differently
template <class Base>
struct by_role {
  static_assert(explain_initialiser<Base>());

  Base base{};

  /// `other` for these roles.
  template <class Other, std::same_as<role>... Roles>
  constexpr auto with(Other other, Roles... roles) const {
    static_assert(explain_initialiser<Other>());
    using all = detail::replaced_roles<Base, Other>;
    return by_role<all>{all{base, other, detail::set_of(roles...)}};
  }
  /// The values so far times `factor` for these roles. Requires: roles of matrices and tables (checked)
  template <std::same_as<role>... Roles>
  constexpr auto times(double factor, Roles... roles) const {
    using all = detail::multiplied_roles<Base>;
    return by_role<all>{all{base, factor, detail::set_of(roles...)}};
  }

  double operator()(const parameter_info& p, const random_stream& r, std::uint64_t i) const {
    return base(p, r, i);
  }
  constexpr void validate() const { formwork::validate(base); }
};
template <class Base>
by_role(Base) -> by_role<Base>;

}  // namespace formwork
