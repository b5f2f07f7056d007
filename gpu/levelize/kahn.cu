// SPDX-License-Identifier: BSD-3-Clause
#include <stdexcept>

#include "gpu/levelize/kahn.hpp"

namespace lufact::gpu {

KahnSort::KahnSort(DeviceSession& session, const DeviceColumnPattern& pattern, DependencyRule rule,
                   Buffer<Index>& level_of)
    : session_(session),
      n_(pattern.n),
      graph_(session, pattern, rule),
      columns_(session, MemoryRole::scratch, pattern.n, "the queue of columns"),
      length_(session, MemoryRole::scratch, 1, "the length of the queue"),
      level_of_(level_of.data()) {
  length_.fill_bytes(0);
}

KahnRef KahnSort::view() noexcept {
  return {graph_.view(), graph_.unmet(), {columns_.data(), length_.data(), level_of_}};
}

Index KahnSort::read_length() {
  return read_value(session_, length_.data());
}

void KahnSort::require_complete() {
  if (read_length() != n_) throw std::logic_error("the dependencies of the columns form a cycle");
}

}  // namespace lufact::gpu
