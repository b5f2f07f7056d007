// SPDX-License-Identifier: BSD-3-Clause
// Refactorizations on a device that does nothing before it is waited for: a host that looked at a
// result too early, or gave memory away, would be wrong here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "core/generate/generate.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/queued_work.hpp"
#include "core/pipeline/transposed.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/test/dense_family.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

using dense_family::BlockFactors;

// Its stream, in the memory of the host.
class LazyDevice final : public DeviceProbe {
 public:
  void put(std::function<void()> work) { work_.push_back(std::move(work)); }
  void synchronize() override {
    ++waits;
    for (; !work_.empty(); work_.pop_front()) work_.front()();
  }
  Mark mark() override { return marks_++; }
  double seconds_between(Mark begin, Mark end) override { return 1e-9 * (end - begin); }
  void release_marks() override { marks_ = 0; }
  TransferCounters counters() const override { return {}; }
  void reset_interval_peak() override {}
  std::uint64_t interval_peak_bytes() const override { return 0; }
  void range_push(std::string_view) override {}
  void range_pop() override {}

  int waits = 0;

 private:
  std::deque<std::function<void()>> work_;
  int marks_ = 0;
};

// A product of the host that counts as one of the device.
class Twin final : public Product {
 public:
  explicit Twin(ProductPtr product) : host(std::move(product)) {}
  ProductType type() const noexcept override { return host->type(); }
  Side side() const noexcept override { return Side::device; }
  mutable ProductPtr host;
};

const Product& host_of(const Product& product) {
  return *product_cast<Twin>(product).host;
}

class TwinTransfer final : public Transfer, public TransferOnDevice {
 public:
  TwinTransfer(ProductType type, LazyDevice& device) : type_(type), device_(device) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return Side::host; }
  Side to() const noexcept override { return Side::device; }
  ProductPtr run(const ProductPtr& product, StageContext&) const override {
    return std::make_shared<Twin>(product);
  }
  ProductPtr run_with_new_values(const Product&, HostSpan<const double> values,
                                 const Product& placed, StageContext&) const override {
    return renewed(placed, values.entries);
  }
  ProductPtr run_with_values_there(const Product&, const VectorBlock& values, const Product& placed,
                                   StageContext&) const override {
    return renewed(placed, dynamic_cast<const HostVectorBlock&>(values).data());
  }

 private:
  ProductPtr renewed(const Product& placed, std::span<const double> values) const {
    auto twin = std::make_shared<Twin>(product_cast<Twin>(placed).host);
    device_.put([twin, values] {
      auto matrix = std::make_shared<PermutedMatrix>(product_cast<PermutedMatrix>(*twin->host));
      replace_values(*matrix, values);
      twin->host = matrix;
    });
    return twin;
  }

  ProductType type_;
  LazyDevice& device_;
};

