// SPDX-License-Identifier: BSD-3-Clause
// Runs the pipeline on one linear system, one repetition at a time, and describes what came out.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/pipeline/catalogue.hpp"
#include "core/pipeline/linear_system.hpp"
#include "core/pipeline/matrix_ahead.hpp"
#include "core/pipeline/queued_work.hpp"
#include "core/pipeline/refactoring.hpp"
#include "core/pipeline/systems.hpp"
#include "core/run/marked_phases.hpp"
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
  // Where the stages that run can; otherwise values are on the host, and phases end with waits.
  Refactoring refactoring;
  int most_replans = 8;  // times that a run is planned again whose refinement stagnates
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
  // the last repetition. On a device the arrays are page-locked where the environment can, or are
  // there before the clock starts, as settings.refactoring says.
  Sample run_refactorization(int number) override;
  // What stands in place of the numeric stage, the solves and the verification. Called in no phase.
  struct Continuation {
    std::function<void(const AnalysedPattern&, StageContext&)> run;
    std::function<void(PhaseRecorder&)> verify;  // not part of the sample's time
  };
  // A repetition up to the schedule, then `rest`; and `rest` again with what that repetition has
  // made.
  Sample run_analysis(int repetition, const Continuation& rest);
  Sample run_with_analysis(int number, const Continuation& rest);
  // Sections pipeline, factors, numeric, verification and notes. Runs the validators where settings
  // ask for them.
  void describe(RunRecord& record) const override;
  void add_refactorizations(RunRecord& record) const override;
  void release() override;
  std::string phase() const override;
  // Of the last repetition; empty unless settings.options.gsofa.profile.
  const GsofaSources& sources() const noexcept { return notes_.gsofa_sources; }
  // By A's labels.
  const std::vector<double>& solution() const noexcept override { return x_; }

 private:
  struct Products {
    std::shared_ptr<PermutedMatrix> matrix;
    ProductPtr placed_matrix;  // where the next stage wants it
    ProductPtr symbolic, schedule;
    ProductPtr host_symbolic;     // the copy of one that was made on the device
    bool entries_stayed = false;  // when it was made
    std::shared_ptr<Factors> factors;
    std::unique_ptr<VectorBackend> vectors;
    std::unique_ptr<RowLabels> rhs_labels, solution_labels;  // of A
    std::unique_ptr<VectorBlock> b, x;
    std::unique_ptr<VectorBlock> residual;  // workspace that the first solve makes
  };

  void begin_repetition();
  Sample continue_with(const Continuation& rest, int number, std::chrono::nanoseconds begin);
  void preprocess();
  bool device_may_place() const;
  bool places_entries() const;
  void start_ahead();
  void place_entries_on_host();
  void go_on(ProductType type, const Product* product, std::optional<double> most_entries = {});
  // What a simulator on the device has there: in the order of A's entries, and by A's labels.
  struct DeviceArrays {
    std::unique_ptr<VectorBlock> values, b, x;
  };

  void analyse();
  void factorize();
  void find_supernodes(StageContext& stage_context);
  void choose_back_end();
  // The solution of A x = b, A with the values that were factored, by B's labels.
  void solve(const CsrMatrix& a);
  void bring_solution(HostSpan<double> x);
  bool refine();
  bool refine_from(double error);
  bool settle(const SolveProblem& problem);
  void finish_solution();
  bool plan_again(const CsrMatrix& a);
  std::shared_ptr<PermutedMatrix> next_matrix(const CsrMatrix& a);
  std::shared_ptr<PermutedMatrix> matched_matrix(const CsrMatrix& a);
  std::shared_ptr<PermutedMatrix> delayed_matrix(const CsrMatrix& a);
  DelayedOrder delay_pivots(const PivotDelay& delay, const Product& symbolic,
                            std::span<const double> size);
  bool raise_share(std::span<const double> size);
  void note_plan(const std::string& chosen, const std::string& why);
  void warn_of_singularity(Index weak);
  Offset delayed_pivots() const;
  std::vector<SuspectPivot> suspect_pivots() const;
  std::shared_ptr<PermutedMatrix> with_order(const CsrMatrix& a, Permutation columns);
  SolveProblem solve_problem();
  void verify_solution(const CsrMatrix& a, std::span<const double> x, std::span<const double> b);
  StageContext context();
  std::optional<std::uint64_t> room_for_factors() const;
  bool entries_stay() const;
  PhaseRecorder::Scope stage_phase(std::string_view name, Side side);
  ProductPtr placed(const ProductPtr& product, Side side);
  ProductPtr symbolic_on(Side side);
  Refactoring possible_refactoring() const;
  void give_to_device(RefactorArrays& arrays);
  void refactor_with_waits(const CsrMatrix& a, RefactorArrays& arrays);
  void refactor_with_one_wait(const CsrMatrix& a, RefactorArrays& arrays);
  void queue_phases(RefactorArrays& arrays);
  void queue_all(RefactorArrays& arrays);
  void queue_residual();
  void improve_solution(const CsrMatrix& a, RefactorArrays& arrays, double error);
  const Transfer& values_transfer() const;
  void bring_values(RefactorArrays& arrays);
  void bring_rhs(RefactorArrays& arrays);
  void hand_over_solution(RefactorArrays& arrays);
  QueuedVectors& queued_vectors() const;
  void write_rhs(HostSpan<const double> b);
  void read_solution(HostSpan<double> x);
  RefactorArrays& refactor_arrays();
  void upload_inputs();
  void upload_vectors();
  void make_vectors();
  void check_resident(Offset nnz_lu) const;
  ProductPtr host_copy(const ProductPtr& product) const;
  const PermutedMatrix& matrix_with_entries() const;
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
  // What has been planned again since the repetition began.
  struct Plans {
    int again = 0;
    bool matched = false;   // by the catalogue's matching, not by the chain's scaling
    double weak_share = 0;  // what was weak at last, of scaled_norm; 0: nothing was delayed yet
    std::vector<std::uint8_t> times_delayed;  // the pivots of A's columns
  };

  const Tail* tail_;  // the part of the chain's to which this repetition's choices have led
  const LinearSystem& system_;
  const RunSettings& settings_;
  const RunEnvironment& environment_;
  PhaseRecorder phases_;
  StageNotes notes_;
  Products products_;
  std::unique_ptr<MatrixAhead> ahead_;  // until B is on the device
  StageOptions options_;                // the settings' but for what planning again changes
  Plans plans_;
  HostSpan<const double> b_;  // the right-hand sides that are solved for, by A's labels
  std::vector<double> x_;
  std::optional<AnalysedPattern> analysed_;  // of the last run_analysis()
  bool many_systems_ = false;                // what follows an analysis is another one's
  std::optional<RefactorArrays> arrays_;
  std::optional<DeviceArrays> device_arrays_;
  Refactoring refactoring_;             // that of the last refactorization
  std::optional<MarkedPhases> marked_;  // of a refactorization with events
  std::optional<SolveReport> solve_report_;
  std::optional<VerificationRecord> verification_;  // the worst repetition so far
};

}  // namespace lufact
