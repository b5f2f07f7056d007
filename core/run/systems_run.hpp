// SPDX-License-Identifier: BSD-3-Clause
// Many systems with one pattern: one analysis, then all of them factored, solved and verified.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/pipeline/systems.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/refinement_rule.hpp"

namespace lufact {

// System 0 has A's values, system k those of refactorization k (refactor_values); each has the
// right-hand side that belongs to its values. A refactorization gives all of them new values.
// Refinement goes on for each system as it would for it alone; there is no FGMRES, and nothing is
// planned again.
class SystemsRun final : public MeasuredRun {
 public:
  // `count` >= 1 systems; `system` has one right-hand side. The arguments must outlive the object.
  SystemsRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
             const RunSettings& settings, const RunEnvironment& environment, Index count);

  // The phases transfer, numeric and solve add up over the chunks.
  Sample run_repetition(int repetition) override;
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override;
  std::string phase() const override { return analysis_.phase(); }
  // Of all systems, one after another.
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  // Of all systems, on the host; pages are locked where the environment can.
  struct Arrays {
    HostArray values, b, x;
    std::vector<double> matrix_norm;
    int first_number = -1;  // which values system 0 has
  };
  // What the last sample has found of a system.
  struct Member {
    SystemPivots pivots;
    double first_error = 0;  // before refinement
    int steps = 0;           // of refinement
  };

  void fill_arrays(int first_number);
  CsrMatrix matrix_of(Offset system);
  PipelineRun::Continuation continuation();
  void make_engine(const AnalysedPattern& pattern, StageContext& context);
  void run_chunk(Index first, Index count, StageContext& context);
  PhaseRecorder::Scope phase_of(std::string_view name, StageContext& context) const;
  void refine(Index first, Index count);
  void verify(PhaseRecorder& phases);
  void judge(Index system, const VerificationRecord& verdict);
  NumericRecord numeric_record() const;
  VerificationRecord with_worst(const VerificationRecord& of_products) const;

  const Catalogue& catalogue_;
  const LinearSystem& system_;
  const RunSettings& settings_;
  const RunEnvironment& environment_;
  const Index count_;
  PipelineRun analysis_;
  std::optional<Arrays> arrays_;
  std::unique_ptr<SystemsEngine> engine_;
  bool on_device_ = false;
  std::vector<Member> members_;
  std::vector<double> x_;
  SystemsRecord record_;
  std::optional<VerificationRecord> worst_;  // of all samples
};

}  // namespace lufact
