#pragma once
#include <formwork/core/error.hpp>
#include <formwork/core/platform.hpp>

#include <concepts>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace formwork {

/// An extent that is known at run time only.
inline constexpr index_t dynamic = -1;

/// The shape of a tensor: one number per axis in the type, or `dynamic`; only the dynamic ones are stored.
/// Requires: at least one axis; extents are not negative
///           (a mistake is a compile error, or `error` at run time)
template <index_t... Extents>
struct extents {
  static_assert(sizeof...(Extents) >= 1, "extents: a tensor has at least one axis");
  static_assert(((Extents >= 0 || Extents == dynamic) && ...),
                "extents: write a number >= 0 or formwork::dynamic");

  static constexpr int rank = int(sizeof...(Extents));
  static constexpr int dynamic_axes = (int(Extents == dynamic) + ... + 0);

  index_t sizes[dynamic_axes ? dynamic_axes : 1] = {};  ///< of the dynamic axes, in their order

  constexpr extents() = default;

  /// One size for each dynamic axis, in order.
  template <std::integral... Sizes>
  requires(sizeof...(Sizes) > 0) explicit constexpr extents(Sizes... given) {
    static_assert(sizeof...(Sizes) == dynamic_axes, "extents: give one size for each dynamic axis, in order");
    if constexpr (sizeof...(Sizes) == dynamic_axes) {
      int slot = 0;
      ((sizes[slot++] = index_t(given)), ...);
      for (const index_t size : sizes)
        if (size < 0) fail("extents: ", size, " given as a size");
    }
  }

  /// The extent as the type states it: a number or `dynamic`.
  FORMWORK_HD static constexpr index_t declared(int axis) {
    constexpr index_t all[] = {Extents...};
    return all[axis];
  }
  /// Place of a dynamic axis in `sizes`.
  FORMWORK_HD static constexpr int slot(int axis) {
    int count = 0;
    for (int i = 0; i < axis; ++i) count += declared(i) == dynamic;
    return count;
  }
  FORMWORK_HD constexpr index_t operator[](int axis) const {
    return declared(axis) == dynamic ? sizes[slot(axis)] : declared(axis);
  }

  /// The same with the axis as a constant, for loops that are worth it.
  template <int Axis>
  [[gnu::always_inline]] FORMWORK_HD constexpr index_t get() const {
    constexpr index_t stated = declared(Axis);
    constexpr int place = slot(Axis);
    if constexpr (stated == dynamic)
      return sizes[place];
    else
      return stated;
  }

  FORMWORK_HD constexpr index_t size() const { return product(std::make_integer_sequence<int, rank>()); }
  /// Extent of the last axis: the elements of one row.
  FORMWORK_HD constexpr index_t columns() const { return get<rank - 1>(); }
  /// Product of all axes but the last.
  FORMWORK_HD constexpr index_t rows() const { return product(std::make_integer_sequence<int, rank - 1>()); }

  /// From one size per axis, as files give them; `error` when the type says something else.
  static extents from(std::span<const index_t> shape) {
    if (index_t(shape.size()) != rank)
      fail("extents: a shape of ", shape.size(), " axes given, expected ", rank);
    extents out;
    for (int axis = 0; axis < rank; ++axis) {
      const index_t size = shape[std::size_t(axis)];
      if (size < 0) fail("extents: ", size, " given as a size");
      if (declared(axis) == dynamic)
        out.sizes[slot(axis)] = size;
      else if (size != declared(axis))
        fail("extents: axis ", axis, " is ", size, ", expected ", declared(axis));
    }
    return out;
  }

 private:
  template <int... Axis>
  [[gnu::always_inline]] FORMWORK_HD constexpr index_t product(std::integer_sequence<int, Axis...>) const {
    return (index_t{1} * ... * get<Axis>());
  }
};

/// As messages show it: "[3, 128]".
template <index_t... E>
std::string text_of(const extents<E...>& shape) {
  std::string out = "[";
  for (int axis = 0; axis < shape.rank; ++axis) out += text(axis ? ", " : "", shape[axis]);
  return out + "]";
}

/// Compares the numbers, wherever they are stored.
template <index_t... A, index_t... B>
FORMWORK_HD constexpr bool operator==(const extents<A...>& a, const extents<B...>& b) {
  if (a.rank != b.rank) return false;
  for (int axis = 0; axis < a.rank; ++axis)
    if (a[axis] != b[axis]) return false;
  return true;
}

namespace detail {

template <class Extents, class Axes>
struct map_axes;
/// extents<F::axis(0), F::axis(1), ...>
template <class F, std::size_t... Axis>
struct map_axes<F, std::index_sequence<Axis...>> {
  using type = extents<F::axis(int(Axis))...>;
};
template <class F, int Rank>
using extents_from = typename map_axes<F, std::make_index_sequence<std::size_t(Rank)>>::type;

/// Replaces one axis; Size may be `dynamic`.
template <class X, int Axis, index_t Size>
struct replace_axis {
  static constexpr index_t axis(int i) { return i == Axis ? Size : X::declared(i); }
  using type = extents_from<replace_axis, X::rank>;
};
template <class X>
using with_dynamic_rows = typename replace_axis<X, 0, dynamic>::type;
template <class X>
using with_dynamic_columns = typename replace_axis<X, X::rank - 1, dynamic>::type;
template <class X>
using with_one_column = typename replace_axis<X, X::rank - 1, 1>::type;

struct all_dynamic {
  static constexpr index_t axis(int) { return dynamic; }
};

}  // namespace detail

/// All axes known at run time.
template <int Rank>
using dynamic_extents = detail::extents_from<detail::all_dynamic, Rank>;

}  // namespace formwork
