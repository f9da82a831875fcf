#pragma once
#include <formwork/core/thread_team.hpp>
#include <formwork/tensor/storage.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace formwork {

/// The CPU as a place to run: a thread team and scratch memory that grows during the first step and then
/// stays. Every kernel takes one by reference. Not shared between threads that run kernels at the same time.
class cpu_backend {
 public:
  explicit cpu_backend(int threads = available_threads())
      : team_(threads), member_scratch_(std::size_t(threads)) {}

  thread_team& team() { return team_; }
  int threads() const { return team_.size(); }

  /// Scratch that all members share, one block a slot; contents are undefined. Call it outside of `run`.
  /// The kernels of one header use the slots of that header (kernels/cpu/slots.hpp),
  /// so nested use cannot collide.
  template <class T>
  T* scratch(int slot, index_t count) {
    return shared_scratch_[std::size_t(slot)].template get<T>(count);
  }
  /// Makes room in the scratch of every member. Call it outside of `run`: who gets which task is chance, and
  /// memory must not be asked for when a member gets its first one hours later.
  template <class T>
  void reserve_members(int slot, index_t count) {
    for (auto& member : member_scratch_) member[std::size_t(slot)].template get<T>(count);
  }
  /// Scratch of one member, for use inside a task; contents are undefined.
  /// Requires: reserve_members before
  template <class T>
  T* member_scratch(int member, int slot, index_t count) {
    return member_scratch_[std::size_t(member)][std::size_t(slot)].template get<T>(count);
  }

  static constexpr int slots = 9;

 private:
  struct block {
    storage<std::byte> bytes;
    template <class T>
    T* get(index_t count) {
      bytes.reserve(count * index_t(sizeof(T)));
      return reinterpret_cast<T*>(bytes.data());
    }
  };

  thread_team team_;
  std::array<block, slots> shared_scratch_;
  std::vector<std::array<block, slots>> member_scratch_;
};

}  // namespace formwork
