#pragma once
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/init/xavier.hpp>

namespace formwork_test {

/// A model of a few hundred numbers for tests of what lies around models.
template <class Placement = formwork::pre_norm>
struct small_config : formwork::config {
  static constexpr formwork::dims size{
      .d_model = 8, .d_ff = 12, .heads = 2, .encoder_layers = 2, .decoder_layers = 1};
  using placement = Placement;
};

template <class Placement = formwork::pre_norm>
formwork::encoder_decoder<small_config<Placement>> small_model(std::uint64_t seed = 1,
                                                               formwork::index_t vocabulary = 11) {
  return {{vocabulary, vocabulary}, formwork::xavier_uniform{}, seed};
}

}  // namespace formwork_test
