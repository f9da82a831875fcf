#pragma once
// Settings with one number that cannot be: every one is refused with a sentence that has the number.
#include <formwork/core/error.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

namespace formwork_test {

template <class Settings, class Member>
using number_type = std::remove_reference_t<std::invoke_result_t<Member, Settings&>>;

/// `settings` are right as they are. They stay right with the member at each of `right`; each of `wrong` is
/// refused, and so are infinities and not-a-number. `member` is a pointer to one, or gives a reference.
template <class Settings, class Member>
void check_number(Settings settings, Member member,
                  std::initializer_list<number_type<Settings, Member>> right,
                  std::initializer_list<number_type<Settings, Member>> wrong) {
  using T = number_type<Settings, Member>;
  CHECK_NOTHROW(settings.validate());
  for (const T value : right) {
    std::invoke(member, settings) = value;
    CAPTURE(value);
    CHECK_NOTHROW(settings.validate());
  }
  const auto refused = [&](T value) {
    std::invoke(member, settings) = value;
    std::string sentence = "no error";
    try {
      settings.validate();
    } catch (const formwork::error& e) {
      sentence = e.what();
    }
    CAPTURE(value);
    CAPTURE(sentence);
    CHECK(sentence.find(formwork::text(" ", value, ", expected ")) != sentence.npos);
  };
  for (const T value : wrong) refused(value);
  if constexpr (std::floating_point<T>) {
    using limits = std::numeric_limits<T>;
    for (const T value : {limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) refused(value);
  }
}

}  // namespace formwork_test
