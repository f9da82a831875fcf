#pragma once
#include <formwork/data/batch_source.hpp>
#include <formwork/io/rotation.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/model/fingerprint.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/train/checkpoint_state.hpp>
#include <formwork/train/options.hpp>
#include <formwork/train/report.hpp>
#include <formwork/train/signals.hpp>
#include <formwork/train/updater.hpp>

#include <chrono>
#include <filesystem>

namespace formwork {

/// A batch as the model sees it.
inline sequence_pairs view_of(const batch& b) {
  return {b.source.data(), b.target_in.data(), b.target_out.data(), b.source_sequences(),
          b.target_sequences()};
}

/// Why a run returned.
enum class run_end { finished, out_of_patience, interrupted };

/// Trains a model: the loop over updates with everything around it (evaluation, early stopping, checkpoints,
/// resume). The model and the backend outlive the trainer. Same seed, same data: the same bits, whatever the
/// number of threads and however often the run is interrupted and resumed.
template <class Model, optimizer Optimizer, class Schedule>
class trainer {
  static_assert(explain_optimizer<Optimizer>() && explain_schedule<Schedule>());

 public:
  using scalar = typename Model::scalar;
  using backend_type = typename Model::backend_type;

  trainer(backend_type& backend, Model& model, const Optimizer& optimizer, const Schedule& schedule,
          const smoothed_cross_entropy& loss = {})
      : backend_(backend),
        model_(model),
        updater_(model.parameters(), optimizer),
        schedule_(schedule),
        loss_(loss) {
    validate(schedule);
  }

  const run_counters& counters() const { return counters_; }
  /// The moving average of the parameters, in the layout of the parameter store; null without ema_decay.
  scalar* ema() { return ema_.size() ? ema_.data() : nullptr; }

  /// One update from up to `options.accumulate` batches of the source; never reaches into the next epoch. A
  /// batch without target tokens changes nothing and is counted.
  update_report update(batch_source& source, const training_options& options) {
    if (!rehearsed_) rehearse(source.limits());
    loss_sums sums;
    const index_t epoch = source.position().epoch;
    for (int i = 0; i < options.accumulate && source.position().epoch == epoch; ++i) {
      const batch& b = source.next();
      sums += model_.train(
          backend_, view_of(b), loss_,
          {.dropout = options.dropout, .seed = options.seed, .step = std::uint32_t(counters_.batches++)});
    }
    return apply(sums, epoch, options);
  }

  /// The update that the summed gradient of `model.train` calls makes.
  update_report apply(const loss_sums& sums, index_t epoch, const training_options& options) {
    update_report report{.epoch = epoch};
    if (sums.tokens == 0) {
      report.step = counters_.step;
      report.skipped_updates = ++counters_.skipped_updates;
      return report;
    }
    report.step = counters_.step + 1;
    report.learning_rate = double(schedule_(report.step));
    const gradient_norms norms =
        updater_.update(backend_, sums, report.step, report.learning_rate, options.clip_norm);
    counters_.step = report.step;
    average(options.ema_decay);
    report.loss = sums.loss / double(sums.tokens);
    report.nll = sums.nll / double(sums.tokens);
    report.gradient_norm = norms.before;
    report.clipped_norm = norms.after;
    report.target_tokens = sums.tokens;
    report.skipped_updates = counters_.skipped_updates;
    return report;
  }

  /// Mean loss over a corpus, without dropout; every sentence once.
  evaluation_report evaluate(const parallel_corpus& corpus, index_t max_tokens) {
    const batch_plan plan = plan_in_order(corpus.source_sequences(), corpus.target_sequences(), max_tokens);
    loss_sums sums;
    batch b;
    for (index_t i = 0; i < plan.batches(); ++i) {
      b.fill(corpus, plan.batch(i));
      sums += model_.evaluate(backend_, view_of(b), loss_);
    }
    const double mean = sums.tokens ? 1 / double(sums.tokens) : 0;
    return {.step = counters_.step,
            .epoch = counters_.epoch,
            .loss = sums.loss * mean,
            .nll = sums.nll * mean,
            .target_tokens = sums.tokens};
  }

