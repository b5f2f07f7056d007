// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/base/types.hpp"

namespace lufact {

// Returns when `word` is no longer `before`; who changes it notifies. For some 50 us the thread
// keeps its processor; then it offers it to whoever may need it, perhaps the one it waits for, for
// some hundred us where nobody does; then it sleeps. Waking it takes up to 270 us on a large host,
// longer than many a step of what teams do.
inline void wait_for_change(const std::atomic<std::uint32_t>& word, std::uint32_t before) noexcept {
  constexpr int looks = 1000, offers = 1000;
  for (int look = 0; look < looks; ++look) {
    if (word.load(std::memory_order_acquire) != before) return;
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
  }
  for (int offer = 0; offer < offers; ++offer) {
    if (word.load(std::memory_order_acquire) != before) return;
    std::this_thread::yield();
  }
  word.wait(before, std::memory_order_acquire);
}

// Where the threads of a part of a team wait for each other, as often as they like.
class MeetingPoint {
 public:
  // Returns when `size` threads have called it.
  void wait(int size) noexcept {
    const std::uint32_t round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      round_.notify_all();
      return;
    }
    wait_for_change(round_, round);
  }

 private:
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> round_{0};
};

// The threads that work on one front together: all of an OpenMP parallel region, the first few of
// them, or one alone. All must make the same calls in the same order.
class ThreadTeam {
 public:
  // This thread alone.
  ThreadTeam() = default;
  // All threads of the parallel region around the call.
  static ThreadTeam of_region() { return {omp_get_thread_num(), omp_get_num_threads()}; }

  // The first `size` threads of this team, which then wait at `point`, where no other team waits.
  ThreadTeam first(int size, MeetingPoint& point) const {
    ThreadTeam part(rank_, std::min(size, size_));
    part.point_ = &point;
    return part;
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  // Whether the calling thread is one of the team.
  bool joined() const noexcept { return rank_ < size_; }
  bool leads() const noexcept { return rank_ == 0; }

  // Calls body(k) for this thread's part of k in [0, count). No thread waits.
  template <class Body>
  void share(Offset count, const Body& body) const {
    for (Offset k = rank_; k < count; k += size_) body(k);
  }
  // Calls body(begin, length) for pieces of [0, whole) of `piece` at most; for one thread alone,
  // the whole at once.
  template <class Body>
  void share_pieces(Index whole, Index piece, const Body& body) const {
    if (size_ == 1) {
      if (whole > 0) body(Index{0}, whole);
      return;
    }
    share((Offset{whole} + piece - 1) / piece, [&](Offset k) {
      const auto begin = static_cast<Index>(k * piece);
      body(begin, std::min(piece, whole - begin));
    });
  }
  // Calls body(row, rows, column, columns) for tiles of a matrix, in the same way.
  template <class Body>
  void share_tiles(Index all_rows, Index tile_rows, Index all_columns, Index tile_columns,
                   const Body& body) const {
    if (all_rows == 0 || all_columns == 0) return;
    if (size_ == 1) return body(Index{0}, all_rows, Index{0}, all_columns);
    const Offset high = (Offset{all_rows} + tile_rows - 1) / tile_rows;
    const Offset wide = (Offset{all_columns} + tile_columns - 1) / tile_columns;
    share(high * wide, [&](Offset tile) {
      const auto row = static_cast<Index>(tile % high * tile_rows);
      const auto column = static_cast<Index>(tile / high * tile_columns);
      body(row, std::min(tile_rows, all_rows - row), column,
           std::min(tile_columns, all_columns - column));
    });
  }
  // A barrier: what any thread wrote before is visible to every thread afterwards.
  void wait() const {
    if (size_ == 1) return;
    if (point_ != nullptr) return point_->wait(size_);
#pragma omp barrier
  }

 private:
  ThreadTeam(int rank, int size) : rank_(rank), size_(size) {}
  int rank_ = 0, size_ = 1;
  MeetingPoint* point_ = nullptr;  // null: the barrier of the region
};

}  // namespace lufact
