// SPDX-License-Identifier: BSD-3-Clause
// Entries of B that the device places in tiles of fronts have the places that the host gives them.
#include <gtest/gtest.h>

#include <stdexcept>

#include "core/fronts/front_stages.hpp"
#include "gpu/fronts/device_front_products.hpp"
#include "gpu/gpu.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu {
namespace {

using namespace testing_support;

class EntryPlaces : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
    for (auto& stage : symbolic_stages()) {
      if (stage->info().gives == product_types::front_tree) symbolic_ = std::move(stage);
    }
    ASSERT_NE(symbolic_, nullptr);
  }

  std::unique_ptr<SymbolicStage> symbolic_;
};

ProductPtr moved(const ProductPtr& product, StageContext& context) {
  for (const auto& transfer : make_front_transfers()) {
    if (transfer->type() == product->type() && transfer->from() == product->side()) {
      return transfer->run(product, context);
    }
  }
  return nullptr;
}

// The task graph on the device, for a tree that comes to the host with or without its entries.
std::shared_ptr<const DeviceTaskGraph> planned(StageHarness& harness, const ProductPtr& tree,
                                               bool entries_stay) {
  harness.context.entries_stay = entries_stay;
  const ProductPtr host = moved(tree, harness.context);
  const auto& on_host = product_cast<FrontTree>(*host);
  EXPECT_EQ(on_host.entries_there != nullptr, entries_stay);
  EXPECT_EQ(on_host.entry_source.empty() && on_host.entry_row.empty(),
            entries_stay || on_host.entries() == 0);
  const ProductPtr graph = make_task_graph_levelize()->run(host, harness.context);
  EXPECT_EQ(product_cast<TaskGraph>(*graph).entries(), on_host.entries());
  return std::dynamic_pointer_cast<const DeviceTaskGraph>(moved(graph, harness.context));
}

void expect_same_tasks(const std::vector<FrontTask>& tasks,
                       const std::vector<FrontTask>& expected) {
  ASSERT_EQ(tasks.size(), expected.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    SCOPED_TRACE(t);
    EXPECT_EQ(tasks[t].front, expected[t].front);
    EXPECT_EQ(tasks[t].tile_row, expected[t].tile_row);
    EXPECT_EQ(tasks[t].tile_column, expected[t].tile_column);
    EXPECT_EQ(tasks[t].entry_end - tasks[t].entry_begin,
              expected[t].entry_end - expected[t].entry_begin);
    if (expected[t].entry_begin == expected[t].entry_end) continue;  // wherever it has none
    EXPECT_EQ(tasks[t].entry_begin, expected[t].entry_begin);
  }
}

void expect_same_places(const SymbolicStage& symbolic, const StructureCase& structure) {
  SCOPED_TRACE(structure.name);
  StageHarness harness;
  const ProductPtr tree = symbolic.run(harness.upload(structure.matrix), harness.context);
  const auto expected = planned(harness, tree, false), graph = planned(harness, tree, true);
  EXPECT_EQ(graph->entry_source.download(), expected->entry_source.download());
  EXPECT_EQ(graph->entry_place.download(), expected->entry_place.download());
  expect_same_tasks(graph->factorization.task.download(), expected->factorization.task.download());
  EXPECT_FALSE(product_cast<DeviceFrontTree>(*tree).entries);
}

TEST_F(EntryPlaces, SanitizeAreThoseOfTheHost) {
  for (const StructureCase& structure : small_cases()) expect_same_places(*symbolic_, structure);
}

TEST_F(EntryPlaces, AreFoundOnceAndLeaveTheTree) {
  StageHarness harness;
  const ProductPtr tree =
      symbolic_->run(harness.upload(random_case(200, 1).matrix), harness.context);
  planned(harness, tree, true);
  harness.context.entries_stay = false;
  const ProductPtr later = moved(tree, harness.context);
  EXPECT_EQ(product_cast<FrontTree>(*later).entries_there, tree);
  const ProductPtr graph = make_task_graph_levelize()->run(later, harness.context);
  EXPECT_THROW(moved(graph, harness.context), std::logic_error);
}

// Fronts of many tiles, of pivots and of rows.
TEST_F(EntryPlaces, OfLargeFrontsAreThoseOfTheHost) {
  for (const StructureCase& structure :
       {random_case(2000, 1), chain(30000), entered_path(1200), dense_last_rows(1500, 5),
        late_hub(1500), arrow(2047, false)}) {
    expect_same_places(*symbolic_, structure);
  }
}

}  // namespace
}  // namespace lufact::gpu