  /// Trains until an option ends it. `valid` may be empty: then nothing is evaluated. Observers get
  /// update_report, evaluation_report and run_note, whichever they take.
  template <class... Observers>
  run_end run(batch_source& source, const parallel_corpus& valid, const training_options& options,
              Observers&&... observers) {
    options.validate();
    const auto tell = [&](const auto& report) { (notify(observers, report), ...); };
    start(source, options, tell);
    clock_ = timer::now();
    tokens_since_report_ = 0;
    for (;;) {
      if (finished(options)) return run_end::finished;
      if (options.patience && counters_.stalled >= options.patience) return run_end::out_of_patience;
      const update_report done = update(source, options);
      const index_t epoch_before = counters_.epoch;
      counters_.epoch = source.position().epoch;
      counters_.batch = source.position().batch;
      tokens_since_report_ += done.target_tokens;
      const bool epoch_ends = counters_.epoch != epoch_before;
      const bool last = finished(options);
      if (counters_.step % options.log_every == 0 || last) tell(timed(done, source, options));
      const bool due = options.evaluate_every ? counters_.step % options.evaluate_every == 0 : epoch_ends;
      if (due || last) evaluate_and_save(source, valid, options, tell);
      if (stop_requested()) {
        if (!(due || last) && !options.folder.empty()) save_state(interim_path(options), source);
        tell(run_note{"stopped by a signal; the state is saved, the same command goes on from here"});
        return run_end::interrupted;
      }
    }
  }

  /// Writes the complete state; atomic.
  void save_state(const std::string& path, const batch_source& source) {
    checkpoint_writer file(fingerprint(source));
    add_arrays(file, model_.parameters(), arrays());
    add_counters(file, counters_);
    file.write(path);
  }

  /// Goes on from a written state. Error: another model, optimizer or data, naming what differs.
  void load_state(const std::string& path, batch_source& source) {
    const checkpoint_reader file(path);
    file.require_fingerprint(fingerprint(source));
    read_arrays(file, model_.parameters(), arrays());
    counters_ = read_counters(file);
    source.seek({counters_.epoch, counters_.batch});
  }

 private:
  using timer = std::chrono::steady_clock;

  bool finished(const training_options& options) const {
    return (options.steps && counters_.step >= options.steps) ||
           (options.epochs && counters_.epoch >= options.epochs);
  }

  std::string fingerprint(const batch_source& source) const {
    return fingerprint_of(model_) + text("optimizer=", label(Optimizer::name), "\nema=", ema_.size() > 0,
                                         "\nmax_tokens=", source.options().max_tokens,
                                         "\ndata=", source.fingerprint(), "\n");
  }

  std::vector<named_array<scalar>> arrays() {
    std::vector<named_array<scalar>> out{{"", model_.parameters().values()}};
    for (int m = 0; m < Optimizer::moments; ++m) out.push_back({text("moment", m, "."), updater_.moment(m)});
    if (ema_.size()) out.push_back({"ema.", ema_.data()});
    return out;
  }

  template <class Tell>
  void start(batch_source& source, const training_options& options, Tell tell) {
    if (options.ema_decay > 0 && !ema_.size())
      ema_.assign(model_.parameters().values(), model_.parameters().size());
    if (options.folder.empty()) return;
    std::filesystem::create_directories(options.folder);
    if (!options.resume) return;
    const rotation files{.folder = options.folder, .keep = options.keep};
    const auto latest = files.latest_valid([&](std::string_view fault) { tell(run_note{fault}); });
    std::string path = latest ? latest->path : "";
    if (const std::string interim = interim_path(options); std::filesystem::exists(interim)) {
      try {
        const step_t step = read_counters(checkpoint_reader(interim)).step;
        if (!latest || step > latest->step) path = interim;
      } catch (const error& damaged) {
        tell(run_note{damaged.what()});
      }
    }
    if (path.empty()) return;
    load_state(path, source);
    const std::string sentence = text("resumed after update ", counters_.step, " from ", path);
    tell(run_note{sentence, counters_.step});
  }

  /// The state of a run that was stopped between two evaluations. It is no checkpoint of the rotation and
  /// goes away with the next one: the files of an average do not depend on where a run was stopped.
  static std::string interim_path(const training_options& options) {
    return options.folder + "/interrupted.safetensors";
  }

