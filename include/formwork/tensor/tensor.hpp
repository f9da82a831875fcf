#pragma once
#include <formwork/tensor/reductions.hpp>
#include <formwork/tensor/storage.hpp>

#include <algorithm>
#include <array>

namespace formwork {

/// Elements of type T in memory of its own, row by row, with the shape in the type: `tensor<float, dynamic,
/// 128>` has any number of rows of width 128. Zero at first; aligned as `storage` is. Copies are deep; a copy
/// takes over the shape, an expression has to fit it. A moved-from tensor may only be assigned a tensor or
/// destroyed; asked for elements, a view or a copy it throws `error`. Assigning expressions needs
/// <formwork/kernels/cpu/evaluate.hpp>; `.xt()` needs <formwork/tensor/xtensor.hpp>. See: docs/tensors.md
template <class T, index_t... Extents>
class tensor {
 public:
  using value_type = T;
  using extents_type = formwork::extents<Extents...>;
  using view_type = tensor_view<T, extents_type>;
  using const_view_type = tensor_view<const T, extents_type>;
  static constexpr int rank = extents_type::rank;

  tensor() : tensor(extents_type{}) {}
  explicit tensor(const extents_type& shape) : shape_(shape), elements_(checked_size(shape)) {}

  /// One size for each dynamic axis, in order.
  template <std::integral... Sizes>
  requires(sizeof...(Sizes) > 0) explicit tensor(Sizes... sizes) : tensor(extents_type(sizes...)) {}

  /// From a shape and the elements row by row, as files give them; `error` when they do not fit the type or
  /// each other.
  tensor(std::span<const index_t> shape, std::span<const T> elements) : tensor(extents_type::from(shape)) {
    if (index_t(elements.size()) != size())
      fail("tensor: ", elements.size(), " elements given for the shape ", text_of(shape_));
    std::copy(elements.begin(), elements.end(), data());
  }

  /// Evaluates an expression into a tensor of its shape.
  template <expression E>
  explicit tensor(const E& e) : tensor(extents_of(e)) {
    *this = e;
  }

  tensor(const tensor& other) : shape_(other.shape_) {
    other.require_elements();
    elements_.assign(other.data(), other.size());
  }
  tensor(tensor&&) noexcept = default;
  tensor& operator=(tensor&& other) noexcept {
    std::swap(shape_, other.shape_);
    elements_ = std::move(other.elements_);
    return *this;
  }
  tensor& operator=(const tensor& other) {
    if (this == &other) return *this;
    other.require_elements();
    if (elements_.size() != other.size()) elements_.resize(other.size());
    shape_ = other.shape_;
    std::copy(other.data(), other.data() + other.size(), data());
    return *this;
  }

  /// Evaluates an expression, view or other tensor into this one; see `evaluate`.
  template <tensor_operand E>
  requires(!std::is_same_v<std::remove_cvref_t<E>, tensor>) tensor& operator=(E&& e) {
    constexpr bool known = requires(tensor & y) { evaluate(y, detail::node_of(e)); };
    static_assert(known, "tensor: include <formwork/kernels/cpu/evaluate.hpp> to assign expressions");
    if constexpr (known) evaluate(*this, detail::node_of(e));
    return *this;
  }

  void fill(T value) { std::fill_n(data(), size(), value); }

  T* data() { return elements_.data(); }
  const T* data() const { return elements_.data(); }
  const extents_type& extents() const { return shape_; }
  index_t size() const { return elements_.size(); }
  std::span<T> elements() { return {data(), std::size_t(size())}; }
  std::span<const T> elements() const { return {data(), std::size_t(size())}; }

  /// One element, one index per axis; `error` when an index is out of range.
  template <std::integral... Indices>
  T& operator()(Indices... indices) {
    return data()[offset(indices...)];
  }
  template <std::integral... Indices>
  const T& operator()(Indices... indices) const {
    return data()[offset(indices...)];
  }

  /// A view of the elements; not of a temporary, which would take them with it.
  view_type view() & {
    require_elements();
    return {data(), shape_};
  }
  const_view_type view() const& {
    require_elements();
    return {data(), shape_};
  }
  void view() const&& = delete;

  /// The same memory as an xtensor expression, for the whole of xtensor; nothing is copied.
  template <class Self = tensor>
  auto xt() & {
    return adapted(static_cast<Self&>(*this));
  }
  template <class Self = tensor>
  auto xt() const& {
    return adapted(static_cast<const Self&>(*this));
  }
  void xt() const&& = delete;

 private:
  template <class Self>
  static auto adapted(Self& self) {
    constexpr bool known = requires { as_xtensor(self); };
    static_assert(known, "tensor: include <formwork/tensor/xtensor.hpp> to use .xt()");
    if constexpr (known) return as_xtensor(self);
  }

  /// A moved-from tensor has a shape and no memory; one without elements has some.
  void require_elements() const {
    if (!data()) fail("tensor: its elements have been moved to another one");
  }

  static index_t checked_size(const extents_type& shape) {
    index_t size = 1;
    for (int axis = 0; axis < rank; ++axis)
      if (__builtin_mul_overflow(size, shape[axis], &size))
        fail("tensor: the shape ", text_of(shape), " is too large");
    return size;
  }

  template <class E>
  static extents_type extents_of(const E& e) {
    using given = typename E::extents_type;
    constexpr bool fit = given::rank == rank && fills<extents_type, given>;
    static_assert(fit, "tensor: the expression's extents do not fit the tensor's");
    const auto shape = e.extents();
    std::array<index_t, std::size_t(given::rank)> sizes;
    for (int axis = 0; axis < given::rank; ++axis) sizes[std::size_t(axis)] = shape[axis];
    return extents_type::from(sizes);
  }

  template <class... Indices>
  index_t offset(Indices... indices) const {
    static_assert(sizeof...(Indices) == rank, "tensor: give one index for each axis");
    require_elements();
    const index_t all[] = {index_t(indices)...};
    index_t at = 0;
    for (int axis = 0; axis < rank; ++axis) {
      if (all[axis] < 0 || all[axis] >= shape_[axis])
        fail("tensor: index ", all[axis], " on axis ", axis, " of the extents ", text_of(shape_));
      at = at * shape_[axis] + all[axis];
    }
    return at;
  }

  extents_type shape_;
  storage<T> elements_;
};

/// Rows and columns both known at run time.
template <class T>
using matrix = tensor<T, dynamic, dynamic>;
template <class T>
using vector_of = tensor<T, dynamic>;

namespace detail {
/// The view that an expression of type E is to be written to, with the checks that the types allow.
template <class E, class Destination>
constexpr auto destination_view(Destination& destination) {
  static_assert(tensor_operand<Destination>, "evaluate: the destination is a tensor or a view");
  const auto out = [&] {
    if constexpr (expression<Destination>)
      return destination;
    else
      return destination.view();
  }();
  using view = std::remove_const_t<decltype(out)>;
  static_assert(!std::is_const_v<std::remove_pointer_t<decltype(out.data())>>,
                "evaluate: the destination is read-only");
  static_assert(std::is_same_v<typename view::value_type, typename E::value_type>,
                "tensor expression: the destination has another element type");
  static_assert(fills<typename view::extents_type, typename E::extents_type>,
                "tensor expression: its extents do not fit the destination's");
  return out;
}
}  // namespace detail
}  // namespace formwork
