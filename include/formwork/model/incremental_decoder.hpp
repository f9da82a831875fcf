#pragma once
#include <formwork/model/encoder_decoder.hpp>

#include <numeric>
#include <vector>

namespace formwork {

/// Runs a trained encoder-decoder one target token at a time: the encoder once, then a step for all live
/// hypotheses of all sentences together, with the keys and values of earlier steps cached. The layers are the
/// same compiled programs that train; a hypothesis's numbers do not depend on what else is in the batch.
template <class Model>
class incremental_decoder {
 public:
  using scalar = typename Model::scalar;
  using backend_type = typename Model::backend_type;

  incremental_decoder(Model& model, backend_type& backend) : model_(model), backend_(backend) {}

  /// Encodes the sources and prepares for at most `hypotheses` live at a time and `longest` steps. The
  /// boundaries that `source_rows` views must live until the last step.
  /// Requires: 1 to 2^40 hypotheses x steps, so that no size overflows (checked)
  void begin(const token_t* source, const sequences& source_rows, index_t hypotheses, index_t longest) {
    constexpr index_t most = index_t{1} << 40;
    if (hypotheses < 1 || longest < 1 || longest > most / hypotheses)
      fail("incremental_decoder: ", hypotheses, " hypotheses times ", longest, " steps, expected 1 to ",
           most);
    source_rows_ = source_rows;
    hypotheses_ = hypotheses;
    longest_ = longest;
    position_ = 0;
    cache_end_ = 0;
    model_.reserve_positions(longest);
    memory_ = model_.encode(backend_, source, source_rows).data;
    reserve();
    pass_state<scalar> pass{.rows = {source_rows, {}}};
    for (int l = 0; l < layers().depth(); ++l)
      layers().at(l, [&](auto program) {
        program.advance(true, backend_, layers().at_layer(pass, l), memory_of(l, {}),
                        layers().parameters(l, model_.parameters()));
      });
  }

  /// One step. tokens[r] is the newest token of live hypothesis r; the hypotheses of a sentence stand
  /// together: `live` has one sequence for each sentence, of length 0 where it is finished. parents[r] is the
  /// row that hypothesis r had in the previous step (not read in the first). Returns the decoder's result
  /// [live rows, D], for `project`; valid until the next step.
  /// Requires: at most `hypotheses` rows, at most `longest` steps, parents among the rows of the step before
  ///           (checked)
  matrix_view<scalar> step(const token_t* tokens, const sequences& live, const index_t* parents) {
    const index_t rows = live.rows();
    if (rows > hypotheses_ || position_ >= longest_)
      fail("incremental_decoder: step ", position_ + 1, " with ", rows, " hypotheses, but begin() was told ",
           longest_, " steps and ", hypotheses_, " hypotheses");
    extend_pasts(rows, parents);
    decode_state<scalar> decode{.position = position_,
                                .rows = pasts_.data(),
                                .lengths = lengths_.data(),
                                .hypotheses = {each_row_.data(), rows},
                                .first_cache_row = cache_end_};
    pass_state<scalar> pass{.rows = {source_rows_, live},
                            .ids = {nullptr, tokens},
                            .positions = model_.position_code(),
                            .decode = &decode};
    streams x = run(model_.decoder().embedding_stack(), 0, pass, {});
    for (scalar*& s : x)
      if (!s) s = x[0];
    for (int l = 0; l < layers().depth(); ++l) {
      decode.caches = caches_.data() + l * graph::max_nodes;
      x = run(layers(), l, pass, x);
    }
    x = run(model_.decoder().end_stack(), 0, pass, x);
    ++position_;
    cache_end_ += rows;
    return {x[0], rows, Model::configuration::size.d_model};
  }

  /// Log-probabilities [rows, V] of what `step` returned.
  void project(matrix_view<scalar> result, matrix_view<scalar> log_probabilities) {
    output_log_probabilities(backend_, result, model_.output_head(), log_probabilities);
  }

 private:
  using decoder = typename Model::decoder_tower;
  using lower_layer = typename decoder::lower_layer;
  using upper_layer = typename decoder::upper_layer;
  using streams = std::array<scalar*, graph::max_streams>;

  // Memory: the fixed values of all layers, one block of scratch for each layer parity (a layer reads its
  // predecessor's results), and behind them the scratch of what stands around the stack.
  static constexpr extent scratch =
      upper(upper(lower_layer::step_values.scratch, upper_layer::step_values.scratch),
            upper(decoder::embedding::step_values.scratch, decoder::end::step_values.scratch));
  static constexpr extent fixed = upper(lower_layer::step_values.kept, upper_layer::step_values.kept);

  const auto& layers() const { return model_.decoder().layers(); }

