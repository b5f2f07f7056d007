// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/auto_numeric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/pipeline/selector.hpp"
#include "gpu/numeric/binary_search_numeric.hpp"
#include "gpu/numeric/column_facts.hpp"
#include "gpu/numeric/column_numeric.hpp"
#include "gpu/numeric/dense_numeric.hpp"
#include "gpu/numeric/parallel_columns.hpp"
#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {
namespace {

// The inputs of E2E's rule and its result.
struct Selection {
  std::uint64_t free_bytes = 0;  // L
  Offset max_blocks = 0;         // TB_max
  Offset fitting = 0;            // M
  bool sorted = false;

  const ColumnEngineKind& kind() const { return sorted ? binary_search_engine() : dense_engine(); }
};

Selection select(const EngineInput& input, Precision precision) {
  const std::uint64_t available = input.session.ledger().available();
  Selection selection;
  selection.free_bytes = available - std::min(available, input.bytes_to_come);
  selection.max_blocks = max_parallel_blocks(input.session.max_resident_warps());
  selection.fitting = fitting_columns(selection.free_bytes, input.pattern.n, precision);
  selection.sorted =
      wants_sorted_columns(selection.free_bytes, input.pattern.n, precision, selection.max_blocks);
  return selection;
}

// The decision of a selector, although gpu-auto is none: E2E's rule asks what memory is free once L
// and U stand in it, which is in the middle of this stage. The rule ranks; it forecasts nothing.
Choice describe(const Selection& selection, Index n) {
  const std::string question = fmt::format(
      "n = {} is {} L / (TB_max sizeof(T)): {} bytes hold M = {} dense columns, TB_max = {}", n,
      selection.sorted ? "above" : "at most", selection.free_bytes, selection.fitting,
      selection.max_blocks);
  Weighed dense{dense_engine().facts.info.name, {.cost = 0}};
  if (selection.sorted) dense.forecast.hindrance = "leaves blocks idle";
  const Weighed sorted{binary_search_engine().facts.info.name, {.cost = 1}};
  return decide("numeric", question, std::array{dense, sorted}).choice;
}

template <class T>
class AutoEngine final : public ColumnEngine<T> {
 public:
  explicit AutoEngine(const EngineInput& input)
      : selection_(select(input, precision_of<T>)), engine_(selection_.kind().make<T>(input)) {
    input.notes.choices.push_back(gpu::describe(selection_, input.pattern.n));
  }

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    engine_->eliminate(factors, smallest_pivot, counters, phases);
  }

  void describe(FactorFigures& figures) const override {
    engine_->describe(figures);
    figures.max_parallel_blocks = selection_.max_blocks;
    if (!figures.parallel_columns) figures.parallel_columns = selection_.fitting;
  }

  std::vector<GluMode> level_modes() const override { return engine_->level_modes(); }

 private:
  Selection selection_;
  std::unique_ptr<ColumnEngine<T>> engine_;
};

}  // namespace

std::unique_ptr<NumericStage> make_auto_numeric() {
  static const ColumnEngineKind kind =
      engine_kind<AutoEngine>(auto_numeric_facts(), auto_engine_bytes);
  return make_column_numeric(kind);
}

}  // namespace lufact::gpu
