#include <formwork/model/fingerprint.hpp>

#include <doctest/doctest.h>

#include <formwork/model/encoder_decoder.hpp>

#include <set>

using namespace formwork;

namespace {

struct base : config {
  static constexpr dims size{.d_model = 6, .d_ff = 10, .heads = 2, .encoder_layers = 2, .decoder_layers = 1};
};

/// What a model is to `fingerprint_of`, without any kernel.
template <class C>
struct tables {
  using configuration = C;
  using model = encoder_decoder<C>;
  using scalar = typename C::precision::scalar;
  using encoder_tower = typename model::encoder_tower;
  using decoder_tower = typename model::decoder_tower;

  struct {
    vocabulary_sizes sizes;
    index_t size() const { return model::parameter_count(sizes); }
  } store;
  vocabulary_sizes vocabulary() const { return store.sizes; }
  const auto& parameters() const { return store; }
};

template <class C>
std::string print(index_t source = 11, index_t target = 11) {
  return fingerprint_of(tables<C>{{{source, target}}});
}

template <index_t Width, index_t Inner, int Heads, int Encoder, int Decoder>
struct sized : base {
  static constexpr dims size{Width, Inner, Heads, Encoder, Decoder};
};
template <class Position>
struct positioned : base {
  using position = Position;
};
/// Heads of an even width.
template <class C>
struct even : C {
  static constexpr dims size{.d_model = 6, .d_ff = 10, .heads = 1, .encoder_layers = 2, .decoder_layers = 1};
};
template <int KeyHeads>
struct grouped : base {
  static constexpr dims size{
      .d_model = 12, .d_ff = 10, .heads = 6, .encoder_layers = 2, .decoder_layers = 1, .kv_heads = KeyHeads};
};
template <int Window>
struct windowed : base {
  static constexpr index_t window = Window;
};
template <int Cap>
struct capped : base {
  static constexpr double logit_cap = Cap;
};
struct with_post_norm : base {
  using placement = post_norm;
};
struct with_silu : base {
  using activation = silu;
};
struct doubled : base {
  using precision = fp64;
};
struct own_epsilon : base {
  struct norm {
    static constexpr expr apply(expr x, label name) { return ops::layer_norm(x, name, 1e-6); }
  };
};
struct with_output_tie : base {
  static constexpr tying ties = tying::output;
};
struct with_bias : base {
  static constexpr bool output_bias = true;
};
template <int Power>
struct scaled : base {
  struct placement : pre_norm {
    static constexpr expr block(expr x, auto f, auto norm) {
      return x +
             ops::scale_by_layer([](const layer_place& p) { return Power * (p.layer + 1.0); }, f(norm(x)));
    }
  };
};

}  // namespace

TEST_CASE("fingerprint: differs for each entry of the configuration, agrees for equal ones") {
  const std::string all[] = {print<base>(),
                             print<base>(12, 12),
                             print<sized<8, 10, 2, 2, 1>>(),
                             print<sized<6, 11, 2, 2, 1>>(),
                             print<sized<6, 10, 3, 2, 1>>(),
                             print<sized<6, 10, 2, 3, 1>>(),
                             print<sized<6, 10, 2, 2, 2>>(),
                             print<positioned<basic_sinusoidal<0>>>(),
                             print<positioned<interleaved_sinusoidal>>(),
                             print<positioned<learned<9>>>(),
                             print<positioned<learned<10>>>(),
                             print<positioned<no_position>>(),
                             print<even<positioned<rotary>>>(),
                             print<even<positioned<interleaved_rotary>>>(),
                             print<even<positioned<basic_rotary<rotary_op, 500>>>>(),
                             print<positioned<alibi>>(),
                             print<grouped<0>>(),
                             print<grouped<1>>(),
                             print<grouped<2>>(),
                             print<windowed<1>>(),
                             print<windowed<2>>(),
                             print<capped<1>>(),
                             print<capped<2>>(),
                             print<with_post_norm>(),
                             print<with_silu>(),
                             print<doubled>(),
                             print<own_epsilon>(),
                             print<with_output_tie>(),
                             print<with_output_tie>(11, 12),
                             print<with_bias>(),
                             print<scaled<1>>(),
                             print<scaled<2>>()};
  CHECK(std::set<std::string>(std::begin(all), std::end(all)).size() == std::size(all));
  struct same : base {};
  CHECK(print<same>() == print<base>());
  CHECK(print<grouped<6>>() == print<grouped<0>>());
}

TEST_CASE("fingerprint: is made of lines with a key and a value") {
  const std::string s = print<base>();
  CHECK(s.starts_with("model=encoder_decoder\nplacement=pre_norm\nactivation=relu\nd_model=6\nd_ff=10\n"));
  CHECK(s.find("\nencoder_layer=input; layer_norm 0 self_attention.norm.gain self_attention.norm.bias "
               "*1e-05; linear 1") != s.npos);
  CHECK(s.ends_with("\n"));
  CHECK(s.find("\n\n") == s.npos);
}
