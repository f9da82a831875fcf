#pragma once

namespace formwork {

/// Checks the numbers of a policy: calls its `validate()`, which throws `error` with a sentence, if it has
/// one. Composed policies hand the call on to their parts. A user's policy, and a lambda, may do without.
template <class Policy>
constexpr void validate(const Policy& policy) {
  if constexpr (requires { policy.validate(); }) policy.validate();
}

/// A policy of constants, its numbers checked by the compiler:
///   constexpr auto lr = checked(linear{.warmup = 100, .total = 1000});
/// Error: does not compile; the message quotes the sentence of `validate()`
template <class Policy>
consteval Policy checked(Policy policy) {
  validate(policy);
  return policy;
}

}  // namespace formwork
