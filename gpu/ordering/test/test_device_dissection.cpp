// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection on the device, step by step and as a stage: the results of the host's threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/error.hpp"
#include "core/matrix/reader.hpp"
#include "core/matrix/test/real_matrices.hpp"
#include "core/order/dissection_ordering.hpp"
#include "core/order/test/dissection_patterns.hpp"
#include "gpu/gpu.hpp"
#include "gpu/ordering/contraction.hpp"
#include "gpu/ordering/device_partition_with_separator.hpp"
#include "gpu/ordering/dissection_ordering.hpp"
#include "gpu/ordering/graph_formation.hpp"
#include "gpu/runtime/device_query.hpp"
#include "gpu/runtime/session.hpp"
#include "gpu/test_support/busy_kernel.hpp"

namespace lufact::gpu {
namespace {

using testing::TestContext;

class DeviceDissection : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string fault = find_device_fault(0);
    if (!fault.empty()) GTEST_SKIP() << fault;
  }
};

OrderThresholds with_least(Index device_vertices) {
  OrderThresholds thresholds;
  thresholds.device_vertices = device_vertices;
  return thresholds;
}

// A patchwork of dense blocks on a path: long lists, and short ones beside them.
CsrPattern cliques(Index count, Index size) {
  testing::Cells cells;
  for (Index k = 0; k < count; ++k) {
    for (Index i = 0; i < size; ++i) {
      for (Index j = 0; j < size; ++j) {
        if ((i + j + k) % 3 != 0) cells[{k * size + i, k * size + j}] = 1;
      }
    }
    if (k > 0) cells[{k * size, k * size - 1}] = 1;
  }
  return testing::matrix_of(count * size, cells).pattern;
}

std::map<std::string, CsrPattern> patterns() {
  std::map<std::string, CsrPattern> all = testing::larger_patterns();
  all["cliques"] = cliques(9, 180);
  all["fine grid"] = testing::grid_matrix(190, 170).pattern;
  all["denser random"] = testing::random_matrix(1500, 25, 0, false, 9).pattern;
  return all;
}

// Of 401 to 500 vertices: more than the first partition is made of.
std::map<std::string, CsrPattern> small_patterns() {
  std::map<std::string, CsrPattern> all;
  all["path"] = testing::path_pattern(463);
  all["star"] = testing::star_pattern(441);
  all["grid"] = testing::grid_matrix(25, 19).pattern;
  all["archipelago"] = testing::archipelago(5, 9, 23);
  all["nothing"] = testing::matrix_of(449, {}).pattern;
  all["hubs"] = testing::grid_with_hubs(21);
  all["cliques"] = cliques(3, 160);
  all["random"] = testing::random_matrix(500, 4, 0, true, 5).pattern;
  return all;
}

Index hub_degree_of(const nd::Graph& graph) {
  const Offset average = graph.n == 0 ? 0 : nd::total_degree(graph, 1) / graph.n;
  return nd::saturated(std::max<Offset>(5 * average, 30));
}

void expect_same(const nd::Graph& found, const nd::Graph& expected) {
  ASSERT_EQ(found.n, expected.n);
  for (Index v = 0; v < found.n; ++v) {
    ASSERT_EQ(found.weight_of(v), expected.weight_of(v)) << v;
    ASSERT_TRUE(std::ranges::equal(found.neighbours(v), expected.neighbours(v))) << v;
    for (Index k = 0; k < found.degree[v]; ++k) {
      ASSERT_EQ(found.edge_weight_of(found.begin[v] + k),
                expected.edge_weight_of(expected.begin[v] + k))
          << v;
    }
  }
}

void expect_same(const nd::PartitionWithSeparator& found,
                 const nd::PartitionWithSeparator& expected) {
  EXPECT_EQ(found.partition.parts, expected.partition.parts);
  EXPECT_TRUE(std::ranges::equal(found.partition.part, expected.partition.part));
  EXPECT_TRUE(std::ranges::equal(found.separator.inside, expected.separator.inside));
  EXPECT_EQ(found.separator.vertices, expected.separator.vertices);
}

void expect_same_graphs(const std::map<std::string, CsrPattern>& graphs) {
  DeviceSession session({});
  for (const auto& [name, pattern] : graphs) {
    SCOPED_TRACE(name);
    const nd::Graph expected = nd::graph_of(pattern.view(), 2);
    const FormedGraph found = form_graph(session, pattern.view(), 2);
    expect_same(found.on_host, expected);
    expect_same(download(session, found.on_device), expected);
    EXPECT_EQ(found.on_device.edges, nd::total_degree(expected, 1));
  }
}

