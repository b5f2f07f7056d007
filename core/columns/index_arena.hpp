// SPDX-License-Identifier: BSD-3-Clause
// Lists of indices that grow one after the other and never move.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Appending to blocks instead of one array saves the copies of its growth and keeps pointers to
// finished lists valid. Nothing in a block is read before it was written.
class IndexArena {
 public:
  explicit IndexArena(std::size_t block_entries) : block_entries_(block_entries) {}

  // Room for a list of at most `entries` indices; valid until the next call of open().
  Index* open(std::size_t entries) {
    if (static_cast<std::size_t>(end_ - next_) < entries) {
      const std::size_t size = std::max(entries, block_entries_);
      blocks_.push_back(std::make_unique_for_overwrite<Index[]>(size));
      next_ = blocks_.back().get();
      end_ = next_ + size;
    }
    return next_;
  }
  // The list opened last ends at `end`.
  void close(Index* end) noexcept { next_ = end; }

 private:
  std::size_t block_entries_;
  std::vector<std::unique_ptr<Index[]>> blocks_;
  Index* next_ = nullptr;
  Index* end_ = nullptr;
};

}  // namespace lufact
