// SPDX-License-Identifier: BSD-3-Clause
// Options of the GSoFa search and of supernodes.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/types.hpp"

namespace lufact {

// Supernodes of rows, found with or behind a symbolic stage that gives a column pattern.
enum class SupernodeRule { automatic, t3, off };  // automatic: t3 with GSoFa, else off
std::string_view to_string(SupernodeRule rule) noexcept;

enum class GsofaLayout {
  paper,   // maxId and fill of GSoFa's Table 2
  merged,  // a fill vertex is one whose maxId is the bottom of the window; beyond the source a bit
};
std::string_view to_string(GsofaLayout layout) noexcept;

// #C, the sources in flight on a device.
struct GsofaConcurrencyOption {
  enum class Rule { automatic, paper, fixed } rule = Rule::automatic;
  Offset sources = 0;  // fixed
};

// How the chunks of the matrix go to nodes, and the rows of a node's chunks to its devices (GSoFa
// section 5).
enum class GsofaInter { interleave, block };  // chunks one by one; or a run of them for each node
std::string_view to_string(GsofaInter inter) noexcept;
enum class GsofaIntra { rows, chunks };  // rows one by one, or chunks whole
std::string_view to_string(GsofaIntra intra) noexcept;

// A machine that is not there: its slices run one after the other on one device.
struct GsofaMachine {
  Index nodes = 1, devices = 1;  // devices of each node
};

struct GsofaOptions {
  Index chunk_size = 128;   // of rows; the largest supernode
  bool windows = true;      // section 4: value windows in place of a fresh maxId for every source
  bool fill_first = false;  // line 9.5
  GsofaLayout layout = GsofaLayout::paper;
  GsofaConcurrencyOption concurrency;
  bool external = true, bubbles = true, dynamic = true;  // section 6
  std::optional<Offset> queue;                           // entries; empty: what the budget leaves
  // Bytes of the one array of section 6; empty: half of what the device limit leaves.
  std::optional<std::uint64_t> budget;
  GsofaInter inter = GsofaInter::interleave;
  GsofaIntra intra = GsofaIntra::rows;
  std::optional<GsofaMachine> simulated;
  bool profile = false;  // count iterations, edges and frontiers of every source
};

}  // namespace lufact
