// SPDX-License-Identifier: BSD-3-Clause
#include "core/pipeline/row_labels.hpp"

#include <algorithm>

namespace lufact {
namespace {

// Calls use(k, place) for entries first + k of the block, k < count: row labels[i] of the same
// column stands at `place`.
template <class Use>
void for_each_place(std::span<const Index> labels, Offset first, std::size_t count,
                    const Use& use) {
  const std::size_t n = labels.size();
  std::size_t row = static_cast<std::size_t>(first) % n;
  std::size_t column = static_cast<std::size_t>(first) - row;
  for (std::size_t k = 0; k < count;) {
    const std::size_t here = std::min(n - row, count - k);
    for (std::size_t i = 0; i < here; ++i) {
      use(k + i, column + static_cast<std::size_t>(labels[row + i]));
    }
    k += here;
    row = 0;
    column += n;
  }
}

}  // namespace

void gather_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                 std::span<double> to) {
  if (labels.empty()) {
    std::ranges::copy(from.subspan(static_cast<std::size_t>(first), to.size()), to.begin());
  } else {
    for_each_place(labels, first, to.size(),
                   [&](std::size_t k, std::size_t place) { to[k] = from[place]; });
  }
}

void scatter_rows(std::span<const double> from, std::span<const Index> labels, Offset first,
                  std::span<double> to) {
  if (labels.empty()) {
    std::ranges::copy(from, to.begin() + first);
  } else {
    for_each_place(labels, first, from.size(),
                   [&](std::size_t k, std::size_t place) { to[place] = from[k]; });
  }
}

}  // namespace lufact
