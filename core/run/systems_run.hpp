// SPDX-License-Identifier: BSD-3-Clause
// Many systems with one pattern: one analysis, then all of them factored, solved and verified.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/pipeline/systems.hpp"
#include "core/run/many_systems.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/refinement_rule.hpp"

namespace lufact {

// Refinement goes on for each system as it would for it alone; there is no FGMRES, and nothing is
// planned again.
class SystemsRun final : public MeasuredRun {
 public:
  // At least one system; `system` has one right-hand side. The references must outlive the object.
  SystemsRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
             const RunSettings& settings, const RunEnvironment& environment, SystemsInput input);

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
  // What the last sample has found of a system.
  struct Member {
    SystemPivots pivots;
    double first_error = 0;  // before refinement
    int steps = 0;           // of refinement
  };

  PipelineRun::Continuation continuation();
  void make_engine(const AnalysedPattern& pattern, StageContext& context);
  void run_chunk(Index first, Index count, StageContext& context);
  PhaseRecorder::Scope phase_of(std::string_view name, StageContext& context) const;
  void refine(Index first, Index count);
  void verify(PhaseRecorder& phases);
  NumericRecord numeric_record() const;
  VerificationRecord with_worst(const VerificationRecord& of_products) const;

  const Catalogue& catalogue_;
  const LinearSystem& system_;
  const RunSettings& settings_;
  ManySystems systems_;
  PipelineRun analysis_;
  std::unique_ptr<SystemsEngine> engine_;
  bool on_device_ = false;
  std::vector<Member> members_;
  std::vector<double> x_;
  SystemsRecord record_;
};

}  // namespace lufact
