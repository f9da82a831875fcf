#pragma once
#include <formwork/io/posix_file.hpp>

#include <string>
#include <utility>

namespace formwork {

/// Keeps a folder for one writer as long as it lives: a lock on the file "lock" in the folder, which is
/// removed at the end. The system gives up the lock of a process that dies; the file it leaves behind stops
/// nobody. Readers need no lock, since files are replaced whole (atomic_file.hpp).
class folder_lock {
 public:
  /// Requires: the folder exists. Error: another process, or another object of this one, holds the folder;
  /// nothing has been changed then.
  explicit folder_lock(const std::string& folder) : path_(folder + "/lock"), file_(open_locked(path_)) {
    if (file_.number() < 0)
      fail(folder, ": another run is using this folder; wait for its end or choose another folder");
  }
  folder_lock(const folder_lock&) = delete;
  ~folder_lock() { ::unlink(path_.c_str()); }  // before the lock is given up: so it is never another's file

 private:
  std::string path_;
  file_descriptor file_;
};

}  // namespace formwork
