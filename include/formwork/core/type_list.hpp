#pragma once
#include <type_traits>

namespace formwork {

/// A list of types, for loops over a catalogue at compile time.
template <class... Ts>
struct type_list {
  static constexpr int size = sizeof...(Ts);

  /// Calls f(std::type_identity<T>{}) for each T, in order.
  template <class F>
  static constexpr void each(F f) {
    (f(std::type_identity<Ts>{}), ...);
  }
};

}  // namespace formwork
