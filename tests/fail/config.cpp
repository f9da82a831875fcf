// expect[1]: "config::size: d_model must be a multiple of heads"
// expect[2]: "config::size: d_model and d_ff must be at least 1"
// expect[3]: "config::size: heads must be at least 1"
// expect[4]: "config::size: encoder_layers and decoder_layers must be at least 1"
// expect[5]: "config::precision: add 'using scalar = float;' or double"
// expect[6]: "norm: add 'static constexpr formwork::expr apply(formwork::expr x, formwork::label name)'"
// expect[7]: "position: add 'static double code(index_t position, index_t column, index_t width)'"
// expect[8]: "activation: add 'template <class V> FORMWORK_HD V operator()(V x) const' that returns V"
// expect[9]: "norm placement: add 'static constexpr bool final_norm = ...;' (a norm behind the last layer)"
// expect[10]: "config::precision: add 'using scalar = float;' or double"
// expect[11]: "position: learned<n> needs at least one position"
// expect[12]: "config::size: heads must be a multiple of kv_heads"
// expect[13]: "config::window: the positions that are seen must be 0 (all) or more"
// expect[14]: "config::logit_cap: the cap must be 0 (none) or a finite number above"
// expect[15]: "head_norm: add 'static constexpr expr apply(expr x, projection p, label name, int heads)'"
#include <formwork/model/config.hpp>

using namespace formwork;

struct nothing {
  static constexpr label name = "nothing";
};

struct extended {
  using scalar = long double;
};

struct model : config {
#if CASE == 1
  static constexpr dims size{.d_model = 10, .heads = 4};
#elif CASE == 2
  static constexpr dims size{.d_model = 8, .d_ff = 0, .heads = 4};
#elif CASE == 3
  static constexpr dims size{.d_model = 8, .heads = 0};
#elif CASE == 4
  static constexpr dims size{.d_model = 8, .decoder_layers = 0};
#elif CASE == 12
  static constexpr dims size{.d_model = 8, .heads = 4, .kv_heads = 3};
#else
  static constexpr dims size{.d_model = 8};
#endif
#if CASE == 5
  using precision = nothing;
#elif CASE == 6
  using norm = nothing;
#elif CASE == 7
  using position = nothing;
#elif CASE == 8
  using activation = nothing;
#elif CASE == 9
  using placement = nothing;
#elif CASE == 10
  using precision = extended;
#elif CASE == 11
  using position = learned<0>;
#elif CASE == 13
  static constexpr index_t window = -1;
#elif CASE == 14
  static constexpr double logit_cap = -1;
#elif CASE == 15
  using head_norm = nothing;
#endif
};

static_assert(check_config<model>());