TEST_F(DeviceDissection, SanitizeFormsTheGraphOfTheHost) {
  expect_same_graphs(small_patterns());
  expect_same_graphs(testing::named_patterns());
}

TEST_F(DeviceDissection, FormsLargerGraphsOfTheHost) {
  expect_same_graphs(patterns());
}

// Coarsens three times by stars or by pairs, on both sides.
void expect_same_coarsening(DeviceSession& session, const CsrPattern& pattern, bool stars) {
  nd::Graph graph = nd::graph_of(pattern.view(), 2);
  DeviceGraph on_device = upload(session, graph, 2);
  Index hub_degree = hub_degree_of(graph);
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::vector<char> hubs;
    for (Index v = 0; v < graph.n; ++v) hubs.push_back(graph.degree[v] > hub_degree ? 1 : 0);
    const nd::ClusterRules rules{.left_out = hubs, .largest_weight = 24, .seed = step << 40};
    const nd::Clusters expected =
        stars ? nd::star_clusters(graph, rules, 2) : nd::matched_clusters(graph, rules, 2);
    const DeviceClusters found =
        find_clusters(session, on_device, {stars, hub_degree, rules.largest_weight, rules.seed});
    ASSERT_EQ(found.count, expected.count);
    ASSERT_TRUE(std::ranges::equal(found.cluster_of.download(), expected.cluster_of));
    graph = nd::contract(graph, expected, 2);
    on_device = contract(session, on_device, found);
    EXPECT_EQ(on_device.edges, nd::total_degree(graph, 1));
    expect_same(download(session, on_device), graph);
    hub_degree = graph.n;
  }
}

void expect_same_coarsening(const std::map<std::string, CsrPattern>& graphs) {
  DeviceSession session({});
  for (const auto& [name, pattern] : graphs) {
    for (const bool stars : {true, false}) {
      SCOPED_TRACE(name + (stars ? ", stars" : ", pairs"));
      expect_same_coarsening(session, pattern, stars);
    }
  }
}

TEST_F(DeviceDissection, SanitizeCoarsensAsTheHost) {
  expect_same_coarsening(small_patterns());
}

TEST_F(DeviceDissection, CoarsensLargerGraphsAsTheHost) {
  expect_same_coarsening(patterns());
}

void expect_same_divisions(const std::map<std::string, CsrPattern>& graphs) {
  DeviceSession session({});
  for (const auto& [name, pattern] : graphs) {
    const nd::Graph graph = nd::graph_of(pattern.view(), 2);
    for (const Index parts : {2, 16}) {
      SCOPED_TRACE(name + ", parts: " + std::to_string(parts));
      const nd::PartitionRules rules{parts, hub_degree_of(graph),
                                     static_cast<std::uint64_t>(parts)};
      TestContext test;
      const nd::PartitionWithSeparator expected =
          nd::partition_with_separator(graph, rules, 2, test.phases);
      // All levels on the device, or only the finest ones.
      for (const Index least : {0, graph.n / 3}) {
        const DevicePartitionWithSeparator found =
            partition_with_separator(session, graph, {}, rules, 2, test.phases, with_least(least));
        EXPECT_FALSE(found.levels.empty());
        expect_same(found.cut, expected);
      }
    }
  }
}

TEST_F(DeviceDissection, SanitizeDividesAsTheHost) {
  expect_same_divisions(small_patterns());
}

TEST_F(DeviceDissection, DividesLargerGraphsAsTheHost) {
  expect_same_divisions(patterns());
}

TEST_F(DeviceDissection, DividesTheSameBesideOtherKernels) {
  DeviceSession session({});
  const testing_support::OtherStream other;
  const nd::Graph graph = nd::graph_of(cliques(40, 60).view(), 2);
  const nd::PartitionRules rules{.parts = 16, .hub_degree = hub_degree_of(graph)};
  TestContext test;
  const nd::PartitionWithSeparator expected =
      nd::partition_with_separator(graph, rules, 2, test.phases);
  for (std::uint64_t run = 0; run < 100; ++run) {
    other.occupy_randomly(session.sm_count(), run);
    expect_same(
        partition_with_separator(session, graph, {}, rules, 2, test.phases, with_least(0)).cut,
        expected);
    if (HasFailure()) break;
  }
}

TEST_F(DeviceDissection, LeavesWhatIsSmallToTheHost) {
  DeviceSession session({});
  const nd::Graph graph = nd::graph_of(testing::grid_matrix(20, 20).pattern.view(), 1);
  for (const nd::PartitionRules rules :
       {nd::PartitionRules{.parts = 1, .hub_degree = 30}, {.parts = 4, .hub_degree = 30}}) {
    TestContext test;
    const DevicePartitionWithSeparator found =
        partition_with_separator(session, graph, {}, rules, 1, test.phases, {});
    EXPECT_TRUE(found.levels.empty());
    EXPECT_EQ(found.on_host, 400);
    expect_same(found.cut, nd::partition_with_separator(graph, rules, 1, test.phases));
  }
}

