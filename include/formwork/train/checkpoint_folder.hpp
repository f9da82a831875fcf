#pragma once
#include <formwork/core/folder.hpp>
#include <formwork/io/folder_lock.hpp>
#include <formwork/io/rotation.hpp>
#include <formwork/train/checkpoint_state.hpp>

namespace formwork {

/// The folder of one run: rotating checkpoints, and "interrupted.safetensors", the state of a run that was
/// stopped between two evaluations. The latter is no part of the rotation and goes away with the next
/// checkpoint, so that an average over checkpoints does not depend on where a run was stopped. An empty
/// name: nothing is written or read.
class checkpoint_folder {
 public:
  checkpoint_folder(std::string folder, index_t keep) : files_{.folder = std::move(folder), .keep = keep} {}

  bool exists() const { return !files_.folder.empty(); }

  /// Makes the folder and keeps every other run out of it until this object ends. Without `resume` it must
  /// not hold another run's states: the two would get mixed up.
  /// Error: the folder is in use, by this process or another; or holds such states
  void open(bool resume) {
    if (!exists()) return;
    make_folders(files_.folder);
    lock_.emplace(files_.folder);
    if (!resume && (!files_.files().empty() || path_exists(interim())))
      fail(files_.folder, ": holds the checkpoints of another run; resume it or choose another folder");
  }

  /// The state that is furthest on and intact, opened; none if there is none. `note` gets a sentence for each
  /// damaged file that is passed over.
  /// Cost: every byte of the file is read once, for its checksum. What reads the tensors afterwards finds them
  ///       in the memory of the system: none are handed out before all are known to be right.
  std::optional<checkpoint_reader> latest(function_ref<void(std::string_view)> note) const {
    if (!exists()) return std::nullopt;
    std::optional<checkpoint_reader> stopped;
    if (path_exists(interim())) {
      try {
        stopped.emplace(interim());
      } catch (const error& damaged) {
        note(damaged.what());
      }
    }
    // A checkpoint of the same update comes first: it was written after the evaluation that was stopped.
    auto found = stopped ? files_.latest_valid_after(read_counters(*stopped).step - 1, note)
                         : files_.latest_valid(note);
    if (!found) return stopped;
    require_step(found->reader, found->step);
    return std::move(found->reader);
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
  std::optional<folder_lock> lock_;
};

}  // namespace formwork
