// SPDX-License-Identifier: BSD-3-Clause
// Fronts that were found on the device while the back end, or its choice, is on the host: a
// stand-in for the device, so that it needs none.
#include <gtest/gtest.h>

#include "core/cpu/host_vectors.hpp"
#include "core/cpu/test/stage_harness.hpp"
#include "core/fronts/back_end_selector.hpp"
#include "core/fronts/front_stages.hpp"
#include "core/pipeline/pipeline_run.hpp"
#include "core/preprocess/ordering_stages.hpp"
#include "core/preprocess/scaling_stages.hpp"
#include "core/verify/front_handlers.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

// A host product that says it is on the device.
struct Elsewhere final : Product {
  explicit Elsewhere(ProductPtr product) : host(std::move(product)) {}
  ProductType type() const noexcept override { return host->type(); }
  Side side() const noexcept override { return Side::device; }
  ProductPtr host;
};

class FrontsElsewhere final : public SymbolicStage {
 public:
  FrontsElsewhere() : info_(stage_->info()) { info_.side = Side::device; }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr& matrix, StageContext& context) const override {
    return std::make_shared<Elsewhere>(stage_->run(product_cast<Elsewhere>(*matrix).host, context));
  }

 private:
  std::unique_ptr<SymbolicStage> stage_ = make_cpu_fronts_symbolic();
  StageInfo info_;
};

class CountingTransfer final : public Transfer {
 public:
  CountingTransfer(ProductType type, Side from, int& runs)
      : type_(type), from_(from), runs_(runs) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return from_; }
  Side to() const noexcept override { return from_ == Side::host ? Side::device : Side::host; }
  ProductPtr run(const ProductPtr& product, StageContext&) const override {
    ++runs_;
    if (from_ == Side::device) return product_cast<Elsewhere>(*product).host;
    return std::make_shared<Elsewhere>(product);
  }

 private:
  ProductType type_;
  Side from_;
  int& runs_;
};

struct Copies {
  int uploads = 0, downloads = 0;
};

Catalogue catalogue_with(Copies& copies) {
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  catalogue.symbolic.push_back(std::make_unique<FrontsElsewhere>());
  catalogue.levelize.push_back(make_subtrees_levelize());
  catalogue.levelize.push_back(make_task_graph_levelize());
  catalogue.numeric.push_back(make_cpu_multifrontal_numeric());
  catalogue.handlers = front_product_handlers();
  const auto none = [](const FrontTree&, const StageOptions&) { return FrontForecast{}; };
  catalogue.back_ends.push_back(make_front_back_end_selector(
      {{{"subtrees", "cpu-multifrontal"}, none}, {{"subtrees", "cpu-multifrontal"}, none}}));
  catalogue.transfers.push_back(std::make_unique<CountingTransfer>(product_types::permuted_matrix,
                                                                   Side::host, copies.uploads));
  catalogue.transfers.push_back(std::make_unique<CountingTransfer>(product_types::front_tree,
                                                                   Side::device, copies.downloads));
  return catalogue;
}

LinearSystem small_system() {
  LinearSystem system;
  system.input.matrix = test::random_matrix(120, 3, 4);
  system.x_true = make_x_true(120, 1, 1);
  system.b = multiply(system.input.matrix, system.x_true, 1);
  system.matrix_norm = 8;
  return system;
}

// One repetition and one refactorization.
void expect_one_copy_each(const std::string& levelize, const std::string& numeric) {
  SCOPED_TRACE(levelize);
  Copies copies;
  const Catalogue catalogue = catalogue_with(copies);
  StageSelection selection;
  selection.symbolic = "cpu-fronts";
  selection.levelize = levelize;
  selection.numeric = numeric;
  const Chain chain = resolve_chain(catalogue, selection);
  const LinearSystem system = small_system();
  const SteadyClock clock;
  const RunEnvironment environment{
      clock, nullptr, nullptr, nullptr, [](Side) { return make_host_vector_backend(1); }, {}};
  const RunSettings settings;
  PipelineRun run(catalogue, chain, system, settings, environment);
  run.run_repetition(0);
  EXPECT_EQ(copies.uploads, 1);
  EXPECT_EQ(copies.downloads, 1);
  run.run_refactorization(0);
  EXPECT_EQ(copies.uploads + copies.downloads, 2);
  RunRecord record;
  run.describe(record);
  run.add_refactorizations(record);
  EXPECT_TRUE(record.verification->passed) << record.verification->message;
}

TEST(TreeFromDevice, ComesToTheHostOnceAndTheMatrixIsThereAllTheTime) {
  expect_one_copy_each("subtrees", "cpu-multifrontal");
  expect_one_copy_each("select", "select");
}

}  // namespace
}  // namespace lufact
