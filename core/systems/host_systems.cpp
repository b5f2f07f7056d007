// SPDX-License-Identifier: BSD-3-Clause
#include "core/systems/host_systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "core/columns/host_vectors.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/matrix/parallel.hpp"
#include "core/measure/clock.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/front_schedule.hpp"

namespace lufact {
namespace {

constexpr int blocks_of_vectors = 5;  // b, x, r, a step, the x before it

// Bytes of the arrays of HostFrontFactors, of the matrix's values and of the vectors.
std::uint64_t system_bytes(const PermutedMatrix& matrix, const FrontSchedule& schedule,
                           Precision precision) {
  const Offset n = matrix.pattern.n_rows, nnz = matrix.pattern.nnz();
  const Offset right = Offset{round_up(schedule.most_pivots, row_unit)} * tile_order;
  const Offset entries = schedule.values + 2 * n + schedule.shared_arena + schedule.thread_arena +
                         right + schedule.vectors;
  const std::size_t size = precision == Precision::float64 ? sizeof(double) : sizeof(float);
  return checked_bytes(entries, size) +
         checked_bytes(2 * nnz + blocks_of_vectors * n, sizeof(double));
}

// One of the systems at a time, by one thread: its matrix, factors and vectors.
class HostSystem {
 public:
  HostSystem(const AnalysedPattern& pattern, const StageOptions& options)
      : pattern_(pattern),
        options_(options),
        matrix_(std::make_shared<PermutedMatrix>(*pattern.host_matrix)),
        vectors_(make_host_vector_backend(1)),
        rows_(vectors_->keep_labels(matrix_->rows.old_of_new())),
        columns_(vectors_->keep_labels(matrix_->cols.old_of_new())) {
    for (auto* block : {&b_, &x_, &r_, &step_, &before_}) {
      *block = vectors_->make(matrix_->pattern.n_rows, 1);
    }
  }

  void write(std::span<const double> values, std::span<const double> b, double matrix_norm) {
    values_ = values;
    matrix_norm_ = matrix_norm;
    vectors_->write(HostSpan<const double>(b), rows_.get(), *b_);
  }

  // Appends its warnings.
  void factor(const NumericStage& stage) {
    PhaseRecorder untimed(clock_);
    notes_ = {};
    StageContext context{
        .phases = untimed, .options = options_, .notes = notes_, .check_resident = {}};
    replace_values(*matrix_, values_);
    if (factors_ == nullptr) {
      factors_ = stage.run(matrix_, pattern_.symbolic, pattern_.schedule, context);
    } else {
      factors_->refactor(matrix_, context);
    }
  }
  const std::vector<Warning>& warnings() const noexcept { return notes_.warnings; }
  SystemPivots pivots() const {
    const FactorFigures figures = factors_->figures();
    return {figures.perturbed_pivots, figures.exchanged_rows.value_or(0),
            figures.largest_perturbation};
  }

  void solve() { factors_->apply(*matrix_, *vectors_, *b_, *x_, pattern_.solve); }
  double residual() { return vectors_->residual(*matrix_, matrix_norm_, *x_, *b_, *r_); }
  void step() {
    factors_->apply(*matrix_, *vectors_, *r_, *step_, pattern_.solve);
    vectors_->copy(*x_, *before_);
    vectors_->add_scaled(1, *step_, *x_);
  }
  void take_back() { vectors_->copy(*before_, *x_); }
  void read(std::span<double> x) { vectors_->read(*x_, columns_.get(), HostSpan<double>(x)); }

 private:
  const AnalysedPattern& pattern_;
  const StageOptions& options_;
  SteadyClock clock_;
  StageNotes notes_;
  std::shared_ptr<PermutedMatrix> matrix_;
  std::shared_ptr<Factors> factors_;
  std::unique_ptr<VectorBackend> vectors_;
  std::unique_ptr<RowLabels> rows_, columns_;
  std::unique_ptr<VectorBlock> b_, x_, r_, step_, before_;
  std::span<const double> values_;
  double matrix_norm_ = 0;
};

class HostSystems final : public SystemsEngine {
 public:
  HostSystems(AnalysedPattern pattern, Index count, const StageOptions& options)
      : pattern_(std::move(pattern)),
        options_(options),
        threads_(options.threads),
        numeric_(make_cpu_multifrontal_numeric()),
        bytes_(system_bytes(*pattern_.host_matrix, product_cast<FrontSchedule>(*pattern_.schedule),
                            options.precision)),
        systems_(static_cast<std::size_t>(std::min<Index>(count, options.threads))) {
    options_.threads = 1;
    // By the threads that will use them, so that memory is near.
    parallel_for(static_cast<Offset>(systems_.size()), threads_, [&](Offset k) {
      systems_[at(k)] = std::make_unique<HostSystem>(pattern_, options_);
    });
  }

