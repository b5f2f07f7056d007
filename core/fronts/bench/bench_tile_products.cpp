// SPDX-License-Identifier: BSD-3-Clause
// bench_tile_products ORDERING MATRIX...: what tiles wait for and multiply in the plan of
// gpu-multifrontal. Of each matrix, a file, tab-separated: the estimated critical path in ms, the
// Gflop of products of whole tiles, their shares by depth (up to 64, 128, 256, 512, 1024 pivots to
// the left of a tile, and beyond), and pivots and rows of the front with the most of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/match/mc64.hpp"
#include "core/matrix/parallel.hpp"
#include "core/matrix/reader.hpp"
#include "core/measure/clock.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/order/graph/elimination_tree.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/front_products.hpp"

namespace lufact {
namespace {

constexpr std::array<Index, 5> depth_limits{64, 128, 256, 512, 1024};

struct TileProducts {
  std::array<double, depth_limits.size() + 1> flops_to_depth{};
  double flops = 0;
  std::vector<double> flops_of_front;
};

TileProducts products_of(const TaskGraph& graph) {
  TileProducts products;
  products.flops_of_front.resize(graph.shape.size());
  for (const FrontTask& task : graph.factorization.task) {
    const FrontShape& shape = graph.shape[at(task.front)];
    const Index steps = std::min({task.tile_row, task.tile_column, shape.pivot_tiles});
    if (shape.small() || steps == 0) continue;
    const Index depth = steps * shape.pivot_width;
    const double flops = 2.0 * tile_order * tile_order * depth;
    const auto bucket = std::ranges::lower_bound(depth_limits, depth) - depth_limits.begin();
    products.flops_to_depth[static_cast<std::size_t>(bucket)] += flops;
    products.flops_of_front[at(task.front)] += flops;
    products.flops += flops;
  }
  return products;
}

class Planner {
 public:
  TaskGraph plan(const CsrMatrix& matrix, const std::string& ordering_name) {
    std::vector<Warning> warnings;
    const Matching matching = mc64(matrix, false, warnings, thread_count(0));
    const CsrPattern matched = permuted_rows(matrix, matching.rows);
    const auto b = build_permuted_matrix(matrix, matching, order(matched, ordering_name));
    const ProductPtr tree = make_cpu_fronts_symbolic()->run(b, context_);
    return product_cast<TaskGraph>(*make_task_graph_levelize()->run(tree, context_));
  }

 private:
  Ordering order(const CsrPattern& matched, const std::string& name) {
    for (const auto& stage : ordering_stages()) {
      if (stage->info().name != name) continue;
      return compose_postorder(matched, stage->run(matched, context_), thread_count(0));
    }
    throw Error(Outcome::unsupported, "ordering", "there is no ordering " + name);
  }

  SteadyClock clock_;
  PhaseRecorder phases_{clock_, nullptr};
  StageOptions options_;
  StageNotes notes_;
  StageContext context_{.phases = phases_,
                        .options = options_,
                        .notes = notes_,
                        .device = nullptr,
                        .check_resident = {}};
};

void print(const std::string& file, const TaskGraph& graph) {
  const TileProducts products = products_of(graph);
  fmt::print("{}\t{:.3f}\t{:.3f}", file, 1e3 * graph.critical_path, 1e-9 * products.flops);
  for (const double flops : products.flops_to_depth) fmt::print("\t{:.3f}", flops / products.flops);
  const auto most = std::ranges::max_element(products.flops_of_front);
  const FrontShape& front =
      graph.shape[static_cast<std::size_t>(most - products.flops_of_front.begin())];
  fmt::print("\t{}\t{}\n", front.pivots, front.pivots + front.rows);
}

void run(const std::string& ordering, std::span<const std::string> files) {
  fmt::print(
      "matrix\tpath_ms\tgflop\tto_64\tto_128\tto_256\tto_512\tto_1024\tbeyond\tpivots\trows\n");
  for (const std::string& file : files) {
    print(file, Planner().plan(read_matrix(file, {}).matrix, ordering));
  }
}

}  // namespace
}  // namespace lufact

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2) {
    fmt::print(stderr, "usage: bench_tile_products ORDERING MATRIX...\n");
    return 2;
  }
  try {
    lufact::run(words[0], std::span(words).subspan(1));
  } catch (const lufact::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