class TwinVectors final : public VectorBackend, public QueuedVectors, public TransposedVectors {
 public:
  explicit TwinVectors(LazyDevice& device) : device_(device) {}
  Side side() const noexcept override { return Side::device; }
  std::unique_ptr<VectorBlock> make(Index rows, Index columns) override {
    return host_->make(rows, columns);
  }
  std::unique_ptr<RowLabels> keep_labels(std::span<const Index> labels) override {
    return host_->keep_labels(labels);
  }
  void set_to_zero(VectorBlock& x) override {
    device_.put([this, &x] { host_->set_to_zero(x); });
  }
  void write(HostSpan<const double> from, const RowLabels* labels, VectorBlock& to) override {
    device_.put([this, from, labels, &to] { host_->write(from, labels, to); });
  }
  void read(const VectorBlock& from, const RowLabels* labels, HostSpan<double> to) override {
    device_.put([this, &from, labels, to] { host_->read(from, labels, to); });
    if (!to.page_locked) device_.synchronize();
  }
  void copy(const VectorBlock& from, VectorBlock& to) override {
    device_.put([this, &from, &to] { host_->copy(from, to); });
  }
  void copy_column(const VectorBlock&, Index, VectorBlock&, Index) override {}
  void scale_by_rows(const Product& matrix, VectorBlock& x) override {
    device_.put([this, &matrix, &x] { host_->scale_by_rows(host_of(matrix), x); });
  }
  void scale_by_columns(const Product& matrix, VectorBlock& x) override {
    device_.put([this, &matrix, &x] { host_->scale_by_columns(host_of(matrix), x); });
  }
  void add_scaled(double alpha, const VectorBlock& x, VectorBlock& y) override {
    device_.put([this, alpha, &x, &y] { host_->add_scaled(alpha, x, y); });
  }
  void scale(double, VectorBlock&) override {}
  double dot(const VectorBlock&, const VectorBlock&) override { return 0; }
  void multiply(const Product&, const VectorBlock&, VectorBlock&) override {}
  double residual(const Product& matrix, double norm, const VectorBlock& x, const VectorBlock& b,
                  VectorBlock& r) override {
    queue_residual(matrix, norm, x, b, r);
    device_.synchronize();
    return error_;
  }
  void queue_residual(const Product& matrix, double norm, const VectorBlock& x,
                      const VectorBlock& b, VectorBlock& r) override {
    device_.put([this, &matrix, norm, &x, &b, &r] {
      error_ = host_->residual(host_of(matrix), norm, x, b, r);
    });
  }
  void multiply_transposed(const Product&, const VectorBlock&, VectorBlock&) override {}
  double residual_transposed(const Product& matrix, double norm, const VectorBlock& x,
                             const VectorBlock& b, VectorBlock& r) override {
    queue_residual_transposed(matrix, norm, x, b, r);
    device_.synchronize();
    return error_;
  }
  void queue_residual_transposed(const Product& matrix, double norm, const VectorBlock& x,
                                 const VectorBlock& b, VectorBlock& r) override {
    device_.put([this, &matrix, norm, &x, &b, &r] {
      auto& host = dynamic_cast<TransposedVectors&>(*host_);
      error_ = host.residual_transposed(host_of(matrix), norm, x, b, r);
    });
  }
  double queued_residual() override { return error_; }
  void write_from(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) override {
    write(data_of(from), &labels, to);
  }
  void read_to(const VectorBlock& from, const RowLabels& labels, VectorBlock& to) override {
    read(from, &labels, {dynamic_cast<HostVectorBlock&>(to).data(), true});
  }

 private:
  static std::span<const double> data_of(const VectorBlock& block) {
    return dynamic_cast<const HostVectorBlock&>(block).data();
  }

  LazyDevice& device_;
  std::unique_ptr<VectorBackend> host_ = make_host_vector_backend(1);
  double error_ = -1;
};

// Solves with a relative error, so that a step of refinement is taken unless it is 0.
class TwinFactors final : public Factors, public QueuedFactors, public TransposedFactors {
 public:
  TwinFactors(Index n, LazyDevice& device, double error)
      : inner_(n), device_(device), error_(error) {}
  ProductType type() const noexcept override { return {"twin-factors"}; }
  Side side() const noexcept override { return Side::device; }
  void solve(VectorBlock&, std::string_view) const override {}
  void solve_transposed(VectorBlock& x, std::string_view) const override {
    device_.put([this, &x] {
      inner_.solve_transposed(x);
      host_->scale(1 + error_, x);
    });
  }
  void apply(const Product& matrix, VectorBackend&, const VectorBlock& b, VectorBlock& x,
             std::string_view method) const override {
    device_.put([this, &matrix, &b, &x, method] {
      inner_.apply(host_of(matrix), *host_, b, x, method);
      host_->scale(1 + error_, x);
    });
  }
  void refactor(const ProductPtr& matrix, StageContext& context) override {
    queue_refactor(matrix, context);
    device_.synchronize();
  }
  void queue_refactor(const ProductPtr& matrix, StageContext& context) override {
    device_.put([this, matrix, &context] {
      inner_.refactor(product_cast<Twin>(*matrix).host, context);
      finished_ = false;
    });
  }
  void queue_refactor_and_apply(const ProductPtr& matrix, VectorBackend& vectors,
                                const VectorBlock& b, VectorBlock& x, std::string_view method,
                                StageContext& context) override {
    device_.put([this, matrix, &context] {
      inner_.refactor(product_cast<Twin>(*matrix).host, context);
      finished_ = false;
    });
    apply(*matrix, vectors, b, x, method);
  }
  void finish_refactor(StageContext&) override { finished_ = true; }
  bool finished() const { return finished_; }
  FactorFigures figures() const override { return {}; }
  std::string values_sha256() const override { return ""; }

