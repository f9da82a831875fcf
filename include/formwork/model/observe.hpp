#pragma once
#include <formwork/core/error.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/policy/norm_placement/tapped.hpp>

#include <string>
#include <vector>

namespace formwork {

/// What one sub-layer made of a batch, over all tokens and columns.
struct sublayer_figures {
  stack_kind stack = stack_kind::none;
  int layer = 0;
  sublayer part = sublayer::self_attention;
  double mean_square = 0;  ///< E[x^2]: the squared norm of a row divided by its width
  double variance = 0;     ///< E[x^2] - E[x]^2
};

namespace detail {

template <class C, tap What>
struct observed : C {
  using placement = tapped<typename C::placement, What>;
};

template <class Model, tap What>
struct observed_model;
template <template <class, class> class Model, class C, class Backend, tap What>
struct observed_model<Model<C, Backend>, What> {
  using type = Model<observed<C, What>, Backend>;
};

}  // namespace detail

/// A model's twin that shows what its sub-layers make: the same parameters and results, with memory of its
/// own.
template <class Model, tap What = tap::state>
class observer {
 public:
  using twin_type = typename detail::observed_model<Model, What>::type;
  using backend_type = typename Model::backend_type;

  explicit observer(const Model& model) : twin_(model.vocabulary(), [](auto&&...) { return 0.0; }) {
    copy_from(model);
  }
  /// Takes over the parameters as they are now.
  void copy_from(const Model& model) {
    const auto& from = model.parameters();
    auto& to = twin_.parameters();
    if (from.size() != to.size())
      fail("observer: the twin has ", to.size(), " parameters, the model ", from.size());
    std::copy_n(from.values(), from.size(), to.values());
  }

  /// Figures of all sub-layers in a forward pass over a batch, in the order in which they run.
  template <class Batch>
  std::vector<sublayer_figures> figures(backend_type& backend, const Batch& batch,
                                        const pass_options& options = {}) {
    std::vector<sublayer_figures> out;
    twin_.observe(backend, batch, options, [&](stack_kind stack, int layer, int stream, auto values) {
      const sublayer part = sublayer(stream - 1);
      const bool has_cross = stack == stack_kind::decoder && has_memory;
      if (stream == 0 || (part == sublayer::cross_attention && !has_cross)) return;
      double sum = 0, squares = 0;
      for (index_t r = 0; r < values.rows; ++r)
        for (index_t c = 0; c < values.width; ++c) {
          const double x = double(values.row(r)[c]);
          sum += x;
          squares += x * x;
        }
      const double n = double(values.rows * values.width);
      out.push_back({stack, layer, part, squares / n, squares / n - sum / n * (sum / n)});
    });
    return out;
  }

  twin_type& twin() { return twin_; }

 private:
  static constexpr bool has_memory = requires { typename Model::encoder_tower; };

  twin_type twin_;
};

}  // namespace formwork