  void reserve() {
    source_capacity_ = (source_rows_.rows() + 15) / 16 * 16;
    target_capacity_ = (hypotheses_ + 15) / 16 * 16;
    fixed_size_ = fixed.at(source_capacity_, target_capacity_);
    scratch_size_ = scratch.at(source_capacity_, target_capacity_);
    arena_.reserve(layers().depth() * fixed_size_ + 2 * scratch_size_);
    const index_t cache_rows = hypotheses_ * longest_;
    index_t width = 0;
    for (int l = 0; l < layers().depth(); ++l)
      each_cache(l,
                 [&](const graph& g, int, const node& n) { width += g[n.in[1]].width + g[n.in[2]].width; });
    cache_.reserve(width * cache_rows);
    caches_.assign(std::size_t(layers().depth() * graph::max_nodes), {});
    scalar* end = cache_.data();
    for (int l = 0; l < layers().depth(); ++l)
      each_cache(l, [&](const graph& g, int i, const node& n) {
        const auto take = [&](index_t w) {
          const matrix_view<scalar> rows(end, cache_rows, w);
          end += cache_rows * w;
          return rows;
        };
        const matrix_view<scalar> key = take(g[n.in[1]].width);
        caches_[std::size_t(l * graph::max_nodes + i)] = {key, take(g[n.in[2]].width)};
      });
    for (std::vector<index_t>& table : past_tables_) table.resize(std::size_t(cache_rows));
    pasts_.resize(std::size_t(hypotheses_));
    lengths_.resize(std::size_t(hypotheses_));
    each_row_.resize(std::size_t(hypotheses_) + 1);
    std::iota(each_row_.begin(), each_row_.end(), index_t{0});
    parity_ = 0;
  }

  /// Calls f(graph, index, node) for every attention of layer l whose past is cached.
  template <class F>
  void each_cache(int l, F f) const {
    layers().at(l, [&](auto program) {
      const graph& g = decltype(program)::graph;
      for (int i = 0; i < g.count; ++i)
        if (g[i].op == &record_of<attention_op> && g[i].causal) f(g, i, g[i]);
    });
  }

  layer_memory<scalar> memory_of(int layer, const streams& in) {
    layer_memory<scalar> m{
        .source_rows = source_capacity_,
        .target_rows = target_capacity_,
        .memory = memory_,
        .kept = arena_.data() + layer * fixed_size_,
        .scratch = arena_.data() + layers().depth() * fixed_size_ + parity_ * scratch_size_};
    std::copy(in.begin(), in.end(), m.stream);
    return m;
  }

  template <class Stack>
  streams run(const Stack& stack, int layer, const pass_state<scalar>& pass, const streams& in) {
    const layer_memory<scalar> memory = memory_of(layer, in);
    parity_ = 1 - parity_;
    return stack.at(layer, [&](auto program) {
      program.advance(false, backend_, stack.at_layer(pass, layer), memory,
                      stack.parameters(layer, model_.parameters()));
      streams out{};
      for (int s = 0; s < Stack::outputs; ++s) out[std::size_t(s)] = program.step_output(s, memory);
      return out;
    });
  }

  /// Writes down, for each hypothesis, which cache rows hold its past:
  /// its parent's and the one this step fills.
  void extend_pasts(index_t rows, const index_t* parents) {
    const std::vector<index_t>& before = past_tables_[std::size_t(position_ % 2)];
    std::vector<index_t>& now = past_tables_[std::size_t((position_ + 1) % 2)];
    for (index_t r = 0; r < rows; ++r) {
      index_t* past = now.data() + r * longest_;
      if (position_ > 0) {
        if (parents[r] < 0 || parents[r] >= rows_before_)
          fail("incremental_decoder: hypothesis ", r, " continues row ", parents[r], " of a step with ",
               rows_before_, " rows");
        std::copy_n(before.data() + parents[r] * longest_, position_, past);
      }
      past[position_] = cache_end_ + r;
      pasts_[std::size_t(r)] = past;
      lengths_[std::size_t(r)] = position_ + 1;
    }
    rows_before_ = rows;
  }

  Model& model_;
  backend_type& backend_;
  sequences source_rows_{};
  index_t hypotheses_ = 0, longest_ = 0, position_ = 0, cache_end_ = 0, rows_before_ = 0;
  index_t source_capacity_ = 0, target_capacity_ = 0, fixed_size_ = 0, scratch_size_ = 0;
  int parity_ = 0;
  scalar* memory_ = nullptr;
  storage<scalar> arena_, cache_;
  std::vector<attention_cache<scalar>> caches_;
  std::vector<index_t> past_tables_[2];
  std::vector<const index_t*> pasts_;
  std::vector<index_t> lengths_, each_row_;
};

}  // namespace formwork
