// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch_input/sparse_blocks.hpp"

#include <fmt/format.h>

#include <limits>
#include <map>

#include "app/input/permuted_input.hpp"
#include "core/base/error.hpp"
#include "core/batch/diagonal_blocks.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/fronts/numeric/pivot_blocks.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

constexpr Index largest_supervariable = 32;

StageOptions options_of(const BatchInputRequest& request) {
  StageOptions options;
  options.threads = request.threads;
  options.pivot_threshold = default_pivot_threshold(options.precision);
  return options;
}

std::shared_ptr<PermutedMatrix> permuted_file(const BatchInputRequest& request,
                                              const std::string& path, bool postorder) {
  ReadOptions reading;
  reading.seed = request.seed;
  reading.threads = request.threads;
  const InputMatrix input = read_matrix(path, reading);
  return permuted_on_host({.scaling = request.scaling,
                           .ordering = request.ordering,
                           .postorder = postorder,
                           .options = options_of(request)},
                          input.matrix);
}

// Those of the order that the request asks for, or all.
std::vector<GivenMatrices> wanted(const BatchInputRequest& request, const std::string& path,
                                  std::map<Index, GivenMatrices> by_order, const char* what) {
  std::vector<GivenMatrices> result;
  for (auto& [n, matrices] : by_order) {
    if (!request.size || *request.size == n) result.push_back(std::move(matrices));
  }
  if (!result.empty()) return result;
  const std::string size = request.size ? fmt::format(" of order {}", *request.size) : "";
  throw Error(Outcome::unsupported, "no_such_blocks",
              fmt::format("{}: has no {}{}", path, what, size));
}

std::map<Index, GivenMatrices> by_order(const PivotBlocks& blocks) {
  std::map<Index, GivenMatrices> groups;
  const double* block = blocks.values.data();
  for (const Index n : blocks.order) {
    GivenMatrices& group = groups[n];
    group.n = n;
    ++group.count;
    group.values.insert(group.values.end(), block, block + Offset{n} * n);
    block += Offset{n} * n;
  }
  return groups;
}

// Pivot blocks of the fronts with at most `largest` pivots.
PivotBlocks fronts_up_to(Index largest, const BatchInputRequest& request, const std::string& path) {
  const ProductPtr matrix = permuted_file(request, path, true);
  const StageOptions options = options_of(request);
  const SteadyClock clock;
  PhaseRecorder untimed(clock);
  StageNotes notes;
  StageContext context{.phases = untimed, .options = options, .notes = notes, .check_resident = {}};
  const ProductPtr tree = make_cpu_fronts_symbolic()->run(matrix, context);
  const ProductPtr schedule = make_subtrees_levelize()->run(tree, context);
  return pivot_blocks(matrix, tree, schedule, largest, context);
}

}  // namespace

std::vector<GivenMatrices> blocks_of_file(const BatchInputRequest& request,
                                          const std::string& path) {
  const auto matrix = permuted_file(request, path, false);
  const std::vector<Index> begin =
      request.size ? uniform_blocks(matrix->pattern.n_rows, *request.size)
                   : supervariable_blocks(matrix->pattern.view(), largest_supervariable);
  std::map<Index, GivenMatrices> groups;
  for (GivenMatrices& blocks : diagonal_blocks(*matrix, begin)) {
    groups.emplace(blocks.n, std::move(blocks));
  }
  return wanted(request, path, std::move(groups), "diagonal blocks");
}

std::vector<GivenMatrices> fronts_of_file(const BatchInputRequest& request,
                                          const std::string& path) {
  return wanted(request, path, by_order(fronts_up_to(largest_batch_order, request, path)),
                "fronts");
}

GivenMatrices largest_front_of_file(const std::string& path, std::uint64_t seed, int threads) {
  const BatchInputRequest request{.seed = seed, .threads = threads};
  const PivotBlocks blocks = fronts_up_to(std::numeric_limits<Index>::max(), request, path);
  GivenMatrices largest;
  const double* block = blocks.values.data();
  for (const Index n : blocks.order) {
    const double* const end = block + Offset{n} * n;
    if (n > largest.n) largest = {.n = n, .count = 1, .values = {block, end}};
    block = end;
  }
  if (largest.n > 0) return largest;
  throw Error(Outcome::unsupported, "no_such_blocks", path + ": has no fronts");
}

}  // namespace lufact
