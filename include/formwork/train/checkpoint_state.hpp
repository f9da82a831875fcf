#pragma once
#include <formwork/io/checkpoint.hpp>
#include <formwork/model/parameters.hpp>

#include <charconv>
#include <span>
#include <string>
#include <system_error>
#include <vector>

namespace formwork {

/// What a run has counted; a checkpoint stores it beside the numbers.
struct run_counters {
  step_t step = 0;               ///< updates done
  index_t batches = 0;           ///< batches used: numbers the dropout masks
  index_t epoch = 0, batch = 0;  ///< where the data goes on
  index_t evaluations = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  step_t best_step = 0;
  index_t stalled = 0;  ///< evaluations since the best one
  index_t skipped_updates = 0;
  std::vector<step_t> saved{};  ///< updates after which a checkpoint was written, this one included
};

/// A flat array in the layout of the parameter store, with the prefix its tensors have in a checkpoint: ""
/// for the parameters themselves, "moment0." and so on for what the optimizer remembers,
/// "ema." for averaged parameters.
template <class T>
struct named_array {
  std::string prefix;
  T* data = nullptr;
};

/// Puts one tensor for each parameter of each array into a checkpoint.
template <class T>
void add_arrays(checkpoint_writer& file, const parameter_store<T>& store,
                const std::vector<named_array<T>>& arrays) {
  store.require_values();
  for (const named_array<T>& array : arrays)
    for (const parameter_entry& e : store.entries())
      file.add(array.prefix + e.name,
               e.info.columns > 1 ? std::vector<index_t>{e.info.rows, e.info.columns}
                                  : std::vector<index_t>{e.info.rows},
               std::span<const T>(array.data + e.offset, std::size_t(e.info.size())));
}

/// Requires: what add_arrays wrote for the array of this prefix is there (checked: a tensor that is missing
///           or of another size is an error)
template <class T>
void require_array(const checkpoint_reader& file, const parameter_store<T>& store,
                   const std::string& prefix) {
  for (const parameter_entry& e : store.entries())
    if (const index_t n = file.tensors().entry(prefix + e.name).count(); n != e.info.size())
      fail(file.path(), ": tensor ", prefix, e.name, " has ", n, " elements, expected ", e.info.size());
}

/// Reads what add_arrays wrote, straight to its place.
/// Error: a tensor that is missing or of another size; nothing has been read then.
template <class T>
void read_arrays(const checkpoint_reader& file, const parameter_store<T>& store,
                 const std::vector<named_array<T>>& arrays) {
  store.require_values();
  for (const named_array<T>& array : arrays) require_array(file, store, array.prefix);
  for (const named_array<T>& array : arrays)
    for (const parameter_entry& e : store.entries())
      file.tensors().read_into(array.prefix + e.name,
                               std::span<T>(array.data + e.offset, std::size_t(e.info.size())));
}

/// Calls f(name, counter) for every counter that is a number, for reading and for writing.
template <class Counters, class F>
void each_counter(Counters& c, F f) {
  f("step", c.step);
  f("batches", c.batches);
  f("epoch", c.epoch);
  f("batch", c.batch);
  f("evaluations", c.evaluations);
  f("best_loss", c.best_loss);
  f("best_step", c.best_step);
  f("stalled", c.stalled);
  f("skipped_updates", c.skipped_updates);
}

/// Update numbers as a text: "20 40 60".
inline std::string text_of_steps(std::span<const step_t> steps) {
  std::string out;
  for (const step_t step : steps) out += text(out.empty() ? "" : " ", step);
  return out;
}

/// Puts the counters into a checkpoint.
inline void add_counters(checkpoint_writer& file, const run_counters& counters) {
  each_counter(counters, [&](const char* name, const auto& value) { file.set(name, value); });
  file.set("saved", text_of_steps(counters.saved));
}

/// Reads what add_counters wrote. Error: a counter that is missing or no number.
inline run_counters read_counters(const checkpoint_reader& file) {
  run_counters counters;
  each_counter(counters, [&]<class V>(const char* name, V& value) { value = file.scalar<V>(name); });
  const std::string& saved = file.scalar<std::string>("saved");
  const char* const end = saved.data() + saved.size();
  for (const char* at = saved.data(); at != end; at += at != end) {
    const auto [next, fault] = std::from_chars(at, end, counters.saved.emplace_back());
    if (fault != std::errc{} || (next != end && *next != ' '))
      fail(file.path(), ": scalar \"saved\" is \"", saved, "\", expected update numbers");
    at = next;
  }
  return counters;
}

/// Requires: the file holds the state after update `step`, as its name says (checked: a renamed one is an
/// error).
inline void require_step(const checkpoint_reader& file, step_t step) {
  const step_t held = read_counters(file).step;
  if (held != step)
    fail(file.path(), ": holds the state after update ", held, ", not ", step, " as its name says");
}

}  // namespace formwork