TEST_F(DeviceDissection, NamesWhatALimitDoesNotHold) {
  DeviceSession session({.device = 0, .memory_limit = std::uint64_t{1} << 18});
  TestContext test;
  test.context.device = &session;
  const CsrPattern grid = testing::grid_matrix(190, 170).pattern;
  try {
    make_dissection_ordering()->run(grid, test.context);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.outcome(), Outcome::oom_device);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("raise --device-memory-limit"));
  }
  EXPECT_EQ(session.ledger().report().in_use_bytes, 0u);
}

// The order of nd-parallel, every time.
void expect_order_of_the_host(DeviceSession& session, const CsrPattern& pattern) {
  TestContext host;
  const Ordering expected = lufact::make_dissection_ordering()->run(pattern, host.context);
  for (const int threads : {1, 3}) {
    TestContext test;
    test.options.threads = threads;
    test.context.device = &session;
    const Ordering found = make_dissection_ordering()->run(pattern, test.context);
    EXPECT_TRUE(std::ranges::equal(found.perm.old_of_new(), expected.perm.old_of_new()));
    EXPECT_EQ(found.parts, expected.parts);
    EXPECT_FALSE(found.postordered);
    ASSERT_EQ(test.notes.choices.size(), 2u);
    EXPECT_EQ(test.notes.choices.back().reason, host.notes.choices.back().reason);
  }
}

TEST_F(DeviceDissection, GivesTheOrderOfTheHostOnEveryPattern) {
  DeviceSession session({});
  for (const auto& graphs : {testing::named_patterns(), patterns()}) {
    for (const auto& [name, pattern] : graphs) {
      SCOPED_TRACE(name);
      expect_order_of_the_host(session, pattern);
    }
  }
}

TEST_F(DeviceDissection, RecordsWhatRanWhere) {
  DeviceSession session({});
  TestContext test;
  test.context.device = &session;
  make_dissection_ordering()->run(testing::grid_matrix(190, 170).pattern, test.context);
  const Choice& large = test.notes.choices.front();
  EXPECT_EQ(large.stage, "ordering/partition");
  EXPECT_EQ(large.chosen, "gpu");
  EXPECT_THAT(large.reason, ::testing::HasSubstr("32300"));
  TestContext again;
  again.context.device = &session;
  make_dissection_ordering()->run(testing::grid_matrix(12, 9).pattern, again.context);
  EXPECT_EQ(again.notes.choices.front().chosen, "host");
}

TEST_F(DeviceDissection, IsOfferedWhereItIsQuickerAndFits) {
  DeviceSession session({}), narrow({.device = 0, .memory_limit = std::uint64_t{1} << 20});
  const CsrPattern fine = testing::grid_matrix(190, 170).pattern;
  TestContext test;
  EXPECT_EQ(make_quicker_steps(fine, test.context), nullptr);
  test.context.device = &narrow;
  EXPECT_EQ(make_quicker_steps(fine, test.context), nullptr);
  test.context.device = &session;
  EXPECT_NE(make_quicker_steps(fine, test.context), nullptr);
  EXPECT_EQ(make_quicker_steps(testing::grid_matrix(12, 9).pattern, test.context), nullptr);
}

TEST_F(DeviceDissection, LeavesTheSeparatorOfLongListsToTheHost) {
  DeviceSession session({});
  for (const Index size : {400, 600}) {
    const nd::Graph graph = nd::graph_of(cliques(5, 3 * size / 2).view(), 2);
    const nd::PartitionRules rules{.parts = 4, .hub_degree = graph.n};
    TestContext test;
    const DevicePartitionWithSeparator found =
        partition_with_separator(session, graph, {}, rules, 2, test.phases, {});
    EXPECT_EQ(found.separator_on_host,
              nd::largest_degree(graph, 1) > OrderThresholds{}.device_list_edges);
    expect_same(found.cut, nd::partition_with_separator(graph, rules, 2, test.phases));
  }
}

TEST_F(DeviceDissection, GivesTheOrderOfTheHostOnRealMatrices) {
  const char* data = std::getenv("LUFACT_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "LUFACT_TEST_DATA is not set";
  const std::vector<std::string> paths = test::real_matrices(data);
  ASSERT_FALSE(paths.empty());
  DeviceSession session({});
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    expect_order_of_the_host(session, read_matrix(path, {}).matrix.pattern);
  }
}

}  // namespace
}  // namespace lufact::gpu
