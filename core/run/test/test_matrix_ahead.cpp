// SPDX-License-Identifier: BSD-3-Clause
// When a matrix goes to a device: before it is scaled, and not where the host places its entries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/pipeline/front_products.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/test/dense_family.hpp"

namespace lufact {
namespace {

using testing::ElementsAre;
using Events = std::vector<std::string>;

class NotedAhead final : public MatrixAhead {
 public:
  explicit NotedAhead(Events& events) : events_(events) { events_.push_back("start"); }
  ~NotedAhead() override { events_.push_back("end"); }

 private:
  Events& events_;
};

// A device whose memory is the host's.
class InPlace : public Transfer {
 public:
  InPlace(ProductType type, Side from) : type_(type), from_(from) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return from_; }
  Side to() const noexcept override { return from_ == Side::host ? Side::device : Side::host; }
  ProductPtr run(const ProductPtr& product, StageContext&) const override { return product; }

 private:
  ProductType type_;
  Side from_;
};

class MatrixInPlace final : public InPlace, public TransferAhead {
 public:
  explicit MatrixInPlace(Events& events)
      : InPlace(product_types::permuted_matrix, Side::host), events_(events) {}
  ProductPtr run(const ProductPtr& product, StageContext& context) const override {
    events_.push_back(context.ahead == nullptr ? "brought" : "taken");
    return product;
  }
  std::unique_ptr<MatrixAhead> start(const CsrMatrix&, StageContext&) const override {
    return std::make_unique<NotedAhead>(events_);
  }

 private:
  Events& events_;
};

class NotedScaling final : public ScalingStage {
 public:
  NotedScaling(Events& events, bool fails) : events_(events), fails_(fails) {}
  const StageInfo& info() const noexcept override { return inner_->info(); }
  Matching run(const CsrMatrix& a, StageContext& context) const override {
    events_.push_back("scale");
    if (fails_) throw Error(Outcome::singular_structural, "test", "no matching");
    return inner_->run(a, context);
  }

 private:
  std::unique_ptr<ScalingStage> inner_ = std::move(scaling_stages().front());
  Events& events_;
  bool fails_;
};

// Stages of a family whose symbolic product is of any type. Nothing goes beyond it.
class AnyPlan final : public SymbolicStage {
 public:
  AnyPlan(Side side, ProductType gives) {
    info_.side = side;
    info_.gives = gives;
  }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr&, StageContext&) const override { return nullptr; }

 private:
  StageInfo info_{.name = "any-plan",
                  .description = "no plan",
                  .source = "core/run/test",
                  .takes = {product_types::permuted_matrix},
                  .gives = {}};
};

class AnyTasks final : public LevelizeStage {
 public:
  explicit AnyTasks(ProductType takes) { info_.takes = {takes}; }
  const StageInfo& info() const noexcept override { return info_; }
  ProductPtr run(const ProductPtr&, StageContext&) const override { return nullptr; }

 private:
  StageInfo info_{.name = "any-tasks",
                  .description = "no tasks",
                  .source = "core/run/test",
                  .takes = {},
                  .gives = dense_family::block_tasks};
};

class AnyFactors final : public NumericStage {
 public:
  explicit AnyFactors(ProductType plan) {
    info_.takes = {product_types::permuted_matrix, plan, dense_family::block_tasks};
  }
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr&, const ProductPtr&, const ProductPtr&,
                               StageContext&) const override {
    return nullptr;
  }
  std::uint64_t resident_bytes(Index, Offset, Offset, Index, Precision) const override { return 0; }

 private:
  StageInfo info_{.name = "any-factors",
                  .description = "no factors",
                  .source = "core/run/test",
                  .takes = {},
                  .gives = dense_family::block_factors,
                  .solve_methods = {"none"}};
};

struct Case {
  Side symbolic = Side::device;
  ProductType plan = product_types::front_tree;
  Index n = 20'000;
  std::uint64_t room = std::uint64_t{1} << 30;
  bool fails = false;
};

Events events_of(const Case& one) {
  Events events;
  {
    Catalogue catalogue;
    catalogue.scaling.push_back(std::make_unique<NotedScaling>(events, one.fails));
    catalogue.ordering = ordering_stages();
    catalogue.symbolic.push_back(std::make_unique<AnyPlan>(one.symbolic, one.plan));
    catalogue.levelize.push_back(std::make_unique<AnyTasks>(one.plan));
    catalogue.numeric.push_back(std::make_unique<AnyFactors>(one.plan));
    catalogue.transfers.push_back(std::make_unique<MatrixInPlace>(events));
    for (const Side from : {Side::host, Side::device}) {
      catalogue.transfers.push_back(std::make_unique<InPlace>(one.plan, from));
    }
    StageSelection stages;
    stages.scaling = catalogue.scaling.front()->info().name;
    stages.symbolic = "any-plan";
    stages.levelize = "any-tasks";
    stages.numeric = "any-factors";
    const Chain chain = resolve_chain(catalogue, stages);
    LinearSystem system;
    system.input.matrix = generate_matrix({"circuit", {{"n", one.n}}, 3});
    const SteadyClock clock;
    RunEnvironment environment{.clock = clock};
    environment.device_room = [&one] { return one.room; };
    RunSettings settings;
    settings.until = Until::symbolic;
    PipelineRun run(catalogue, chain, system, settings, environment);
    if (one.fails) {
      EXPECT_THROW(run.run_repetition(0), Error);
    } else {
      run.run_repetition(0);
    }
  }
  return events;
}

TEST(MatrixAhead, GoesToTheDeviceThatPlacesItsEntriesBeforeItIsScaled) {
  EXPECT_THAT(events_of({}), ElementsAre("start", "scale", "taken", "end"));
}

TEST(MatrixAhead, StaysWhereTheHostPlacesItsEntries) {
  EXPECT_THAT(events_of({.symbolic = Side::host}), ElementsAre("scale"));
  EXPECT_THAT(events_of({.n = 1'000}), ElementsAre("scale", "brought"));
  EXPECT_THAT(events_of({.room = 1'000'000}), ElementsAre("scale", "brought"));
}

TEST(MatrixAhead, StaysWhereTheCopyIsTimedByItself) {
  EXPECT_THAT(events_of({.plan = product_types::column_pattern}), ElementsAre("scale", "brought"));
}

TEST(MatrixAhead, IsLetGoWhereARunFails) {
  EXPECT_THAT(events_of({.fails = true}), ElementsAre("start", "scale", "end"));
}

}  // namespace
}  // namespace lufact
