// SPDX-License-Identifier: BSD-3-Clause
// Runs the pipeline on one linear system, one repetition at a time, and describes what came out.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/run/measured_run.hpp"
#include "core/run/refinement.hpp"
#include "core/run/repetition.hpp"

namespace lufact {

struct RunSettings {
  Until until = Until::solve;
  StageOptions options;
  VerifyLevel verify = VerifyLevel::residual;
  double threshold = 1e-12;     // of the backward error
  bool record_profile = false;  // that of the levels, which takes work on the device
  std::uint64_t seed = 1;
};

// Where the run happens. `device` and `probe` are null for a chain without device stages.
struct RunEnvironment {
  const Clock& clock;
  DeviceSession* device = nullptr;
  DeviceTeam* team = nullptr;  // null for a run on one device
  RankGroup* ranks = nullptr;  // null for a run in one process
  DeviceProbe* probe = nullptr;
  Progress* progress = nullptr;
  std::function<std::unique_ptr<VectorBackend>(Side)> make_vectors{};
  // Throws Error{oom_device} where so many resident bytes more cannot fit on the device.
  std::function<void(std::uint64_t)> require_resident{};
  // Bytes of the device's budget that are free; empty for a chain without device stages.
  std::function<std::uint64_t()> device_room{};
  // For the arrays of refactorizations on the device; empty for a chain without device stages.
  PageLockedMemory page_locked_memory{};
};

class PipelineRun final : public MeasuredRun {
 public:
  // All arguments must outlive the object.
  PipelineRun(const Catalogue& catalogue, const Chain& chain, const LinearSystem& system,
              const RunSettings& settings, const RunEnvironment& environment);
  ~PipelineRun() override;

  Sample run_repetition(int repetition) override;
  // New values (A's times 1 + 1e-3 u, u from the seed), refactored and solved with the products of
  // the last repetition. On a device the arrays are page-locked where the environment can.
  Sample run_refactorization(int number) override;
  // Sections pipeline, factors, numeric, verification and notes. Runs the validators where settings
  // ask for them.
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override;
  std::string phase() const override { return phases_.current_phase(); }
  // By A's labels.
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  struct Products {
    std::shared_ptr<PermutedMatrix> matrix;
    ProductPtr placed_matrix;  // where the next stage wants it
    ProductPtr symbolic, schedule;
    ProductPtr host_symbolic;  // the copy of one that was made on the device
    std::shared_ptr<Factors> factors;
    std::unique_ptr<VectorBackend> vectors;
    std::unique_ptr<RowLabels> row_labels, col_labels;
    std::unique_ptr<VectorBlock> b, x;
    std::unique_ptr<VectorBlock> residual;  // workspace that the first solve makes
  };

  void preprocess();
  void go_on(ProductType type, const Product* product, std::optional<double> most_entries = {});
  void factorize();
  void find_supernodes(StageContext& stage_context);
  void choose_back_end();
  void solve(HostSpan<double> x);
  void verify_solution(const CsrMatrix& a, std::span<const double> x, std::span<const double> b);
  StageContext context();
  PhaseRecorder::Scope stage_phase(std::string_view name, Side side);
  ProductPtr placed(const ProductPtr& product, Side side);
  ProductPtr symbolic_on(Side side);
  void renew_device_matrix(HostSpan<const double> values_of_a);
  void write_rhs(HostSpan<const double> b);
  void read_solution(HostSpan<double> x);
  RefactorArrays& refactor_arrays();
  void upload_inputs();
  void upload_vectors();
  void make_vectors();
  void check_resident(Offset nnz_lu) const;
  ProductPtr host_copy(const ProductPtr& product) const;
  void validate(const Product& product, const Product* upstream,
                VerificationRecord& verification) const;
  void describe_products(RunRecord& record, VerificationRecord& verification) const;
  void describe_supernodes(RunRecord& record, const Product& symbolic, bool check,
                           VerificationRecord& verification) const;
  void describe_factors(RunRecord& record, const Product* symbolic,
                        VerificationRecord& verification) const;
  void describe_numeric(RunRecord& record) const;
  PipelineRecord stages_run() const;

  const Catalogue& catalogue_;
  const Chain& chain_;
  const Tail* tail_;  // the part of the chain's to which this repetition's choices have led
  const LinearSystem& system_;
  const RunSettings& settings_;
  const RunEnvironment& environment_;
  PhaseRecorder phases_;
  StageNotes notes_;
  Products products_;
  std::vector<double> x_;
  std::optional<RefactorArrays> arrays_;
  std::optional<SolveReport> solve_report_;
  std::optional<VerificationRecord> verification_;  // the worst repetition so far
};

}  // namespace lufact
