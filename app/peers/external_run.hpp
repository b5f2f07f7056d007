// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "app/config/run_config.hpp"
#include "app/peers/external_answer.hpp"
#include "app/peers/external_program.hpp"
#include "core/measure/clock.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/run/measured_run.hpp"

namespace lufact {

// A program of its own as a peer: started once for each repetition, told by its command line where
// the matrix is, believed in its times and counts, and verified where it gives a solution.
class ExternalRun final : public MeasuredRun {
 public:
  // Writes the files that the command names into `folder`; untimed. `command` may hold {matrix},
  // {pattern}, {rhs}, {solution}, {threads} and {device}. `system` must outlive the object.
  ExternalRun(const std::string& command, std::filesystem::path folder, const LinearSystem& system,
              const RunConfig& config, const Clock& clock);

  Sample run_repetition(int repetition) override;
  bool can_refactor() const override { return false; }
  Sample run_refactorization(int number) override;
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord&) const override {}
  void release() override {}
  std::string phase() const override { return {}; }
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  std::string file(const char* name) const { return (folder_ / name).string(); }
  void write_inputs(const std::string& command);
  std::string filled_in(std::string command) const;
  void check_end(const ProgramResult& result) const;
  void take_solution();
  void describe_program(RunRecord& record) const;
  void describe_factors(RunRecord& record) const;
  std::optional<Offset> count(const char* name) const;
  std::optional<std::string> text(const char* name) const;

  const LinearSystem& system_;
  const RunConfig& config_;
  const Clock& clock_;
  std::filesystem::path folder_;
  std::string command_;
  ExternalAnswer answer_;  // of the last repetition
  std::uint64_t peak_resident_bytes_ = 0;
  std::vector<double> x_;
  std::optional<VerificationRecord> verification_;  // the worst repetition so far
};

}  // namespace lufact