  Index most() const override { return static_cast<Index>(systems_.size()); }
  std::uint64_t bytes_per_system() const override { return bytes_; }

  void write(const SystemInputs& inputs) override {
    const Offset n = pattern_.host_matrix->pattern.n_rows;
    const Offset nnz =
        pattern_.host_matrix->pattern.nnz() - pattern_.host_matrix->missing_diagonals_added;
    count_ = inputs.count;
    require(inputs.count <= most(), "systems");
    require(static_cast<Offset>(inputs.values.entries.size()) == count_ * nnz, "values");
    require(static_cast<Offset>(inputs.b.entries.size()) == count_ * n, "right-hand sides");
    require(static_cast<Index>(inputs.matrix_norm.size()) == count_, "norms");
    for_all([&](HostSystem& system, Offset k) {
      system.write(inputs.values.entries.subspan(at(k * nnz), at(nnz)),
                   inputs.b.entries.subspan(at(k * n), at(n)), inputs.matrix_norm[at(k)]);
    });
  }

  void factor(StageContext& context) override {
    for_all([&](HostSystem& system, Offset) { system.factor(*numeric_); });
    for (Index k = 0; k < count_; ++k) {
      const auto& warnings = systems_[at(k)]->warnings();
      context.notes.warnings.insert(context.notes.warnings.end(), warnings.begin(), warnings.end());
    }
  }
  SystemPivots pivots(Index system) const override { return systems_[at(system)]->pivots(); }

  void solve() override {
    for_all([](HostSystem& system, Offset) { system.solve(); });
  }
  void residual(SystemMask of, std::span<double> error) override {
    for_each(of, [&](HostSystem& system, Offset k) { error[at(k)] = system.residual(); });
  }
  void step(SystemMask of) override {
    for_each(of, [](HostSystem& system, Offset) { system.step(); });
  }
  void take_back(SystemMask of) override {
    for_each(of, [](HostSystem& system, Offset) { system.take_back(); });
  }
  void read(HostSpan<double> x) override {
    const Offset n = pattern_.host_matrix->pattern.n_rows;
    require(static_cast<Offset>(x.entries.size()) == count_ * n, "solutions");
    for_all(
        [&](HostSystem& system, Offset k) { system.read(x.entries.subspan(at(k * n), at(n))); });
  }

 private:
  static void require(bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(fmt::format("{} of another number of systems", what));
  }
  template <class Body>
  void for_all(const Body& body) {
    parallel_for(count_, threads_, [&](Offset k) { body(*systems_[at(k)], k); });
  }
  template <class Body>
  void for_each(SystemMask of, const Body& body) {
    require(static_cast<Index>(of.size()) == count_, "marks");
    parallel_for(count_, threads_, [&](Offset k) {
      if (of[at(k)] != 0) body(*systems_[at(k)], k);
    });
  }

  AnalysedPattern pattern_;
  StageOptions options_;  // of a thread alone
  int threads_;
  std::unique_ptr<NumericStage> numeric_;
  std::uint64_t bytes_;
  std::vector<std::unique_ptr<HostSystem>> systems_;
  Index count_ = 0;
};

class HostSystemsStage final : public SystemsStage {
 public:
  std::string_view numeric() const noexcept override { return "cpu-multifrontal"; }
  std::unique_ptr<SystemsEngine> make(const AnalysedPattern& pattern, Index count,
                                      StageContext& context) const override {
    return std::make_unique<HostSystems>(pattern, count, context.options);
  }
};

}  // namespace

std::unique_ptr<SystemsStage> make_host_systems() {
  return std::make_unique<HostSystemsStage>();
}

}  // namespace lufact
