#pragma once
#include <formwork/graph/call.hpp>

namespace formwork {

/// The kernels of one op for one number type and backend.
template <class T, class Backend>
struct op_kernels {
  void (*forward)(const call<T, Backend>&) = nullptr;
  void (*backward)(const call<T, Backend>&) = nullptr;
};

/// The ops a model may use. A user's op joins by `extend<op>`; nothing is registered anywhere else.
template <class... Ops>
struct op_list {
  template <class... More>
  using extend = op_list<Ops..., More...>;

  /// The kernels of the op that `record` identifies; an op outside the list is an error.
  template <class T, class Backend>
  static constexpr op_kernels<T, Backend> kernels(const op_record* record) {
    op_kernels<T, Backend> found{};
    ((record == &record_of<Ops> ? void(found = {&Ops::template forward<call<T, Backend>>,
                                                &Ops::template backward<call<T, Backend>>})
                                : void()),
     ...);
    if (!found.forward)
      throw "op_list: the layer uses an op that is not in the model's op list; add it with extend";
    return found;
  }

  /// The two kernels of an element function, for the epilogue of a linear op.
  template <class T>
  static constexpr element_kernels<T> element(const op_record* record) {
    element_kernels<T> found{};
    if (record) (find_element<Ops, T>(record, found), ...);
    return found;
  }

 private:
  template <class Op, class T>
  static constexpr void find_element(const op_record* record, element_kernels<T>& found) {
    if constexpr (requires { Op::template element<T>(); })
      if (record == &record_of<Op>) found = Op::template element<T>();
  }
};

}  // namespace formwork
