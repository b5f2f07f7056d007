// SPDX-License-Identifier: BSD-3-Clause
// What is left to factors of a device's free memory, less what comes behind them.
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/generate/generate.hpp"
#include "core/match/scaling_stages.hpp"
#include "core/order/ordering_stages.hpp"
#include "core/run/pipeline_run.hpp"
#include "core/run/test/dense_family.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

constexpr std::uint64_t free_bytes = std::uint64_t{1} << 30;

// A device whose memory is the host's.
class InPlace final : public Transfer {
 public:
  explicit InPlace(ProductType type) : type_(type) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return Side::host; }
  Side to() const noexcept override { return Side::device; }
  ProductPtr run(const ProductPtr& product, StageContext&) const override { return product; }

 private:
  ProductType type_;
};

// Notes the room that it is told of and goes no further.
class RoomNumeric final : public NumericStage {
 public:
  explicit RoomNumeric(std::uint64_t& room) : room_(room) {}
  const StageInfo& info() const noexcept override { return info_; }
  std::shared_ptr<Factors> run(const ProductPtr&, const ProductPtr&, const ProductPtr&,
                               StageContext& context) const override {
    room_ = context.device_room.value();
    throw Error(Outcome::oom_device, "test", "the room is known");
  }
  std::uint64_t resident_bytes(Index, Offset, Offset, Index, Precision) const override { return 0; }

 private:
  StageInfo info_{.name = "room",
                  .description = "what is free on a device",
                  .source = "core/run/test",
                  .side = Side::device,
                  .takes = {product_types::permuted_matrix, dense_family::block_plan,
                            dense_family::block_tasks},
                  .gives = dense_family::block_factors,
                  .solve_methods = {"none"}};
  std::uint64_t& room_;
};

std::uint64_t room_of(const LinearSystem& system) {
  std::uint64_t room = 0;
  Catalogue catalogue;
  catalogue.scaling = scaling_stages();
  catalogue.ordering = ordering_stages();
  dense_family::add_to(catalogue);
  catalogue.numeric.push_back(std::make_unique<RoomNumeric>(room));
  for (const ProductType type :
       {product_types::permuted_matrix, dense_family::block_plan, dense_family::block_tasks}) {
    catalogue.transfers.push_back(std::make_unique<InPlace>(type));
  }
  StageSelection stages = catalogue.mode("dense").stages;
  stages.numeric = "room";
  const Chain chain = resolve_chain(catalogue, stages);
  const SteadyClock clock;
  RunEnvironment environment{.clock = clock};
  environment.device_room = [] { return free_bytes; };
  RunSettings settings;
  settings.until = Until::numeric;
  PipelineRun run(catalogue, chain, system, settings, environment);
  EXPECT_THROW(run.run_repetition(0), Error);
  return room;
}

TEST(RoomForFactors, IsLessByVectorsAndByTheTransposeWhereItIsSolvedWith) {
  LinearSystem system;
  system.input.matrix = generate_matrix({"circuit", {{"n", 400}}, 3});
  const auto& pattern = system.input.matrix.pattern;
  const auto n = static_cast<std::uint64_t>(pattern.n_rows);
  const auto nnz = static_cast<std::uint64_t>(pattern.nnz());
  const std::uint64_t room = room_of(system);
  EXPECT_LT(room, free_bytes);
  system.transposed = true;
  // Row pointers; values, columns and places; rows, numbers and as much again for the sort.
  EXPECT_EQ(room - room_of(system), (n + 1) * 8 + nnz * (8 + 4 + 4 + 4 + 4 + 8));
  system.transposed = false;
  system.rhs = 64;
  EXPECT_EQ(room - room_of(system), 5 * n * 63 * 8);
}

}  // namespace
}  // namespace lufact
