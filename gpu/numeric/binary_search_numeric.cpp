// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/binary_search_numeric.hpp"

#include "gpu/numeric/column_facts.hpp"
#include "gpu/numeric/column_numeric.hpp"
#include "gpu/numeric/glu_modes.hpp"
#include "gpu/numeric/level_loads.hpp"
#include "gpu/numeric/levels.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/numeric/search_blocks.hpp"

namespace lufact::gpu {
namespace {

// By default: the tiles of every level over the whole card.
template <class T>
class TiledSearchEngine final : public ColumnEngine<T> {
 public:
  explicit TiledSearchEngine(const EngineInput& input)
      : session_(input.session),
        schedule_(input.schedule),
        plan_(make_level_plan(session_, input.pattern, schedule_)) {}

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    const auto scope = phases.scope("levels");
    run_levels(session_, factors, plan_, schedule_, smallest_pivot, counters);
  }

  void describe(FactorFigures& figures) const override { figures.format = "sparse"; }

  std::vector<GluMode> level_modes() const override { return plan_.modes(); }

 private:
  DeviceSession& session_;
  const DeviceColumnSchedule& schedule_;
  LevelPlan plan_;
};

// With options.parallel_columns: so many blocks, in the modes of GLU 3.0.
template <class T>
class BlockSearchEngine final : public ColumnEngine<T> {
 public:
  explicit BlockSearchEngine(const EngineInput& input)
      : session_(input.session),
        columns_(input.schedule.columns.data()),
        level_ptr_(input.schedule.host_level_ptr(session_)),
        blocks_(input.options.parallel_columns.value()) {
    const auto loads = find_level_loads(session_, input.pattern, input.schedule);
    const LevelCard card{session_.max_resident_warps(), blocks_};
    for (std::size_t l = 0; l < loads.size(); ++l) {
      launches_.push_back(choose_level_launch({width(l), loads[l].heavy}, card, input.options));
    }
  }

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    const auto scope = phases.scope("levels");
    const SearchElimination<T> run{factors, smallest_pivot, counters};
    for (std::size_t l = 0; l < launches_.size(); ++l) {
      const LevelColumns level{columns_ + level_ptr_[l], width(l)};
      if (launches_[l].mode == GluMode::stream) {
        run_search_stream_level(session_, run, level, blocks_);
      } else {
        run_search_block_level(session_, run, level, launches_[l].warps, blocks_);
      }
    }
  }

  void describe(FactorFigures& figures) const override {
    figures.format = "sparse";
    figures.parallel_columns = blocks_;
  }

  std::vector<GluMode> level_modes() const override { return modes_of(launches_); }

 private:
  Offset width(std::size_t level) const { return level_ptr_[level + 1] - level_ptr_[level]; }

  DeviceSession& session_;
  const Index* columns_;
  const std::vector<Index>& level_ptr_;
  Offset blocks_;
  std::vector<LevelLaunch> launches_;  // by level
};

template <class T>
class BinarySearchEngine final : public ColumnEngine<T> {
 public:
  explicit BinarySearchEngine(const EngineInput& input) {
    if (input.options.parallel_columns) {
      engine_ = std::make_unique<BlockSearchEngine<T>>(input);
    } else {
      engine_ = std::make_unique<TiledSearchEngine<T>>(input);
    }
  }

  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    engine_->eliminate(factors, smallest_pivot, counters, phases);
  }
  void describe(FactorFigures& figures) const override { engine_->describe(figures); }
  std::vector<GluMode> level_modes() const override { return engine_->level_modes(); }

 private:
  std::unique_ptr<ColumnEngine<T>> engine_;
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
