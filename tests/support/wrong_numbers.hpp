#pragma once
// Settings with one number that cannot be: every one is refused with a sentence that has the number.
#include <formwork/core/error.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <string>

namespace formwork_test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// `settings` are right as they are. They stay right with the member at each of `right`; infinities,
/// not-a-number and each of `wrong` are refused.
template <class Settings>
void check_number(Settings settings, double Settings::*member, std::initializer_list<double> right,
                  std::initializer_list<double> wrong) {
  CHECK_NOTHROW(settings.validate());
  for (const double value : right) {
    settings.*member = value;
    CAPTURE(value);
    CHECK_NOTHROW(settings.validate());
  }
  const auto refused = [&](double value) {
    settings.*member = value;
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
  for (const double value : {infinity, -infinity, not_a_number}) refused(value);
  for (const double value : wrong) refused(value);
}

}  // namespace formwork_test
