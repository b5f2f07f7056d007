// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/paper/paper_tuning.hpp"

#include <algorithm>
#include <vector>

namespace lufact::gpu::paper {
namespace {

struct Entry {
  std::string_view step;
  Precision precision;
  Index n;
  int matrices_per_block;
};
#include "gpu/batch/paper/paper_tuning.inc"

}  // namespace

std::optional<int> tuned_matrices_per_block(std::string_view step, Precision precision, Index n) {
  const auto found = std::ranges::find_if(table, [&](const Entry& entry) {
    return entry.step == step && entry.precision == precision && entry.n == n;
  });
  if (found == table.end()) return std::nullopt;
  return found->matrices_per_block;
}

std::string_view tuned_on() {
  return card;
}

}  // namespace lufact::gpu::paper
