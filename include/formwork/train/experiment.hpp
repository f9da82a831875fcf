#pragma once
// Experiments: a program that compares. Types are combined at compile time, numbers at run time:
//
//   formwork::experiment<formwork::placements<formwork::post_norm, formwork::pre_norm>,
//                        formwork::optimizers<formwork::adam>, formwork::schedules<formwork::inverse_sqrt>,
//                        formwork::models<small>>
//       study{.name = "warm-up", .figures = {"nll"},
//             .grid = {.lr = {1e-3, 3e-3}, .warmup = {1, 300}, .seed = {1, 2, 3}}};
//   study.run("results.csv", train, formwork::progress{});
//
// `train` is called with a `combination` and a `grid_point` for each of the 12 runs and returns their
// figures; corpus_recipe (experiment_recipe.hpp) is one for translation. Stopped and started again, the
// program goes on behind the last run that is in the table.
// Compile time: `train` is compiled once for each combination of types, a model once for each pair of
// placement and configuration, whatever the grid. formwork_add_experiment() of CMake makes a program of each
// placement instead, for catalogues that are too large for one.
#include <formwork/core/type_list.hpp>
#include <formwork/core/type_name.hpp>
#include <formwork/model/config.hpp>
#include <formwork/train/experiment_table.hpp>
#include <formwork/train/progress.hpp>
#include <formwork/train/updater.hpp>

#include <algorithm>
#include <chrono>
#include <functional>

namespace formwork {

/// The norm placements of an experiment.
template <class... Ts>
struct placements : type_list<Ts...> {};
/// The optimizers of an experiment.
template <class... Ts>
struct optimizers : type_list<Ts...> {};
/// The schedules of an experiment.
template <class... Ts>
struct schedules : type_list<Ts...> {};
/// The configurations of an experiment, each a struct derived from `config`.
template <class... Ts>
struct models : type_list<Ts...> {};

/// Configuration C with another placement.
template <class C, class Placement>
struct placed : C {
  using placement = Placement;
};

/// The types of a run.
template <class Placement, class Optimizer, class Schedule, class C>
struct combination {
  using placement = Placement;
  using optimizer = Optimizer;
  using schedule = Schedule;
  using configuration = placed<C, Placement>;
};

/// The numbers of a run.
struct grid_point {
  double lr = 1e-3;
  step_t warmup = 0;
  std::uint64_t seed = 1;

  /// A schedule that takes `lr`, `warmup` and, as `total`, the updates of the run where it has such members;
  /// its others keep their defaults.
  /// Error: a warm-up for a schedule that has none
  template <class S>
  S schedule(step_t updates) const {
    static_assert(
        requires(S s) { s.lr = 0.1; }, "experiment: give the schedule a member 'double lr'");
    S s{};
    s.lr = lr;
    if constexpr (requires { s.warmup = warmup; })
      s.warmup = warmup;
    else if (warmup > 1)
      fail("experiment: ", type_name<S>(), " has no warm-up, expected 0 or 1 in the grid, not ", warmup);
    if constexpr (requires { s.total = updates; }) s.total = updates;
    validate(s);
    return s;
  }
};

/// The numbers of an experiment: every combination of them is run.
struct run_grid {
  std::vector<double> lr{1e-3};
  std::vector<step_t> warmup{0};
  std::vector<std::uint64_t> seed{1};

  /// All points; the seed changes first, the rate last.
  std::vector<grid_point> points() const {
    std::vector<grid_point> out;
    for (const double rate : lr)
      for (const step_t w : warmup)
        for (const std::uint64_t s : seed) out.push_back({rate, w, s});
    return out;
  }
};

namespace detail {

template <class... Ts>
consteval bool have_distinct_names() {
  const std::string_view names[] = {type_name<Ts>()...};
  for (std::size_t i = 0; i < sizeof...(Ts); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (names[i] == names[j]) return false;
  return true;
}

template <class... Ts>
consteval bool explain_list(type_list<Ts...>) {
  static_assert(sizeof...(Ts) > 0, "experiment: a list of types is empty; name one type at least");
  if constexpr (sizeof...(Ts) > 0)
    static_assert(have_distinct_names<Ts...>(),
                  "experiment: two types of a list have one name; give one of them another 'name'");
  return true;
}

inline std::string markdown_path(const std::string& path) {
  if (!path.ends_with(".csv")) fail(path, ": the name of the table must end with .csv");
  return path.substr(0, path.size() - 4) + ".md";
}

}  // namespace detail

/// The product of four type lists and a grid of numbers, as a table of results.
template <class Placements, class Optimizers, class Schedules, class Models>
struct experiment {
  static_assert(detail::explain_list(Placements{}) && detail::explain_list(Optimizers{}) &&
                detail::explain_list(Schedules{}) && detail::explain_list(Models{}));

