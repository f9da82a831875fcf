#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/loss.hpp>
#include <formwork/policy/optimizer/optimizer.hpp>
#include <formwork/train/options.hpp>

#include <string>
#include <vector>

namespace formwork {

/// Everything that decides what the updates after update `step` do, besides model and data, as "key=value"
/// lines. A checkpoint stores them, so that a resumed run can say what has changed. A schedule and an
/// optimizer are known by what they do: the rates of the next updates, and where a first update moves a
/// weight.
template <optimizer Optimizer, class Schedule>
std::string settings_of(const training_options& o, const smoothed_cross_entropy& loss,
                        const Optimizer& optimizer, const Schedule& schedule, step_t step) {
  const auto moved = [&](step_t at, bool decays) {
    double w = 1;
    std::array<double, std::size_t(Optimizer::moments)> state{};
    optimizer.update(w, 0.5, state, optimizer.prepare({.step = at, .lr = 0.125, .decays = decays}));
    return w;
  };
  return text("accumulate=", o.accumulate, "\nseed=", o.seed, "\ndropout of embeddings=", o.dropout.embedding,
              "\ndropout of attention=", o.dropout.attention,
              "\ndropout of activations=", o.dropout.activation,
              "\ndropout of residuals=", o.dropout.residual, "\nclip_norm=", o.clip_norm,
              "\nema_decay=", o.ema_decay, "\nevaluate_every=", o.evaluate_every,
              "\nlabel smoothing=", loss.epsilon,
              "\nsmoothing over others=", loss.convention == smoothing::over_others,
              "\nlearning rate of the next update=", double(schedule(step + 1)),
              "\nlearning rate of the update after it=", double(schedule(step + 2)),
              "\nfirst move of the optimizer=", moved(1, true), " ", moved(1000, false), "\n");
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