 private:
  BlockFactors inner_;
  LazyDevice& device_;
  double error_;
  std::unique_ptr<VectorBackend> host_ = make_host_vector_backend(1);
  bool finished_ = true;
};

class TwinNumeric final : public NumericStage {
 public:
  TwinNumeric(LazyDevice& device, double error) : device_(device), error_(error) {}
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr& matrix, const ProductPtr& symbolic,
                               const ProductPtr&, StageContext& context) const override {
    const Index n = product_cast<dense_family::BlockPlan>(host_of(*symbolic)).n;
    auto factors = std::make_shared<TwinFactors>(n, device_, error_);
    factors->refactor(matrix, context);
    return factors;
  }
  std::uint64_t resident_bytes(Index, Offset, Offset, Index, Precision) const override { return 0; }

 private:
  StageInfo info_{.name = "twin-lu",
                  .description = "dense elimination on a lazy device",
                  .source = "core/run/test",
                  .side = Side::device,
                  .takes = {product_types::permuted_matrix, dense_family::block_plan,
                            dense_family::block_tasks},
                  .gives = {"twin-factors"},
                  .solve_methods = {"dense"}};
  LazyDevice& device_;
  double error_;
};

LinearSystem small_system(bool transposed) {
  LinearSystem system;
  system.input.matrix = generate_matrix({"circuit", {{"n", 40}}, 3});
  system.rhs = 2;
  system.transposed = transposed;
  system.x_true = make_x_true(system.input.matrix.pattern.n_rows, system.rhs, 1);
  system.b = multiply(system.input.matrix, system.x_true, system.rhs, transposed);
  system.matrix_norm = matrix_norm(system.input.matrix, transposed);
  return system;
}

std::shared_ptr<void> ordinary_memory(std::size_t bytes) {
  return std::make_shared<double[]>(bytes / sizeof(double));
}

void check(const Refactoring& how, double error, bool transposed) {
  LazyDevice device;
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  dense_family::add_to(catalogue);
  catalogue.numeric.push_back(std::make_unique<TwinNumeric>(device, error));
  for (const ProductType type :
       {product_types::permuted_matrix, dense_family::block_plan, dense_family::block_tasks}) {
    catalogue.transfers.push_back(std::make_unique<TwinTransfer>(type, device));
  }
  StageSelection stages = catalogue.mode("dense").stages;
  stages.numeric = "twin-lu";
  const Chain chain = resolve_chain(catalogue, stages);
  const LinearSystem system = small_system(transposed);
  const SteadyClock clock;
  RunEnvironment environment{.clock = clock, .probe = &device};
  environment.make_vectors = [&](Side) { return std::make_unique<TwinVectors>(device); };
  environment.page_locked_memory = ordinary_memory;
  RunSettings settings;
  settings.refactoring = how;
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  RunRecord record;
  run.describe(record);
  for (int k = 0; k < 3; ++k) {
    const Sample sample = run.run_refactorization(k);
    std::vector<std::string> names;
    for (const PhaseTime& phase : sample.phases) names.push_back(phase.name);
    if (how.phases != PhaseTiming::none) {
      EXPECT_THAT(names, testing::ElementsAre("transfer", "numeric", "solve", "verify"));
    } else if (error == 0) {
      EXPECT_THAT(names, testing::ElementsAre("verify"));
    } else {  // what comes behind the one wait has phases of its own
      EXPECT_THAT(names, testing::ElementsAre("solve", "transfer", "verify"));
    }
    EXPECT_GT(sample.total_s, 0);
  }
  run.add_refactorizations(record);
  ASSERT_TRUE(record.verification && record.refactoring);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
  EXPECT_EQ(record.verification->refinement_steps.value_or(-1) > 0, error > 0);
  EXPECT_EQ(record.refactoring->values, to_string(how.values));
  EXPECT_EQ(record.refactoring->phases, to_string(how.phases));
}

TEST(QueuedRefactorization, GivesTheSolutionHoweverTheHostWaits) {
  for (const Side values : {Side::host, Side::device}) {
    for (const PhaseTiming phases : {PhaseTiming::waits, PhaseTiming::events, PhaseTiming::none}) {
      for (const double error : {0.0, 1e-4}) {
        SCOPED_TRACE(std::string(to_string(values)) + " " + std::string(to_string(phases)));
        for (const bool transposed : {false, true}) check({values, phases}, error, transposed);
      }
    }
  }
}

}  // namespace
}  // namespace lufact