  /// What the numbers mean and under which conditions (task, updates, batch): a table is continued only under
  /// the same name.
  std::string name = "experiment";
  std::vector<std::string> figures{};  ///< what `train` returns
  run_grid grid{};
  std::vector<std::string> only{};  ///< names of the placements to run; empty: all

  /// Does every run that is not yet in the table at `path`, in the order of the lists, and returns all rows of
  /// the table. `train(combination<...>{}, grid_point)` returns the figures as std::vector<double>. A run that
  /// diverges (non_finite_error) is a row with the sentence; it is not tried again. Any other exception ends
  /// the experiment, and what was done stays. At the end the table is written for people too, as .md beside
  /// `path`. Observers get a run_note before each run.
  /// Error: two runs with one row, a name that is no placement, a table of another experiment
  template <class F, class... Observers>
  std::vector<experiment_row> run(const std::string& path, F train, Observers&&... observers) const {
    const std::string markdown = detail::markdown_path(path);
    std::vector<planned> left = plan(train);
    experiment_table table(path, name,
                           {"placement", "optimizer", "schedule", "model", "lr", "warmup", "seed"}, figures);
    std::erase_if(left, [&](const planned& p) { return table.has(p.key); });
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t done = 0; done < left.size(); ++done) {
      std::string sentence = text("run ", done + 1, " of ", left.size(), ":");
      for (const std::string& part : left[done].key) sentence += " " + part;
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
      if (done > 0)
        sentence +=
            "; " + duration_text(passed.count() / double(done) * double(left.size() - done)) + " left";
      (notify(observers, run_note{sentence}), ...);
      table.append(row_of(left[done]));
    }
    detail::write_file(markdown, table.markdown());
    return table.rows();
  }

 private:
  struct planned {
    std::vector<std::string> key;
    std::function<std::vector<double>()> train;
  };

  template <class F>
  std::vector<planned> plan(F& train) const {
    for (const std::string& wanted : only)
      if (!is_placement(wanted)) fail("experiment: there is no placement '", wanted, "' in the list");
    std::vector<planned> out;
    Placements::each([&]<class P>(std::type_identity<P>) {
      if (!only.empty() && std::ranges::count(only, type_name<P>()) == 0) return;
      Optimizers::each([&]<class O>(std::type_identity<O>) {
        Schedules::each([&]<class S>(std::type_identity<S>) {
          Models::each([&]<class C>(std::type_identity<C>) { add_runs<P, O, S, C>(out, train); });
        });
      });
    });
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (out[i].key == out[j].key)
          fail("experiment: a number is twice in the grid: lr ", out[i].key[4], ", warmup ", out[i].key[5],
               ", seed ", out[i].key[6]);
    return out;
  }

  static bool is_placement(std::string_view wanted) {
    bool found = false;
    Placements::each([&]<class P>(std::type_identity<P>) { found |= type_name<P>() == wanted; });
    return found;
  }

  template <class P, class O, class S, class C, class F>
  void add_runs(std::vector<planned>& out, F& train) const {
    for (const grid_point& at : grid.points())
      out.push_back({{text(type_name<P>()), text(type_name<O>()), text(type_name<S>()), text(type_name<C>()),
                      text(at.lr), text(at.warmup), text(at.seed)},
                     [&train, at] { return std::vector<double>(train(combination<P, O, S, C>{}, at)); }});
  }

  static experiment_row row_of(const planned& p) {
    try {
      return {p.key, p.train(), ""};
    } catch (const non_finite_error& e) {
      return {p.key, {}, e.what()};
    }
  }
};

}  // namespace formwork
