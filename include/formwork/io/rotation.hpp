#pragma once
#include <formwork/core/function_ref.hpp>
#include <formwork/io/checkpoint.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>

namespace formwork {

/// The checkpoints of a run in one folder, named by the update after which they were written:
/// "checkpoint-000400.safetensors". Other files in the folder, "best.safetensors" for example,
/// are never touched.
struct rotation {
  std::string folder;
  index_t keep = 3;        ///< how many of the latest stay; at least 1
  index_t keep_every = 0;  ///< updates divisible by this stay for good; 0: none

  struct file {
    step_t step;
    std::string path;
  };

  std::string path(step_t step) const { return folder + "/" + name(step); }

  /// All checkpoints of the folder by name, oldest first; none where there is no such folder.
  std::vector<file> files() const {
    std::vector<file> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
    if (!open && errno == ENOENT) return out;
    if (!open) fail_with_errno(folder, "cannot be listed");
    for (;;) {
      errno = 0;  // the end and a fault give the same pointer
      const dirent* entry = ::readdir(open.get());
      if (!entry && errno != 0) fail_with_errno(folder, "cannot be listed");
      if (!entry) break;
      std::string_view digits = entry->d_name;
      if (!digits.starts_with(prefix) || !digits.ends_with(suffix)) continue;
      digits = digits.substr(prefix.size());
      step_t step = -1;
      std::from_chars(digits.data(), digits.data() + digits.size(), step);
      if (step >= 0 && name(step) == entry->d_name) out.push_back({step, path(step)});
    }
    std::sort(out.begin(), out.end(), [](const file& a, const file& b) { return a.step < b.step; });
    return out;
  }

  /// An intact checkpoint, opened, and the update in its name.
  struct opened {
    step_t step;
    checkpoint_reader reader;
  };

  /// The latest checkpoint that is intact. `note` gets one sentence for every later file that is damaged.
  /// No checkpoint at all gives none; checkpoints of which all are damaged are an error, since a run that
  /// starts anew would write over what may still be rescued.
  std::optional<opened> latest_valid(function_ref<void(std::string_view)> note = {}) const {
    std::string fault;
    auto found = latest_valid_after(-1, [&](std::string_view sentence) {
      fault = sentence;
      if (note) note(sentence);
    });
    if (!found && !fault.empty())
      fail(folder, ": none of its ", files().size(), " checkpoints is intact; the first: ", fault);
    return found;
  }

  /// The same for checkpoints after update `step` only; none is no error.
  std::optional<opened> latest_valid_after(step_t step,
                                           function_ref<void(std::string_view)> note = {}) const {
    const std::vector<file> all = files();
    for (std::size_t i = all.size(); i-- > 0 && all[i].step > step;) {
      try {
        return opened{all[i].step, checkpoint_reader(all[i].path)};
      } catch (const error& damaged) {
        if (note) note(damaged.what());
      }
    }
    return std::nullopt;
  }

  /// Deletes what is no longer to be kept. Stays: the latest `keep` files, those of `keep_every`, the one of
  /// `best`, and, where all of these are damaged, the latest intact one.
  /// Call it after a checkpoint has been written.
  /// Cost:     reads the latest file once whenever there is something to delete
  void prune(std::optional<step_t> best = {}) const {
    std::vector<file> kept, surplus;
    const std::vector<file> all = files();
    for (std::size_t i = all.size(); i-- > 0;) {
      const step_t step = all[i].step;
      const bool stays = index_t(all.size() - i) <= (std::max)(keep, index_t{1}) || step == best ||
                         (keep_every > 0 && step % keep_every == 0);
      (stays ? kept : surplus).push_back(all[i]);
    }
    if (surplus.empty()) return;
    const auto is_intact = [](const file& each) { return intact(each.path); };
    if (std::none_of(kept.begin(), kept.end(), is_intact)) {
      const auto rescue = std::find_if(surplus.begin(), surplus.end(), is_intact);
      if (rescue == surplus.end()) return;  // nothing here can be read: leave all of it to a person
      surplus.erase(rescue);
    }
    for (const file& each : surplus) {
      if (::unlink(each.path.c_str()) != 0) fail_with_errno(each.path, "cannot be deleted");
    }
  }

 private:
  static constexpr std::string_view prefix = "checkpoint-", suffix = ".safetensors";

  static std::string name(step_t step) {
    const std::string digits = text(step);
    return text(prefix, std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0'), digits, suffix);
  }

  static bool intact(const std::string& path) {
    try {
      checkpoint_reader reader(path);
      return true;
    } catch (const error&) {
      return false;
    }
  }
};

}  // namespace formwork
