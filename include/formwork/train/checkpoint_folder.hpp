#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/io/rotation.hpp>
#include <formwork/train/checkpoint_state.hpp>
#include <formwork/train/report.hpp>

namespace formwork {

/// The folder of one run: rotating checkpoints, and "interrupted.safetensors", the state of a run that was
/// stopped between two evaluations. The latter is no part of the rotation and goes away with the next
/// checkpoint, so that an average over checkpoints does not depend on where a run was stopped. An empty
/// name: nothing is written or read.
class checkpoint_folder {
 public:
  checkpoint_folder(std::string folder, index_t keep) : files_{.folder = std::move(folder), .keep = keep} {}

  bool exists() const { return !files_.folder.empty(); }

  /// Makes the folder. Without `resume` it must not hold another run's states: the two would get mixed up
  /// (checked).
  void open(bool resume) const {
    if (!exists()) return;
    make_folders(files_.folder);
    if (!resume && (!files_.files().empty() || path_exists(interim())))
      fail(files_.folder, ": holds the checkpoints of another run; resume it or choose another folder");
  }

  /// The state that is furthest on and intact; empty if there is none. `note` gets a sentence for each
  /// damaged file.
  std::string latest(function_ref<void(std::string_view)> note) const {
    if (!exists()) return "";
    const std::vector<rotation::file> all = files_.files();
    if (path_exists(interim())) {
      try {
        if (all.empty() || read_counters(checkpoint_reader(interim())).step > all.back().step)
          return interim();
      } catch (const error& damaged) {
        note(damaged.what());
      }
    }
    const auto found = files_.latest_valid(note);
    if (!found) return "";
    require_step(checkpoint_reader(found->path), found->step);
    return found->path;
  }

  /// Writes the state after update `step` by `write(path)` and deletes checkpoints that need not stay; the
  /// one after update `best` (0: none) does.
  void save(step_t step, step_t best, function_ref<void(const std::string&)> write) const {
    if (!exists()) return;
    write(files_.path(step));
    if (::unlink(interim().c_str()) != 0 && errno != ENOENT) fail_with_errno(interim(), "cannot be deleted");
    files_.prune(best ? std::optional(best) : std::nullopt);
  }
  /// Writes the state of a run that is being stopped.
  void save_interrupted(function_ref<void(const std::string&)> write) const {
    if (exists()) write(interim());
  }

 private:
  std::string interim() const { return files_.folder + "/interrupted.safetensors"; }

  rotation files_;
};

}  // namespace formwork
