#pragma once
#include <formwork/core/types.hpp>
#include <formwork/graph/extent.hpp>

namespace formwork {

/// A piece of memory that is needed in the steps [first, last].
struct planned_buffer {
  extent size{};
  int first = 0, last = -1;  ///< last < first: never needed, takes no room
  extent offset{};           ///< filled by `place`

  constexpr bool needed() const { return last >= first; }
  constexpr index_t end_at(index_t rows) const { return (offset + size).at(rows, rows); }
  constexpr bool meets(const planned_buffer& b) const { return first <= b.last && b.first <= last; }
};

/// Gives every buffer an offset so that no two that are needed at the same time overlap, for any token
/// counts, and returns the room they take together. Largest first, each into the lowest gap; sizes are
/// compared at equal source and target counts, gaps only where the comparison holds for all counts.
template <int N>
constexpr extent place(planned_buffer (&buffers)[N], int count) {
  int order[N]{};
  for (int i = 0; i < count; ++i) {
    int j = i;
    for (; j > 0 && buffers[order[j - 1]].size.at(4096, 4096) < buffers[i].size.at(4096, 4096); --j)
      order[j] = order[j - 1];
    order[j] = i;
  }
  extent total{};
  for (int i = 0; i < count; ++i) {
    planned_buffer& me = buffers[order[i]];
    if (!me.needed()) continue;
    for (;;) {  // raise the offset above the lowest buffer it would touch, until it touches none
      const planned_buffer* obstacle = nullptr;
      for (int j = 0; j < i; ++j) {
        const planned_buffer& other = buffers[order[j]];
        if (!other.needed() || !me.meets(other)) continue;
        if (never_above(me.offset + me.size, other.offset) ||
            never_above(other.offset + other.size, me.offset))
          continue;
        if (!obstacle || other.end_at(4096) < obstacle->end_at(4096)) obstacle = &other;
      }
      if (!obstacle) break;
      me.offset = upper(me.offset, obstacle->offset + obstacle->size);
    }
    total = upper(total, me.offset + me.size);
  }
  return total;
}

/// True if no two buffers that are needed together overlap at these token counts:
/// the property `place` promises.
template <int N>
constexpr bool disjoint(const planned_buffer (&buffers)[N], int count, index_t source_rows,
                        index_t target_rows) {
  const auto begin = [&](int i) { return buffers[i].offset.at(source_rows, target_rows); };
  const auto end = [&](int i) { return begin(i) + buffers[i].size.at(source_rows, target_rows); };
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < i; ++j)
      if (buffers[i].needed() && buffers[j].needed() && buffers[i].meets(buffers[j]) && begin(i) < end(j) &&
          begin(j) < end(i))
        return false;
  return true;
}

}  // namespace formwork
