#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/policy/optimizer/state.hpp>
#include <formwork/train/options.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace formwork {

/// Where an optimizer brings small parameters of some roles in its first updates and in a late one: numbers
/// that tell two settings of it apart, also rules by layer. Some gradients are tiny, to show epsilons.
template <optimizer O>
std::string moves_of(const O& policy) {
  const parameter_info infos[] = {{.role = role::up, .rows = 3, .columns = 2},
                                  {.role = role::embedding, .rows = 2, .columns = 2},
                                  {.role = role::bias, .rows = 2, .columns = 1},
                                  {.role = role::down,
                                   .rows = 2,
                                   .columns = 3,
                                   .stack = stack_kind::encoder,
                                   .layer = 0,
                                   .encoder_layers = 2}};
  std::vector<double> values(18), gradients(18);
  std::vector<trained_parameter<double>> parameters;
  for (std::size_t first = 0; const parameter_info& info : infos) {
    parameters.push_back({parameters.size(), info, &values[first], &gradients[first]});
    first += std::size_t(info.size());
  }
  cpu_backend backend(1);
  optimizer_state<double, O> state(policy, parameters);
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 3 ? 0.5 : -1;
  for (const step_t step : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 1000}) {
    for (std::size_t i = 0; i < values.size(); ++i)
      gradients[i] = double((7 * step + 5 * step_t(i)) % 11 - 4) * (i % 2 ? 0.125 : 1e-8);
    if (state.samples_labels(step)) state.observe(backend, step, 0.125, 0.5);
    state.update(backend, step, 0.125);
    if (step == 1 || step > 11)
      for (const double w : values) out += text(" ", float(w));  // float: the same on every machine
  }
  return out;
}

/// Everything that decides what the updates after update `step` do, besides model and data, as "key=value"
/// lines. A checkpoint stores them, so that a resumed run can say what has changed. A schedule and an
/// optimizer are known by what they do: the rates of the last two updates (a schedule need not know any
/// beyond the end of a run), and where weights go.
template <optimizer Optimizer, class Schedule>
std::string settings_of(const training_options& o, const smoothed_cross_entropy& loss,
                        const Optimizer& optimizer, const Schedule& schedule, step_t step) {
  return text("accumulate=", o.accumulate, "\nseed=", o.seed, "\ndropout of embeddings=", o.dropout.embedding,
              "\ndropout of attention=", o.dropout.attention,
              "\ndropout of activations=", o.dropout.activation,
              "\ndropout of residuals=", o.dropout.residual, "\nclip_norm=", o.clip_norm,
              "\nema_decay=", o.ema_decay, "\nevaluate_every=", o.evaluate_every,
              "\nlabel smoothing=", loss.epsilon,
              "\nsmoothing over others=", loss.convention == smoothing::over_others,
              "\nlearning rate of the last update=", double(schedule(std::max<step_t>(step, 1))),
              "\nlearning rate of the update before it=", double(schedule(std::max<step_t>(step - 1, 1))),
              "\nmoves of the optimizer=", fingerprint_hash(moves_of(optimizer)), "\n");
}

/// One sentence for each line that differs: "clip_norm is 1, was 0".
inline std::vector<std::string> changed_settings(std::string_view before, std::string_view now) {
  const auto theirs = detail::entries_of_fingerprint(before), ours = detail::entries_of_fingerprint(now);
  std::vector<std::string> out;
  for (const auto& [key, value] : ours) {
    const auto old = theirs.find(key);
    if (old == theirs.end())
      out.push_back(text(key, " is ", value, ", was not set"));
    else if (old->second != value)
      out.push_back(text(key, " is ", value, ", was ", old->second));
  }
  return out;
}

}  // namespace formwork
