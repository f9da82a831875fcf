#pragma once
#include <formwork/graph/program.hpp>
#include <formwork/model/config.hpp>
#include <formwork/model/parameters.hpp>
#include <formwork/model/position_table.hpp>

#include <vector>

namespace formwork {

/// One compiled layer on its own, with memory for one batch: to look at what an equation computes, to compare
/// it with numbers from elsewhere, to check its gradient. Parameters and inputs start as zeros.
///   layer_run<encoder_layer<tiny>> run({3, 5}, {});       two sequences
///   run.parameters().value("ffn.up.weight"), run.input(0)  to be filled
///   run.forward();   run.output(0)
///   run.gradient(0) to be filled with dL/d output;   run.backward();   run.gradient(0) is dL/d input
template <class Layer, class Dialect = dialect, class T = double>
class layer_run {
 public:
  using program = formwork::program<Layer, Dialect, T, cpu_backend>;
  static constexpr const graph& table = program::graph;

  /// Lengths of the sequences of both axes, 0 or more (checked); both vocabularies have so many entries.
  layer_run(const std::vector<index_t>& source_lengths, const std::vector<index_t>& target_lengths,
            index_t vocabulary = 7, int threads = 1)
      : backend_(threads) {
    places_ = store_.declare(table, "", {}, vocabulary, vocabulary);
    store_.initialise([](const parameter_info&, const random_stream&, std::uint64_t) { return 0.0; }, 1);
    for (int a = 0; a < 2; ++a) {
      starts_[a].push_back(0);
      for (const index_t n : a ? target_lengths : source_lengths) starts_[a].push_back(starts_[a].back() + n);
      pass.rows[a] = {starts_[a].data(), index_t(starts_[a].size()) - 1};
      longest_of(pass.rows[a]);  // checks the lengths
    }
    memory_.source_rows = gradients_.source_rows = pass.rows[0].rows();
    memory_.target_rows = gradients_.target_rows = pass.rows[1].rows();
    kept_.resize(program::values.kept.at(memory_.source_rows, memory_.target_rows));
    scratch_.resize(program::scratch.at(memory_.source_rows, memory_.target_rows));
    memory_.kept = kept_.data();
    memory_.scratch = gradients_.scratch = scratch_.data();
    for (int s = 0; s < graph::max_streams; ++s) {
      if (s < table.input_count) inputs_[s].resize(size_of(table.inputs[s]));
      if (s < table.output_count) d_streams_[s].resize(size_of(table.outputs[s]));
      if (s < table.input_count) d_streams_[s].reserve(inputs_[s].size());
      memory_.stream[s] = inputs_[s].data();
      gradients_.stream[s] = d_streams_[s].data();
    }
    if (table.memory < 0) return;
    encoded_.resize(size_of(table.memory));
    d_encoded_.resize(encoded_.size());
    memory_.memory = encoded_.data();
    gradients_.d_memory = d_encoded_.data();
  }
  layer_run(const layer_run&) = delete;
  layer_run& operator=(const layer_run&) = delete;

  parameter_store<T>& parameters() { return store_; }
  matrix_view<T> input(int stream) { return rows_of(table.inputs[stream], inputs_[stream]); }
  matrix_view<T> memory() { return rows_of(table.memory, encoded_); }

  void forward() { program::forward(backend_, pass, memory_, places()); }
  /// The result of `forward`.
  matrix_view<T> output(int stream) {
    const int i = table.outputs[stream];
    return {program::output(stream, memory_), pass.of(table[i].rows).rows(), table[i].width};
  }

  /// Before `backward` the gradient of output `stream`, afterwards that of the input.
  matrix_view<T> gradient(int stream) {
    return rows_of(stream < table.output_count ? table.outputs[stream] : table.inputs[stream],
                   d_streams_[stream]);
  }
  matrix_view<T> d_memory() { return rows_of(table.memory, d_encoded_); }
  /// After `forward`. Sets the gradients of parameters and memory,
  /// and those of the inputs in place of the outputs'.
  void backward() {
    store_.zero_gradients();
    std::fill(d_encoded_.begin(), d_encoded_.end(), T(0));
    program::backward(backend_, pass, memory_, gradients_, places());
  }

  /// Rows are set; tokens, dropout, position code and place in the stack are free to choose.
  pass_state<T> pass;

 private:
  layer_parameters<T> places() {
    return {store_.values(), store_.gradients(), places_.offset.data(), places_.rows.data()};
  }
  index_t size_of(int i) const { return pass.of(table[i].rows).rows() * table[i].width; }
  matrix_view<T> rows_of(int i, storage<T>& data) {
    return {data.data(), pass.of(table[i].rows).rows(), table[i].width};
  }

  cpu_backend backend_;
  parameter_store<T> store_;
  parameter_places places_;
  std::vector<index_t> starts_[2];
  storage<T> kept_, scratch_, encoded_, d_encoded_;
  storage<T> inputs_[graph::max_streams], d_streams_[graph::max_streams];
  layer_memory<T> memory_, gradients_;
};

}  // namespace formwork
