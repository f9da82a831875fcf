#pragma once
#include <formwork/model/layers.hpp>
#include <formwork/model/parameters.hpp>

#include <cmath>
#include <initializer_list>
#include <string>

namespace formwork {

namespace detail {

/// For results of functions: their last digit may differ between machines.
inline long long millionths(double x) { return std::llround(1e6 * x); }

/// What an attention has beyond the usual one.
inline std::string form_of(const attention_form& form) {
  std::string out;
  if (form.key_heads) out += text(" key_heads ", form.key_heads);
  if (form.distance_bias) out += " distance_bias";
  if (form.window) out += text(" window ", form.window);
  if (form.cap > 0) out += text(" cap ", form.cap);
  return out;
}

/// The table of a layer on one line.
inline std::string fingerprint_of(const graph& g) {
  std::string out;
  for (int i = 0; i < g.count; ++i) {
    out += g[i].is_input() ? "input" : g[i].op->name.view();
    for (const short k : g[i].in)
      if (k >= 0) out += text(" ", k);
    if (g[i].heads) out += text(" heads ", g[i].heads, g[i].causal ? " causal" : "");
    out += form_of(g[i].form);
    if (g[i].dropout != dropout_place::none) out += text(" place ", int(g[i].dropout));
    for (const short p : g[i].parameter)
      if (p >= 0) out += text(" ", g.parameters[p].name);
    if (g[i].column) out += text(" column ", g[i].column);
    if (g[i].alpha != 1) out += text(" *", g[i].alpha);
    if (g[i].alpha_of_layer)
      for (const stack_kind stack : {stack_kind::encoder, stack_kind::decoder})
        for (const int layer : {0, 5})
          out += text(" *", millionths(g[i].alpha_of_layer({stack, layer, 6, 6})));
    out += "; ";
  }
  return out;
}

}  // namespace detail

/// The configuration of a model as "key=value" lines: what a checkpoint must agree with. Written from the
/// equations of its layers, so a placement or op that changes anything changes the text, and from the tables
/// before fusion, so that a better fusion table refuses no old checkpoint.
template <class Model>
std::string fingerprint_of(const Model& model) {
  using C = typename Model::configuration;
  std::string out =
      text("model=encoder_decoder\nplacement=", label(C::placement::name),
           "\nactivation=", label(C::activation::name), "\nd_model=", C::size.d_model,
           "\nd_ff=", C::size.d_ff, "\nheads=", C::size.heads, "\nencoder_layers=", C::size.encoder_layers,
           "\ndecoder_layers=", C::size.decoder_layers, "\nsource_vocabulary=", model.vocabulary().source,
           "\ntarget_vocabulary=", model.vocabulary().target,
           "\nscalar=", sizeof(typename Model::scalar) == 4 ? "fp32" : "fp64", "\n");
  const auto equation = [&out](const char* name, const graph& g) {
    out += text(name, "=", detail::fingerprint_of(g), "\n");
  };
  if constexpr (fixed_position_code<typename C::position>) {
    // The equations say that a code is added, not which: some of its values do.
    out += "position_code=";
    for (const index_t p : {0, 1, 2, 17})
      for (const index_t c : {index_t{0}, C::size.d_model / 3, C::size.d_model - 1})
        if (p < longest_sequence<typename C::position>)
          out += text(detail::millionths(C::position::code(p, c, C::size.d_model)), " ");
    out += "\n";
  }
  equation("source_embedding", embedding_layer<C, axis::source>::graph);
  equation("encoder_layer", encoder_layer<detail::lower_section<C>>::graph);
  equation("encoder_end", final_layer<C, axis::source>::graph);
  equation("decoder_layer", decoder_layer<detail::lower_section<C>>::graph);
  equation("decoder_end", final_layer<C, axis::target>::graph);
  equation("target_embedding", embedding_layer<C, axis::target>::graph);
  if constexpr (detail::has_sections<typename C::placement>) {
    equation("upper_encoder_layer", encoder_layer<detail::upper_section<C>>::graph);
    equation("upper_decoder_layer", decoder_layer<detail::upper_section<C>>::graph);
    out += text("lower_layers=", Model::encoder_tower::split, " ", Model::decoder_tower::split, "\n");
  }
  out += text("tied=", int(C::ties), "\noutput_bias=", C::output_bias,
              "\nparameters=", model.parameters().size(), "\n");
  return out;
}

}  // namespace formwork
