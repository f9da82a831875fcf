#pragma once
// The only header that names xtensor (0.24 to 0.27, whose headers moved in 0.26). It needs containers and
// adaptors, nothing else; include xtensor's own headers for its mathematics. No xtensor expression runs
// inside the library.
#include <formwork/tensor/tensor.hpp>

#include <array>

#if __has_include(<xtensor/containers/xtensor.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#endif

namespace formwork {
namespace detail {

template <index_t... E>
std::array<std::size_t, sizeof...(E)> xtensor_shape(const extents<E...>& shape) {
  std::array<std::size_t, sizeof...(E)> out;
  for (int axis = 0; axis < shape.rank; ++axis) out[std::size_t(axis)] = std::size_t(shape[axis]);
  return out;
}

template <int Rank, class T, class Container>
auto view_of_container(T* data, const Container& x) {
  static_assert(Container::static_layout == xt::layout_type::row_major,
                "view_of: the xtensor container is row by row");
  std::array<index_t, std::size_t(Rank)> sizes;
  for (std::size_t axis = 0; axis < std::size_t(Rank); ++axis) sizes[axis] = index_t(x.shape(axis));
  return tensor_view<T, dynamic_extents<Rank>>(data, dynamic_extents<Rank>::from(sizes));
}

}  // namespace detail

/// A tensor's memory as an xtensor expression that reads and writes it; nothing is copied. The tensor must
/// outlive it and keep its shape.
template <class T, index_t... E>
auto as_xtensor(tensor<T, E...>& t) {
  // The pointer is passed as a temporary: of a named one, xtensor would keep a reference.
  return xt::adapt<xt::layout_type::row_major>(t.data(), std::size_t(t.size()), xt::no_ownership(),
                                               detail::xtensor_shape(t.extents()));
}
template <class T, index_t... E>
auto as_xtensor(const tensor<T, E...>& t) {
  return xt::adapt<xt::layout_type::row_major>(t.data(), std::size_t(t.size()), xt::no_ownership(),
                                               detail::xtensor_shape(t.extents()));
}
template <class T, index_t... E>
void as_xtensor(const tensor<T, E...>&& t) = delete;

/// The same for a dense view; `error` when its rows are apart: xtensor assigns adaptors with equal strides
/// as one line of memory and would write between the rows. For a column block take `xt::view(t.xt(),
/// xt::all(), xt::range(a, b))`.
template <class T, class X>
auto as_xtensor(const tensor_view<T, X>& v) {
  if (!v.contiguous()) fail("as_xtensor: the view's rows are apart, expected a dense view");
  return xt::adapt<xt::layout_type::row_major>(v.data(), std::size_t(v.size()), xt::no_ownership(),
                                               detail::xtensor_shape(v.shape));
}

/// The elements of an xtensor container as a view; nothing is copied. Row by row only.
template <class Store, std::size_t Rank, xt::layout_type Layout, class Tag>
auto view_of(xt::xtensor_container<Store, Rank, Layout, Tag>& x) {
  return detail::view_of_container<int(Rank)>(x.data(), x);
}
template <class Store, std::size_t Rank, xt::layout_type Layout, class Tag>
auto view_of(const xt::xtensor_container<Store, Rank, Layout, Tag>& x) {
  return detail::view_of_container<int(Rank)>(x.data(), x);
}
template <class Store, std::size_t Rank, xt::layout_type Layout, class Tag>
void view_of(const xt::xtensor_container<Store, Rank, Layout, Tag>&& x) = delete;

/// An xarray has its number of axes at run time only: `view_of<2>(x)`; `error` when it has another.
template <int Rank, class Store, xt::layout_type Layout, class Shape, class Tag>
auto view_of(xt::xarray_container<Store, Layout, Shape, Tag>& x) {
  if (x.dimension() != std::size_t(Rank))
    fail("view_of: the xarray has ", x.dimension(), " axes, expected ", Rank);
  return detail::view_of_container<Rank>(x.data(), x);
}

}  // namespace formwork
