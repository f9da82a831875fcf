// expect[1]: "activation: make it default constructible and copyable"
// expect[2]: "activation: add 'static constexpr formwork::label name"
// expect[3]: "activation: add 'template <class V> FORMWORK_HD V operator()(V x) const' that returns V"
// expect[4]: "activation: operator() must take SIMD batches"
// expect[5]: "activation: operator() must take formwork::dual<V>"
// expect[6]: "gated activation: add 'static constexpr formwork::label name"
// expect[7]: "activation: add 'static constexpr formwork::label name"
#include <formwork/policy/activation/activation.hpp>

struct square {
#if CASE == 1
  explicit square(int) {}
#endif
#if CASE != 2
  static constexpr formwork::label name = "square";
#endif
#if CASE == 3
  template <class V>
  void operator()(V) const {}
#elif CASE == 4
  template <std::floating_point V>
  V operator()(V x) const {
    return x * x;
  }
#elif CASE == 5
  template <class V>
  requires std::same_as<V, formwork::scalar_of<V>> ||
      std::same_as<V, formwork::simd::batch<formwork::scalar_of<V>>>
          V operator()(V x) const {
    return x * x;
  }
#else
  template <class V>
  V operator()(V x) const {
    return x * x;
  }
#endif
};

struct own_gate {
#if CASE != 6
  static constexpr formwork::label name = "own_gate";
#endif
#if CASE == 7
  struct gate {};
#else
  using gate = formwork::silu;
#endif
};

static_assert(formwork::explain_activation<square>());
static_assert(formwork::explain_activation<own_gate>());
