// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/numeric/dense_numeric.hpp"

#include <algorithm>
#include <optional>

#include "gpu/numeric/column_facts.hpp"
#include "gpu/numeric/column_numeric.hpp"
#include "gpu/numeric/dense_levels.hpp"
#include "gpu/numeric/glu_modes.hpp"
#include "gpu/numeric/level_loads.hpp"
#include "gpu/numeric/parallel_columns.hpp"
#include "gpu/numeric/resident_bytes.hpp"

namespace lufact::gpu {
namespace {

// Common part of both engines; they differ in the useful work columns and in how a level runs.
template <class T>
class WorkColumnEngine : public ColumnEngine<T> {
 public:
  explicit WorkColumnEngine(const EngineInput& input)
      : session_(input.session),
        n_(input.pattern.n),
        columns_(input.schedule.columns.data()),
        level_ptr_(input.schedule.host_level_ptr(session_)),
        options_(input.options) {}

  // Sub-phases `columns` and `levels`.
  void eliminate(const FactorsRef<T>& factors, T smallest_pivot, NumericCounters* counters,
                 PhaseRecorder& phases) override {
    Buffer<T> values;
    {
      const auto scope = phases.scope("columns");
      values = allocate();
    }
    const auto scope = phases.scope("levels");
    const DenseElimination<T> run{
        factors, {values.data(), parallel_columns_}, smallest_pivot, counters};
    for (std::size_t l = 0; l + 1 < level_ptr_.size(); ++l) {
      const Index begin = level_ptr_[l];
      run_level(run, l, {columns_ + begin, level_ptr_[l + 1] - begin}, launches_[l]);
    }
  }

  void describe(FactorFigures& figures) const override {
    figures.format = "dense";
    figures.parallel_columns = parallel_columns_;
  }

  std::vector<GluMode> level_modes() const override { return modes_of(launches_); }

 protected:
  // Work columns beyond this number would lie idle.
  virtual Offset useful_columns() const = 0;
  virtual LevelLaunch choose_launch(std::size_t level, Offset width) const = 0;
  virtual void run_level(const DenseElimination<T>& run, std::size_t level,
                         const LevelColumns& columns, const LevelLaunch& launch) const = 0;

  DeviceSession& session() const noexcept { return session_; }
  const StageOptions& options() const noexcept { return options_; }
  LevelCard card() const { return {session_.max_resident_warps(), parallel_columns_}; }

  Offset max_width() const {
    Offset widest = 0;
    for (std::size_t l = 0; l + 1 < level_ptr_.size(); ++l) {
      widest = std::max<Offset>(widest, level_ptr_[l + 1] - level_ptr_[l]);
    }
    return widest;
  }

 private:
  Buffer<T> allocate() {
    parallel_columns_ = plan_work_columns({session_.ledger().available(), n_, precision_of<T>,
                                           useful_columns(), options_.parallel_columns});
    launches_.clear();
    for (std::size_t l = 0; l + 1 < level_ptr_.size(); ++l) {
      launches_.push_back(choose_launch(l, level_ptr_[l + 1] - level_ptr_[l]));
    }
    Buffer<T> values(session_, MemoryRole::scratch, parallel_columns_ * n_, "dense work columns");
    values.fill_bytes(0);
    return values;
  }

  DeviceSession& session_;
  Index n_;
  const Index* columns_;
  const std::vector<Index>& level_ptr_;
  StageOptions options_;
  Offset parallel_columns_ = 0;
  std::vector<LevelLaunch> launches_;  // of the last elimination
};

template <class T>
class DenseEngine final : public WorkColumnEngine<T> {
 public:
  explicit DenseEngine(const EngineInput& input)
      : WorkColumnEngine<T>(input),
        loads_(find_level_loads(input.session, input.pattern, input.schedule)) {
    if (input.options.glu_streams > 0) {
      streams_.emplace(input.session, input.options.glu_streams);
    }
  }

 private:
  // The card holds no more than its warps' worth of the smallest blocks.
  Offset useful_columns() const override {
    return std::min<Offset>(this->max_width(),
                            this->session().max_resident_warps() / fewest_block_warps);
  }
  LevelLaunch choose_launch(std::size_t level, Offset width) const override {
    return choose_level_launch({width, loads_[level].heavy}, this->card(), this->options());
  }
  void run_level(const DenseElimination<T>& run, std::size_t level, const LevelColumns& columns,
                 const LevelLaunch& launch) const override {
    const StreamShape shape{stream_blocks(), loads_[level].sub_columns};
    if (launch.mode != GluMode::stream) {
      run_block_level(this->session(), run, columns, launch.warps,
                      std::min(columns.width, run.work.count));
    } else if (streams_) {
      run_column_streams_level(*streams_, run, columns, shape);
    } else {
      run_stream_level(this->session(), run, columns, shape);
    }
  }
  // As many as there may be columns, where that is given: E2E's M is both. Otherwise twice what the
  // card holds, so that columns with few sub-columns leave nothing idle.
  Offset stream_blocks() const {
    return this->options().parallel_columns.value_or(
        2 * max_parallel_blocks(this->session().max_resident_warps()));
  }

  std::vector<LevelLoad> loads_;                // by level
  mutable std::optional<SideStreams> streams_;  // options.glu_streams of them
};

template <class T>
class DenseFixedEngine final : public WorkColumnEngine<T> {
 public:
  using WorkColumnEngine<T>::WorkColumnEngine;

 private:
  Offset useful_columns() const override {
    return max_parallel_blocks(this->session().max_resident_warps());
  }
  LevelLaunch choose_launch(std::size_t, Offset) const override { return {}; }
  void run_level(const DenseElimination<T>& run, std::size_t, const LevelColumns& columns,
                 const LevelLaunch& launch) const override {
    run_block_level(this->session(), run, columns, launch.warps, run.work.count);
  }
};

}  // namespace

const ColumnEngineKind& dense_engine() {
  static const ColumnEngineKind kind =
      engine_kind<DenseEngine>(dense_numeric_facts(), dense_engine_bytes);
  return kind;
}

std::unique_ptr<NumericStage> make_dense_numeric() {
  return make_column_numeric(dense_engine());
}

const ColumnEngineKind& dense_fixed_engine() {
  static const ColumnEngineKind kind =
      engine_kind<DenseFixedEngine>(dense_fixed_numeric_facts(), dense_engine_bytes);
  return kind;
}

std::unique_ptr<NumericStage> make_dense_fixed_numeric() {
  return make_column_numeric(dense_fixed_engine());
}

}  // namespace lufact::gpu
