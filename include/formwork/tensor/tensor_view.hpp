#pragma once
#include <formwork/core/simd.hpp>
#include <formwork/tensor/broadcast.hpp>
#include <formwork/tensor/view.hpp>

#include <cstdint>

namespace formwork {

/// The outer indices of one row of a destination with `Rank` axes.
template <int Rank>
struct row_position {
  index_t outer[Rank > 1 ? Rank - 1 : 1] = {};
};

/// Position of row r, counted in memory order.
template <class Extents>
FORMWORK_HD constexpr row_position<Extents::rank> position_of_row(const Extents& shape, index_t r) {
  row_position<Extents::rank> position;
  for (int axis = Extents::rank - 2; axis > 0; --axis) {
    const index_t size = shape[axis];
    position.outer[axis] = r % size;
    r /= size;
  }
  position.outer[0] = r;
  return position;
}

/// A row of memory, read by element or by batch. Never reads behind its end.
template <class T>
struct memory_cursor {
  const T* data = nullptr;

  template <class V>
  [[gnu::always_inline]] FORMWORK_HD V at(index_t j) const {
    if constexpr (std::is_same_v<V, T>)
      return data[j];
    else
      return simd::load(data + j);
  }
  /// The first n < width elements from j on; the others are 0.
  template <class V>
  [[gnu::always_inline]] V part(index_t j, index_t n) const {
    return simd::load_part(data + j, n);
  }
};

/// One number, repeated.
template <class T>
struct repeat_cursor {
  T value{};

  template <class V>
  [[gnu::always_inline]] FORMWORK_HD V at(index_t) const {
    return V(value);
  }
  template <class V>
  [[gnu::always_inline]] V part(index_t, index_t) const {
    return V(value);
  }
};

/// Elements in memory that somebody else owns, with the shape in the type: rows of `columns()` elements,
/// `stride` apart. The leaf of every expression; copied by value, so an expression never refers to a view.
/// The memory must live.
template <class T, class Extents>
struct tensor_view {
  using expression_tag = void;
  using value_type = std::remove_const_t<T>;
  using extents_type = Extents;
  static constexpr bool reduces = false;
  static constexpr int rank = Extents::rank;

  T* first = nullptr;
  Extents shape{};
  index_t stride = 0;  ///< elements between the beginnings of two rows

  constexpr tensor_view() = default;
  FORMWORK_HD constexpr tensor_view(T* data, const Extents& shape)
      : tensor_view(data, shape, shape.columns()) {}
  FORMWORK_HD constexpr tensor_view(T* data, const Extents& shape, index_t stride)
      : first(data), shape(shape), stride(stride) {}

  template <class Mutable>
  requires std::is_same_v<const Mutable, T> FORMWORK_HD constexpr tensor_view(
      const tensor_view<Mutable, Extents>& other)
      : tensor_view(other.first, other.shape, other.stride) {}

  FORMWORK_HD constexpr T* data() const { return first; }
  FORMWORK_HD constexpr const Extents& extents() const { return shape; }
  FORMWORK_HD constexpr index_t size() const { return shape.size(); }
  FORMWORK_HD constexpr bool contiguous() const { return stride == shape.columns() || shape.rows() <= 1; }

  /// The part [begin, begin + count) of the first axis.
  auto rows(index_t begin, index_t count) const {
    static_assert(rank > 1, "tensor view: rows() needs two axes; use columns()");
    check_range("rows", begin, count, shape[0]);
    detail::with_dynamic_rows<Extents> part = resized<detail::with_dynamic_rows<Extents>>(0, count);
    const index_t rows_each = shape[0] ? shape.rows() / shape[0] : 0;
    return tensor_view<T, decltype(part)>(first + begin * rows_each * stride, part, stride);
  }
  /// The part [begin, begin + count) of the last axis: a column block.
  auto columns(index_t begin, index_t count) const {
    check_range("columns", begin, count, shape.columns());
    const auto part = resized<detail::with_dynamic_columns<Extents>>(rank - 1, count);
    return tensor_view<T, detail::with_dynamic_columns<Extents>>(first + begin, part, stride);
  }
  /// For kernels: all axes but the last as rows.
  constexpr matrix_view<T> matrix() const { return {first, shape.rows(), shape.columns(), stride}; }

