// SPDX-License-Identifier: BSD-3-Clause
// Settings of the GSoFa search, and matrices that strain it beside those of all symbolic stages.
#pragma once
#include <string>
#include <vector>

#include "core/pipeline/gsofa_options.hpp"
#include "gpu/symbolic/test/structure_cases.hpp"

namespace lufact::gpu::testing_support {

struct GsofaSetting {
  std::string name;
  GsofaOptions options;
};

// One vertex whose maxId falls m times, each time in an iteration of its own: a path of small
// vertices reaches it through larger vertices, which become smaller with the length of the path.
inline StructureCase falling_maximum(Index m) {
  const Index target = m, source = 2 * m + 1;
  std::vector<test::Triplet> triplets{{source, 0, 1}, {target, target + 1, 1}};
  for (Index i = 0; i < m; ++i) {
    const Index high = 2 * m - i;
    if (i + 1 < m) triplets.push_back({i, i + 1, 1});
    triplets.push_back({i, high, 1});
    triplets.push_back({high, target, 1});
  }
  return make_case("falling_maximum_" + std::to_string(m), 2 * m + 2, triplets);
}

// m vertices find the same vertex in one iteration, each with another maximum; a path goes on from
// there.
inline StructureCase fan(Index m) {
  const Index n = 2 * m + 2;
  std::vector<test::Triplet> triplets;
  for (Index i = 1; i <= m; ++i) {
    triplets.push_back({n - 1, i, 1});
    triplets.push_back({i, 0, 1});
    triplets.push_back({m + i - 1, m + i, 1});
  }
  triplets.push_back({0, m, 1});
  return make_case("fan_" + std::to_string(m), n, triplets);
}

// Every later row reaches `hubs` vertices whose rows have `length` entries, so that more long rows
// are expanded at once than a block takes down; each entry leads to one beyond the hubs, and the
// last row is long itself.
inline StructureCase long_rows(Index n, Index hubs, Index length) {
  std::vector<test::Triplet> triplets;
  for (Index hub = length; hub < length + hubs; ++hub) {
    for (Index v = 0; v < length; ++v) triplets.push_back({hub, v, 1});
    for (Index row = length + hubs; row < n; ++row) triplets.push_back({row, hub, 1});
  }
  for (Index v = 0; v < length; ++v) {
    triplets.push_back({v, length + hubs + 7 * v % (n - length - hubs), 1});
    triplets.push_back({n - 1, v, 1});
  }
  return make_case("long_rows_" + std::to_string(n), n, triplets);
}

inline std::vector<StructureCase> straining_cases() {
  std::vector<StructureCase> cases = small_cases();
  for (const Index m : {1, 5, 40, 200}) {
    cases.push_back(falling_maximum(m));
    cases.push_back(fan(m));
  }
  return cases;
}

inline GsofaSetting setting(std::string name, GsofaLayout layout) {
  GsofaSetting made{std::move(name), {}};
  made.options.layout = layout;
  made.name = std::string(to_string(layout)) + ", " + made.name;
  return made;
}

inline std::vector<GsofaLayout> gsofa_layouts() {
  return {GsofaLayout::paper, GsofaLayout::merged};
}

// Every switch in both layouts; sources in flight from one to more than a chunk; tiny queues.
inline std::vector<GsofaSetting> gsofa_settings() {
  using Rule = GsofaConcurrencyOption::Rule;
  std::vector<GsofaSetting> settings;
  for (const GsofaLayout layout : gsofa_layouts()) {
    const auto add = [&](const std::string& name) -> GsofaOptions& {
      return settings.emplace_back(setting(name, layout)).options;
    };
    add("defaults");
    add("windows off").windows = false;
    if (layout == GsofaLayout::paper) add("fill first").fill_first = true;
    add("the paper's concurrency").concurrency = {Rule::paper, 0};
    add("profile").profile = true;
    {
      GsofaOptions& options = add("space none");
      options.external = options.bubbles = options.dynamic = false;
    }
    {
      GsofaOptions& options = add("space external");
      options.bubbles = options.dynamic = false;
    }
    add("space external, bubbles").dynamic = false;
    for (const Offset sources : {1, 7, 64, 300}) {
      add("concurrency " + std::to_string(sources)).concurrency = {Rule::fixed, sources};
    }
    for (const Offset entries : {1, 2, 33}) {
      GsofaOptions& options = add("queue of " + std::to_string(entries));
      options.queue = entries;
      options.concurrency = {Rule::fixed, 50};
    }
    {
      GsofaOptions& options = add("chunks of 100, 30 sources");
      options.chunk_size = 100;
      options.concurrency = {Rule::fixed, 30};
    }
  }
  return settings;
}

}  // namespace lufact::gpu::testing_support