  /// Runs the largest batch that can come, with nothing in it: all memory is asked for now, not hours later
  /// when the longest sentences are drawn. Changes no parameter and no counter.
  void rehearse(const batch_limits& limits) {
    batch largest;
    index_t s = limits.source_tokens, t = limits.target_tokens;
    for (index_t i = 0; s > 0 || t > 0; ++i) {
      const index_t source = std::min(s, limits.source_length), target = std::min(t, limits.target_length);
      largest.source.insert(largest.source.end(), std::size_t(source), end_token);
      for (auto* tokens : {&largest.target_in, &largest.target_out})
        tokens->insert(tokens->end(), std::size_t(target), end_token);
      largest.source_start.push_back(largest.source_tokens());
      largest.target_start.push_back(largest.target_tokens());
      largest.sentences.push_back(i);
      s -= source;
      t -= target;
    }
    model_.train(backend_, view_of(largest), loss_, {});
    model_.parameters().zero_gradients();
    rehearsed_ = true;
  }

  void average(double decay) {
    if (decay == 0) return;
    const index_t n = model_.parameters().size();
    if (!ema_.size()) ema_.assign(model_.parameters().values(), n);
    const scalar keep = scalar(decay), take = scalar(1 - decay);
    const matrix_view<scalar> average(ema_.data(), 1, n), now(model_.parameters().values(), 1, n);
    cpu::map(backend_, average,
             [=](auto a, auto w) { return a * decltype(a)(keep) + w * decltype(a)(take); }, average, now);
  }

  update_report timed(update_report report, const batch_source& source, const training_options& options) {
    const auto now = timer::now();
    const double seconds = std::chrono::duration<double>(now - clock_).count();
    report.tokens_per_second = seconds > 0 ? double(tokens_since_report_) / seconds : 0;
    clock_ = now;
    tokens_since_report_ = 0;
    const double per_update = double(report.target_tokens) / std::max(report.tokens_per_second, 1e-9);
    const double per_epoch = double(source.batches_in_epoch()) / options.accumulate;
    double left = options.steps ? double(options.steps - counters_.step) : 1e300;
    if (options.epochs)
      left = std::min(left, double(options.epochs - counters_.epoch) * per_epoch -
                                double(counters_.batch) / options.accumulate);
    report.seconds_left = left < 1e299 ? std::max(0.0, left) * per_update : -1;
    return report;
  }

  template <class Tell>
  void evaluate_and_save(const batch_source& source, const parallel_corpus& valid,
                         const training_options& options, Tell tell) {
    if (valid.size() > 0) {
      evaluation_report report = evaluate(valid, source.options().max_tokens);
      ++counters_.evaluations;
      report.is_best = report.loss < counters_.best_loss;
      counters_.stalled = report.is_best ? 0 : counters_.stalled + 1;
      report.stalled = counters_.stalled;
      if (report.is_best) {
        counters_.best_loss = report.loss;
        counters_.best_step = counters_.step;
      }
      tell(report);
    }
    save(source, options);
    clock_ = timer::now();  // neither evaluation nor writing counts as training time
    tokens_since_report_ = 0;
  }

  void save(const batch_source& source, const training_options& options) {
    if (options.folder.empty()) return;
    const rotation files{.folder = options.folder, .keep = options.keep};
    save_state(files.path(counters_.step), source);
    std::filesystem::remove(interim_path(options));
    files.prune(counters_.best_step ? std::optional(counters_.best_step) : std::nullopt);
  }

  backend_type& backend_;
  Model& model_;
  updater<scalar, Optimizer, backend_type> updater_;
  Schedule schedule_;
  smoothed_cross_entropy loss_;
  run_counters counters_;
  storage<scalar> ema_;
  timer::time_point clock_{};
  index_t tokens_since_report_ = 0;
  bool rehearsed_ = false;
};

/// The types of a trainer follow from its arguments.
template <class Model, class Optimizer, class Schedule>
trainer(typename Model::backend_type&, Model&, const Optimizer&, const Schedule&)
    -> trainer<Model, Optimizer, Schedule>;
template <class Model, class Optimizer, class Schedule>
trainer(typename Model::backend_type&, Model&, const Optimizer&, const Schedule&,
        const smoothed_cross_entropy&) -> trainer<Model, Optimizer, Schedule>;

}  // namespace formwork