  // What evaluators ask of every node.
  template <class X>
  FORMWORK_HD bool flat(const X& destination) const {
    return contiguous() && shape.size() == destination.size();
  }
  FORMWORK_HD auto line() const { return memory_cursor<value_type>{first}; }
  template <int Rank, class Team>
  FORMWORK_HD auto row(const row_position<Rank>& position, const Team&) const {
    const index_t at = offset(position, std::make_integer_sequence<int, rank - 1>());
    if constexpr (Extents::declared(rank - 1) == 1)
      return repeat_cursor<value_type>{first[at]};
    else
      return memory_cursor<value_type>{first + at};
  }
  template <class F>
  void each_view(const F& f) const {
    f(*this);
  }

 private:
  template <int Rank, int... Axis>
  [[gnu::always_inline]] FORMWORK_HD index_t offset(const row_position<Rank>& position,
                                                    std::integer_sequence<int, Axis...>) const {
    index_t at = 0;
    [[maybe_unused]] index_t step = stride;
    ((at += shape.template get<rank - 2 - Axis>() == 1 ? 0 : position.outer[Rank - 2 - Axis] * step,
      step *= shape.template get<rank - 2 - Axis>()),
     ...);
    return at;
  }
  static void check_range(const char* what, index_t begin, index_t count, index_t size) {
    if (begin < 0 || count < 0 || begin > size - count)
      fail("tensor view: ", count, " ", what, " from ", begin, " on asked for, there are ", size);
  }
  template <class X>
  X resized(int changed, index_t count) const {
    X out;
    for (int axis = 0; axis < rank; ++axis)
      if (X::declared(axis) == dynamic) out.sizes[X::slot(axis)] = axis == changed ? count : shape[axis];
    return out;
  }
};

/// A kernel's view as a leaf of expressions.
/// Shapes:   [rows, width]
template <class T>
constexpr auto view_of(const matrix_view<T>& m) {
  using shape = extents<dynamic, dynamic>;
  shape sizes;
  sizes.sizes[0] = m.rows;
  sizes.sizes[1] = m.width;
  return tensor_view<T, shape>(m.data, sizes, m.stride);
}

/// Writing `destination` row by row while reading `source` gives wrong results: they share memory, and not
/// element by element at the same place. Column blocks of one buffer side by side do not conflict.
template <class T, class D, class S, class E>
bool conflict(const tensor_view<T, D>& destination, const tensor_view<S, E>& source) {
  const index_t rows = destination.shape.rows(), columns = destination.shape.columns();
  const index_t source_rows = source.shape.rows(), source_columns = source.shape.columns();
  if (rows * columns == 0 || source_rows * source_columns == 0) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(destination.first);
  const auto source_begin = reinterpret_cast<std::uintptr_t>(source.first);
  const auto end = begin + std::uintptr_t((rows - 1) * destination.stride + columns) * sizeof(T);
  const auto source_end =
      source_begin + std::uintptr_t((source_rows - 1) * source.stride + source_columns) * sizeof(S);
  if (end <= source_begin || source_end <= begin) return false;
  const bool same_stride = sizeof(T) == sizeof(S) && destination.stride == source.stride;
  if (begin == source_begin && rows == source_rows && columns == source_columns && (sizeof(T) == sizeof(S)) &&
      (same_stride || rows == 1))
    return false;
  if (!same_stride || destination.stride == 0) return true;
  const index_t stride = destination.stride, distance = index_t(source_begin - begin) / index_t(sizeof(T));
  const index_t offset = (distance % stride + stride) % stride;
  return offset < columns || offset + source_columns > stride;
}

}  // namespace formwork
