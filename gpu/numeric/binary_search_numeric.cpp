// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/binary_search_numeric.hpp"

#include "gpu/numeric/column_facts.hpp"
#include "gpu/numeric/column_numeric.hpp"
#include "gpu/numeric/levels.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/numeric/search_blocks.hpp"

namespace lufact::gpu {
namespace {

template <class T>
class BinarySearchEngine final : public ColumnEngine<T> {
 public:
  explicit BinarySearchEngine(const EngineInput& input)
      : session_(input.session),
        schedule_(input.schedule),
        plan_(make_level_plan(session_, input.pattern, schedule_)),
        blocks_(input.options.parallel_columns) {}

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    const auto scope = phases.scope("levels");
    if (!blocks_) return run_levels(session_, factors, plan_, schedule_, smallest_pivot, counters);
    const std::vector<Index>& level_ptr = schedule_.host_level_ptr(session_);
    for (std::size_t l = 0; l + 1 < level_ptr.size(); ++l) {
      run_search_level(session_, factors, schedule_.columns.data() + level_ptr[l],
                       level_ptr[l + 1] - level_ptr[l], *blocks_, smallest_pivot, counters);
    }
  }

  void describe(FactorFigures& figures) const override {
    figures.format = "sparse";
    figures.parallel_columns = blocks_;
  }

  std::vector<GluMode> level_modes() const override {
    if (!blocks_) return plan_.modes();
    return std::vector<GluMode>(static_cast<std::size_t>(schedule_.levels), GluMode::large_block);
  }

 private:
  DeviceSession& session_;
  const DeviceColumnSchedule& schedule_;
  LevelPlan plan_;
  std::optional<Offset> blocks_;  // given: E2E's blocks per column instead of the plan
};

}  // namespace

const ColumnEngineKind& binary_search_engine() {
  static const ColumnEngineKind kind =
      engine_kind<BinarySearchEngine>(binary_search_numeric_facts(), binary_search_engine_bytes);
  return kind;
}

std::unique_ptr<NumericStage> make_binary_search_numeric() {
  return make_column_numeric(binary_search_engine());
}

}  // namespace lufact::gpu
