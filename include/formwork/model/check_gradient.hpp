#pragma once
#include <formwork/model/layer_run.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace formwork {

/// Sequence lengths of the test batch of check_gradient.
struct check_lengths {
  std::vector<index_t> source{1, 5, 3};
  std::vector<index_t> target{4, 1, 2};
};

/// The verdict on the gradient of one parameter or input, along one random direction.
struct gradient_check {
  std::string name;
  double derivative = 0;  ///< along the direction, by the backward pass
  double coarse = 0;      ///< difference to the central difference quotient with step h
  double fine = 0;        ///< the same with step h / 4

  /// The error of a central difference falls with the square of its step: a quarter of the step gives a
  /// sixteenth of the error. A wrong derivative leaves an error that stays. Errors at the level of rounding
  /// prove nothing either way and pass.
  bool passed() const { return fine < 2e-9 * (1 + std::abs(derivative)) || fine * 8 < coarse; }
};

namespace detail {

/// A layer with random parameters and inputs, and the loss sum(c * outputs) with random c.
template <class Layer, class Dialect>
class gradient_probe {
 public:
  using run_type = layer_run<Layer, Dialect>;
  static constexpr const graph& table = run_type::table;
  static constexpr index_t vocabulary = 7;

  gradient_probe(const check_lengths& lengths, std::uint64_t seed, const dropout_rates& dropout)
      : random_{seed, 1}, run_(lengths.source, lengths.target, vocabulary) {
    if (run_.output(0).rows == 0)
      fail("check_gradient: the layer's result has no rows, nothing would be checked; give it sequences");
    parameter_store<double>& store = run_.parameters();
    for (std::size_t i = 0; i < store.entries().size(); ++i)
      add(store.entries()[i].name, store.value(i), store.gradient(i),
          store.entries()[i].info.role == role::norm_gain ? 1 : 0, 0.5);
    for (int s = 0; s < table.input_count; ++s) add(text("input ", s), run_.input(s), run_.gradient(s), 0, 1);
    if (table.memory >= 0) add("memory", run_.memory(), run_.d_memory(), 0, 1);
    for (int s = 0; s < table.output_count; ++s) weights_[s] = numbers(run_.gradient(s), 0, 1);
    for (const axis a : {axis::source, axis::target}) {
      std::vector<token_t>& ids = ids_[int(a)];
      ids.resize(std::size_t(run_.pass.of(a).rows()));
      for (token_t& id : ids) id = token_t(random_.below(counter_++, vocabulary));
      run_.pass.ids[int(a)] = ids.data();
    }
    index_t longest = 0;
    for (const sequences& rows : run_.pass.rows)
      for (index_t b = 0; b < rows.count; ++b) longest = std::max(longest, rows.length(b));
    const index_t width = table[table.outputs[0]].width;
    positions_ = numbers({nullptr, longest, width}, 0, 1);
    run_.pass.positions = {positions_.data(), longest, width};
    run_.pass.place = {.stack = stack_kind::decoder, .encoder_layers = 1, .decoder_layers = 1};
    run_.pass.dropout = dropout;
  }

  std::vector<gradient_check> check(double h) {
    loss();
    for (int s = 0; s < table.output_count; ++s)
      std::copy(weights_[s].begin(), weights_[s].end(), run_.gradient(s).data);
    run_.backward();
    std::vector<gradient_check> out;
    for (const variable& v : variables_) {
      const std::vector<double> direction = numbers(v.value, 0, 1);
      gradient_check c{.name = v.name};
      for (std::size_t i = 0; i < direction.size(); ++i) c.derivative += v.gradient.data[i] * direction[i];
      c.coarse = std::abs(quotient(v, direction, h) - c.derivative);
      c.fine = std::abs(quotient(v, direction, h / 4) - c.derivative);
      out.push_back(c);
    }
    return out;
  }

 private:
  struct variable {
    std::string name;
    matrix_view<double> value, gradient;
  };

  std::vector<double> numbers(matrix_view<double> shape, double mean, double deviation) {
    std::vector<double> out(std::size_t(shape.rows * shape.width));
    for (double& x : out) x = mean + deviation * random_.normal(counter_++);
    return out;
  }
  void add(std::string name, matrix_view<double> value, matrix_view<double> gradient, double mean,
           double deviation) {
    const std::vector<double> start = numbers(value, mean, deviation);
    std::copy(start.begin(), start.end(), value.data);
    variables_.push_back({std::move(name), value, gradient});
  }
  double loss() {
    run_.forward();
    double sum = 0;
    for (int s = 0; s < table.output_count; ++s)
      for (std::size_t i = 0; i < weights_[s].size(); ++i) sum += weights_[s][i] * run_.output(s).data[i];
    return sum;
  }
  double quotient(const variable& v, const std::vector<double>& direction, double h) {
    const std::vector<double> old(v.value.data, v.value.data + direction.size());
    const auto at = [&](double step) {
      for (std::size_t i = 0; i < direction.size(); ++i) v.value.data[i] = old[i] + step * direction[i];
      return loss();
    };
    const double q = (at(h) - at(-h)) / (2 * h);
    std::copy(old.begin(), old.end(), v.value.data);
    return q;
  }

  random_stream random_;
  std::uint64_t counter_ = 0;
  run_type run_;
  std::vector<token_t> ids_[2];
  std::vector<double> positions_, weights_[graph::max_streams];
  std::vector<variable> variables_;
};

}  // namespace detail

/// Compares the backward pass of a layer with central differences, in double precision, for every parameter
/// and every input, on a small ragged batch.
/// For a layer of the library, of a user's placement, or around a user's op.
/// Requires: lengths of 0 or more, with tokens on the axis of the layer's result (checked)
template <class Layer, class Dialect = dialect>
std::vector<gradient_check> check_gradient(const check_lengths& lengths = {}, std::uint64_t seed = 1,
                                           const dropout_rates& dropout = {}, double h = 1e-3) {
  return detail::gradient_probe<Layer, Dialect>(lengths, seed, dropout).check(h);
}

}  // namespace formwork
