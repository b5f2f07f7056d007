// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/batch_arrays.hpp"

namespace lufact {
namespace {

// Share `number` of `count` equal ones.
template <class T>
std::vector<T> share(const std::vector<T>& all, std::size_t number, std::size_t count) {
  const auto size = static_cast<std::ptrdiff_t>(all.size() / count);
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(number) * size;
  return {first, first + size};
}

}  // namespace

std::vector<BatchResult> BatchArrays::results(std::span<const Offset> matrices) const {
  PackedResults packed;
  pack_results(matrices, ResultPart::all, packed);
  std::vector<BatchResult> results;
  results.reserve(matrices.size());
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    results.push_back({share(packed.values, k, matrices.size()),
                       share(packed.pivots, k, matrices.size()), packed.info[k]});
  }
  return results;
}

}  // namespace lufact
