#pragma once

namespace formwork {

/// Checks the numbers of a policy: calls its `validate()`, which throws `error` with a sentence, if it has
/// one. Composed policies hand the call on to their parts. A user's policy, and a lambda, may do without.
/// A bad constant can be found by the compiler: the definition
/// `constexpr bool checked = (validate(linear{.total = 0}), true);` does not compile, and the error quotes
/// the sentence.
template <class Policy>
constexpr void validate(const Policy& policy) {
  if constexpr (requires { policy.validate(); }) policy.validate();
}

}  // namespace formwork
