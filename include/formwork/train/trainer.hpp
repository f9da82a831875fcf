#pragma once
#include <formwork/data/batch_source.hpp>
#include <formwork/model/encoder_decoder.hpp>
#include <formwork/model/fingerprint.hpp>
#include <formwork/policy/schedule/schedule.hpp>
#include <formwork/train/checkpoint_folder.hpp>
#include <formwork/train/optimizer_checkpoint.hpp>
#include <formwork/train/options.hpp>
#include <formwork/train/rehearsal.hpp>
#include <formwork/train/report.hpp>
#include <formwork/train/run_end.hpp>
#include <formwork/train/settings.hpp>
#include <formwork/train/signals.hpp>
#include <formwork/train/updater.hpp>

#include <chrono>
#include <optional>

namespace formwork {

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
    loss.validate();
  }

  trainer(const trainer&) = delete;  // one that was moved from would count updates and make none
  trainer& operator=(const trainer&) = delete;

  const run_counters& counters() const { return counters_; }
  /// The moving average of the parameters, in the layout of the parameter store; null without ema_decay.
  scalar* ema() { return ema_.size() ? ema_.data() : nullptr; }

  /// One update from up to `options.accumulate` batches of the source; never reaches into the next epoch. A
  /// batch without target tokens changes nothing and is counted. After an exception the gradient is 0, and
  /// the next call goes on with the batches behind the one that failed.
  update_report update(batch_source& source, const training_options& options) try {
    if (options.accumulate < 1) fail("training: accumulate is ", options.accumulate, ", expected at least 1");
    if (!rehearsed_) rehearse(source.limits(), options);
    updater_.show_training();  // an evaluation or a resume may have left others
    loss_sums sums;
    const index_t epoch = source.position().epoch;
    bool curious = updater_.samples_labels(counters_.step + 1);
    for (int i = 0; i < options.accumulate && source.position().epoch == epoch; ++i) {
      const batch& b = source.next();
      note_position(source);
      // The first batch that has target tokens: those before it have left no gradient that this could clear.
      if (curious) curious = !observe(b, options);
      sums += model_.train(
          backend_, view_of(b), loss_,
          {.dropout = options.dropout, .seed = options.seed, .step = std::uint32_t(counters_.batches++)});
    }
    return finish(sums, epoch, options);
  } catch (...) {
    model_.parameters().zero_gradients();
    throw;
  }

  /// The update that the summed gradient of `model.train` calls makes. Afterwards the gradient is 0, also
  /// after an exception.
  /// Requires: the model held the weights of training in these calls (see show_training), and an optimizer
  /// that wants no gradient of sampled labels (both checked)
  update_report apply(const loss_sums& sums, index_t epoch, const training_options& options) try {
    if constexpr (optimizer_state<scalar, Optimizer>::has_samples())
      fail("training: the optimizer ", optimizer_name<Optimizer>(),
           " looks at sampled labels, which only update(source, options) shows it; apply cannot");
    if (updater_.shows_evaluated())
      fail(
          "training: the model holds the weights to evaluate, so the gradient is of those; call "
          "show_training() before model.train");
    return finish(sums, epoch, options);
  } catch (...) {
    model_.parameters().zero_gradients();
    throw;
  }

  /// Puts the weights of training back into the model, where the optimizer evaluates others: `evaluate`, the
  /// end of `run` and `load_state` leave those. `update` does so by itself.
  void show_training() { updater_.show_training(); }

  /// Mean loss over a corpus, without dropout; every sentence once. Leaves the weights to evaluate.
  /// Requires: a sentence at least, none longer than max_tokens (checked)
  evaluation_report evaluate(const parallel_corpus& corpus, index_t max_tokens) {
    return *evaluate(corpus, max_tokens, [] { return false; });
  }
  /// The same, but none as soon as `stop()` says so, which is asked before each batch.
  template <class Stop>
  std::optional<evaluation_report> evaluate(const parallel_corpus& corpus, index_t max_tokens, Stop stop) {
    if (corpus.size() == 0) fail("evaluation: the corpus is empty");
    corpus.validate();
    updater_.show_evaluated(backend_);
    const batch_plan plan = plan_in_order(corpus.source_sequences(), corpus.target_sequences(), max_tokens);
    loss_sums sums;
    batch b;
    for (index_t i = 0; i < plan.batches(); ++i) {
      if (stop()) return std::nullopt;
      b.fill(corpus, plan.batch(i));
      sums += model_.evaluate(backend_, view_of(b), loss_);
    }
    const double mean = 1 / double(sums.tokens);
    return evaluation_report{.step = counters_.step,
                             .epoch = counters_.epoch,
                             .loss = sums.loss * mean,
                             .nll = sums.nll * mean,
                             .target_tokens = sums.tokens};
  }

  /// Trains until an option ends it, or a signal (see catch_stop_signals) after the batch at hand. `valid` may
  /// be empty: then nothing is evaluated. Observers get update_report, evaluation_report and run_note,
  /// whichever they take. A folder is kept for this run until it returns (see checkpoint_folder).
  template <class... Observers>
  run_end run(batch_source& source, const parallel_corpus& valid, const training_options& options,
              Observers&&... observers) {
    options.validate();
    if (valid.size() == 0 && options.steps == 0 && options.epochs == 0)
      fail("training: patience needs a validation set to look at");
    const auto tell = [&](const auto& report) { (notify(observers, report), ...); };
    checkpoint_folder folder(options.folder, options.keep);
    // What is on the disk: the state after so many batches.
    index_t written = start(source, valid, options, folder, tell) ? counters_.batches : 0;
    const auto write = [&](const std::string& path) { save_state(path, source, valid, options); };
    if (checkpoint_missing(options) || !end_of(counters_, options))
      rehearse(source.limits(), valid, source.options().max_tokens, options);
    clock_ = timer::now();
    tokens_since_report_ = updates_since_report_ = 0;
    for (;;) {
      // Looked for here and not after the update: the last run may have been stopped in this evaluation.
      if (checkpoint_missing(options) && evaluated(source, valid, options, tell)) {
        updater_.require_finite(backend_, counters_.step);
        counters_.saved.push_back(counters_.step);
        folder.save(counters_.step, counters_.best_step, write);
        written = counters_.batches;
        clock_ = timer::now();  // neither evaluation nor writing counts as training time
        tokens_since_report_ = updates_since_report_ = 0;
      }
      if (!checkpoint_missing(options))
        if (const auto end = end_of(counters_, options)) return updater_.show_evaluated(backend_), *end;
      if (stop_requested()) {
        if (written != counters_.batches) folder.save_interrupted(write);
        tell(run_note{folder.exists()
                          ? "stopped by a signal; the state is saved, the same command goes on from here"
                          : "stopped by a signal; there is no folder to save the state in"});
        return updater_.show_evaluated(backend_), run_end::interrupted;
      }
      const update_report done = update(source, options);
      tokens_since_report_ += done.target_tokens;
      ++updates_since_report_;
      if (counters_.step % options.log_every == 0 || end_of(counters_, options) == run_end::finished)
        tell(timed(done, source, options));
    }
  }

  /// What a state must agree in with the run that goes on from it, as "key=value" lines: other values would
  /// give the stored numbers another meaning.
  std::string fingerprint(const batch_source& source, const parallel_corpus& valid,
                          const training_options& options) const {
    const batching_options& batching = source.options();
    return fingerprint_of(model_) +
           text("optimizer=", optimizer_name<Optimizer>(), "\nema=", options.ema_decay > 0,
                "\naccumulate=", options.accumulate, "\nseed of the dropout=", options.seed,
                "\nmax_tokens=", batching.max_tokens, "\npool=", batching.pool,
                "\nseed of the batches=", batching.seed, "\ntraining text=", source.corpus().fingerprint(),
                "\nvalidation text=", valid.fingerprint(), "\n", options.fingerprint, "\n");
  }

  /// Writes the complete state; atomic. Leaves the weights of training in the model.
  void save_state(const std::string& path, const batch_source& source, const parallel_corpus& valid,
                  const training_options& options) {
    note_position(source);
    checkpoint_writer file(fingerprint(source, valid, options));
    updater_.show_evaluated(backend_);  // what a checkpoint is read for, but for going on
    add_arrays(file, model_.parameters(), arrays());
    add_optimizer(file, model_.parameters(), updater_.state());
    add_counters(file, counters_);
    file.set("settings", settings_of(options, loss_, updater_.optimizer(), schedule_, counters_.step));
    file.write(path);
    updater_.show_training();
  }

  /// Goes on from a written state. Returns a sentence for each setting that differs from those it was
  /// written under.
  /// Error: another fingerprint, naming what differs; nothing is changed then.
  std::vector<std::string> load_state(const checkpoint_reader& file, batch_source& source,
                                      const parallel_corpus& valid, const training_options& options) {
    file.require_fingerprint(fingerprint(source, valid, options));
    const run_counters counters = read_counters(file);
    const std::vector<std::string> changes =
        changed_settings(file.scalar<std::string>("settings"),
                         settings_of(options, loss_, updater_.optimizer(), schedule_, counters.step));
    start_average(options);
    require_optimizer(file, model_.parameters(), updater_.state());
    read_arrays(file, model_.parameters(), arrays());
    read_optimizer(file, model_.parameters(), updater_.state());
    updater_.loaded(counters.step);
    counters_ = counters;
    source.seek({counters_.epoch, counters_.batch});
    return changes;
  }

 private:
  using timer = std::chrono::steady_clock;

  /// The source's place in the data is a part of the state.
  void note_position(const batch_source& source) {
    counters_.epoch = source.position().epoch;
    counters_.batch = source.position().batch;
  }

  update_report finish(const loss_sums& sums, index_t epoch, const training_options& options) {
    update_report report{.epoch = epoch};
    if (sums.tokens == 0) {
      report.step = counters_.step;
      report.skipped_updates = ++counters_.skipped_updates;
      return report;
    }
    report.step = counters_.step + 1;
    report.learning_rate = double(schedule_(report.step));
    if (!(report.learning_rate >= 0) || !std::isfinite(report.learning_rate))
      fail("schedule: the rate of update ", report.step, " is ", report.learning_rate,
           ", expected 0 or more");
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

  /// A checkpoint belongs after this update and has not been written yet.
  bool checkpoint_missing(const training_options& options) const {
    return counters_.batches > 0 && (counters_.saved.empty() || counters_.saved.back() != counters_.step) &&
           (evaluation_due(counters_, options) || end_of(counters_, options) == run_end::finished);
  }

  std::vector<named_array<scalar>> arrays() {
    std::vector<named_array<scalar>> out{{"", model_.parameters().values()}};
    if (updater_.training_values()) out.push_back({"training.", updater_.training_values()});
    if (ema_.size()) out.push_back({"ema.", ema_.data()});
    return out;
  }

  /// Opens the folder and goes on from its latest state. False: there is none.
  template <class Tell>
  bool start(batch_source& source, const parallel_corpus& valid, const training_options& options,
             checkpoint_folder& folder, Tell tell) {
    start_average(options);
    folder.open(options.resume);
    const auto file = folder.latest([&](std::string_view fault) { tell(run_note{fault}); });
    if (!file) return false;
    const std::vector<std::string> changes = load_state(*file, source, valid, options);
    const std::string sentence = text("resumed after update ", counters_.step, " from ", file->path());
    tell(run_note{sentence, counters_.step});
    for (const std::string& change : changes) tell(run_note{change});
    return true;
  }

  /// Looks at the validation set. False: a signal came first, and nothing has been counted or told.
  template <class Tell>
  bool evaluated(const batch_source& source, const parallel_corpus& valid, const training_options& options,
                 Tell tell) {
    if (valid.size() == 0) return true;
    const auto report = evaluate(valid, source.options().max_tokens, [] { return stop_requested().load(); });
    if (report) judge(*report, evaluation_due(counters_, options), tell);
    return report.has_value();
  }

  /// A backward pass for labels that the model draws, where the optimizer asks for one before an update.
  /// False: the batch has no target tokens.
  bool observe(const batch& b, const training_options& options) {
    const step_t next = counters_.step + 1;
    const auto number = std::uint32_t(counters_.batches);
    const smoothed_cross_entropy sampled{
        .epsilon = 0, .sample = random_stream{.seed = ~options.seed, .stream = number}};
    const loss_sums sums = model_.train(backend_, view_of(b), sampled,
                                        {.dropout = options.dropout, .seed = options.seed, .step = number});
    updater_.observe(backend_, sums.tokens, next, double(schedule_(next)));
    return sums.tokens > 0;
  }

  /// One pass over the largest batch: memory is asked for now. Changes no parameter and no counter.
  void rehearse(const batch_limits& limits, const training_options& options) {
    model_.train(backend_, view_of(largest_batch(limits)), loss_, {.dropout = options.dropout});
    model_.parameters().zero_gradients();
    rehearsed_ = true;
  }
  void rehearse(const batch_limits& limits, const parallel_corpus& valid, index_t max_tokens,
                const training_options& options) {
    if (valid.size() == 0) return rehearse(limits, options);
    plan_in_order(valid.source_sequences(), valid.target_sequences(), max_tokens);  // checks the lengths
    rehearse(upper(limits, limits_of(valid, max_tokens)), options);
  }

  void start_average(const training_options& options) {
    if (options.ema_decay > 0 && !ema_.size())
      ema_.assign(model_.parameters().values(), model_.parameters().size());
  }
  /// The average's weight of the past grows with the updates, so that it does not remember the initial
  /// values: min(decay, (1 + t) / (10 + t)).
  void average(double decay) {
    if (decay == 0) return;
    updater_.show_evaluated(backend_);
    const index_t n = model_.parameters().size();
    if (ema_.size()) {
      const double t = double(counters_.step);
      const scalar take = scalar(1 - std::min(decay, (1 + t) / (10 + t)));
      const matrix_view<scalar> average(ema_.data(), 1, n), now(model_.parameters().values(), 1, n);
      cpu::map(
          backend_, average, [=](auto a, auto w) { return a + (w - a) * decltype(a)(take); }, average, now);
    } else {
      ema_.assign(model_.parameters().values(), n);
    }
    updater_.show_training();
  }

  update_report timed(update_report report, const batch_source& source, const training_options& options) {
    const auto now = timer::now();
    const double seconds = std::chrono::duration<double>(now - clock_).count();
    report.tokens_per_second = seconds > 0 ? double(tokens_since_report_) / seconds : 0;
    // Over all updates since the last report: the last batch of an epoch may be a small one.
    const double per_update = seconds / double(std::max<index_t>(updates_since_report_, 1));
    clock_ = now;
    tokens_since_report_ = updates_since_report_ = 0;
    const double per_epoch = double(source.batches_in_epoch()) / options.accumulate;
    double left = options.steps ? double(options.steps - counters_.step) : 1e300;
    if (options.epochs)
      left = std::min(left, double(options.epochs - counters_.epoch) * per_epoch -
                                double(counters_.batch) / options.accumulate);
    report.seconds_left = left < 1e299 ? std::max(0.0, left) * per_update : -1;
    return report;
  }

  /// Compares an evaluation with the best one. One that the schedule of evaluations does not know (the last
  /// update of the run) is only reported: a run of N + N updates must count like one of 2 N.
  template <class Tell>
  void judge(evaluation_report report, bool counts, Tell tell) {
    if (!std::isfinite(report.loss)) {
      updater_.require_finite(backend_, counters_.step);
      throw non_finite_error(text("update ", counters_.step, ": the validation loss is ", report.loss));
    }
    report.is_best = report.loss < counters_.best_loss;
    if (counts) {
      ++counters_.evaluations;
      counters_.stalled = report.is_best ? 0 : counters_.stalled + 1;
      if (report.is_best) {
        counters_.best_loss = report.loss;
        counters_.best_step = counters_.step;
      }
    }
    report.stalled = counters_.stalled;
    tell(report);
  }

  backend_type& backend_;
  Model& model_;
  updater<scalar, Optimizer, backend_type> updater_;
  Schedule schedule_;
  smoothed_cross_entropy loss_;
  run_counters counters_;
  storage<scalar> ema_;
  timer::time_point clock_{};
  index_t tokens_since_report_ = 0, updates_since_report_ = 0;
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
