// SPDX-License-Identifier: BSD-3-Clause
#include "core/columns/symbolic_parallel.hpp"

#include <optional>

#include "core/columns/cpu_stages.hpp"
#include "core/columns/elimination_forest.hpp"
#include "core/columns/panel_fronts.hpp"
#include "core/columns/panel_rows.hpp"
#include "core/columns/panels.hpp"
#include "core/matrix/parallel.hpp"

namespace lufact {
namespace {

constexpr Offset worthwhile_entries = 20'000;  // of B

class ParallelSymbolic final : public SymbolicStage {
 public:
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    const auto& b = product_cast<PermutedMatrix>(*matrix);
    const int threads = threads_for(b.pattern.nnz(), worthwhile_entries, context.options.threads);
    return std::make_shared<ColumnPattern>(
        factor_pattern_parallel(b.pattern.view(), threads, context));
  }

 private:
  StageInfo info_{.name = "cpu-parallel",
                  .description = "bits of 64 columns on the elimination forest of A + A', OpenMP",
                  .source = "core/columns",
                  .side = Side::host,
                  .deterministic = true,
                  .takes = {product_types::permuted_matrix},
                  .gives = product_types::column_pattern};
};

}  // namespace

ColumnPattern factor_pattern_parallel(const PatternView& b, int threads, StageContext& context) {
  std::optional<EarlierNeighbours> graph;
  Panels panels;
  {
    const auto scope = context.phases.scope("forest");
    graph.emplace(b, threads);
    panels = find_panels(elimination_forest(*graph, threads));
  }
  PanelSlots slots;
  {
    const auto scope = context.phases.scope("slots");
    slots = find_slots(*graph, panels, threads);
  }
  if (!graph->symmetric()) {
    const auto scope = context.phases.scope("fronts");
    eliminate_panels(panels, slots, threads);
  }
  std::optional<PanelRows> rows;
  {
    const auto scope = context.phases.scope("count");
    rows.emplace(panels, slots, graph->symmetric(), threads);
  }
  if (context.check_resident) context.check_resident(rows->entries());
  const auto scope = context.phases.scope("rows");
  return rows->write();
}

std::unique_ptr<SymbolicStage> make_parallel_symbolic() {
  return std::make_unique<ParallelSymbolic>();
}

}  // namespace lufact
