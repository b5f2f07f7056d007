// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/result_hash.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "core/base/sha256.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset fetched_blocks = 16;
// Bytes from which it is worthwhile to wake a team of threads: one hashes them in some 10 ms.
constexpr Offset worthwhile_bytes = Offset{1} << 24;

std::string digest_of(std::span<double> values) {
  for (double& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  }
  Sha256 hash;
  hash.update(std::span<const double>(values));
  return hash.finish();
}

std::string digest_of(std::span<std::int32_t> pivots) {
  Sha256 hash;
  hash.update(std::span<const std::int32_t>(pivots));
  return hash.finish();
}

// Of matrices of which `all` has an equal share each.
template <class T>
void hash_blocks(std::vector<T>& all, Offset matrices, Sha256& hash) {
  const Offset share = static_cast<Offset>(all.size()) / matrices;
  const Offset blocks = (matrices + block_matrices - 1) / block_matrices;
  std::vector<std::string> digests(at(blocks));
  const int threads =
      threads_for(static_cast<Offset>(all.size() * sizeof(T)), worthwhile_bytes, thread_count(0));
  parallel_for(blocks, threads, [&](Offset block) {
    const Offset first = block * block_matrices;
    const Offset some = std::min(block_matrices, matrices - first);
    digests[at(block)] = digest_of(std::span<T>(all).subspan(at(first * share), at(some * share)));
  });
  for (const std::string& digest : digests) hash.update(std::span<const char>(digest));
}

template <class T>
std::string hash_of(const BatchArrays& arrays, const BatchSample& sample, ResultPart part,
                    std::vector<T> PackedResults::*which) {
  constexpr Offset at_a_time = fetched_blocks * block_matrices;
  Sha256 hash;
  std::vector<Offset> matrices;
  PackedResults results;
  for (Offset first = 0; first < sample.size(); first += at_a_time) {
    const Offset some = std::min(at_a_time, sample.size() - first);
    matrices.clear();
    for (Offset share = first; share < first + some; ++share) matrices.push_back(sample[share]);
    arrays.pack_results(matrices, part, results);
    hash_blocks(results.*which, some, hash);
  }
  return hash.finish();
}

}  // namespace

std::string values_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  return hash_of(arrays, sample, ResultPart::values, &PackedResults::values);
}

std::string pivots_sha256(const BatchArrays& arrays, const BatchSample& sample) {
  return hash_of(arrays, sample, ResultPart::pivots, &PackedResults::pivots);
}

}  // namespace lufact
