// SPDX-License-Identifier: BSD-3-Clause
// What a GSoFa search and the search for supernodes tell of themselves, for the record.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Sources in flight on a device, #C: as asked for, as they were, and what decided.
struct GsofaConcurrency {
  std::string requested;  // "auto" | "paper" | a number
  Offset least = 0, most = 0;
  std::string bound;  // "memory" | "cache" | "occupancy" | "rows" | "option"
};

// Shares are of n * #C entries, as Table 3 of GSoFa counts, whatever was allocated.
struct GsofaQueue {
  Offset capacity = 0;  // entries
  double mean_share = 0, peak_share = 0;
  Offset spills = 0, spilled_entries = 0;
  std::uint64_t bytes_out = 0, bytes_in = 0;
};

struct GsofaBytes {
  std::uint64_t matrix = 0, max_id = 0, fill = 0, queues = 0, trackers = 0;
  std::uint64_t by_table2 = 0;  // 24 n #C
};

struct GsofaNotes {
  bool windows = true, fill_first = false;
  bool external = true, bubbles = true, dynamic = true;
  std::string layout;  // "paper" | "merged"
  Index chunk_size = 0;
  std::uint64_t budget_bytes = 0;
  GsofaConcurrency concurrency;
  Offset batches = 0, iterations = 0, edges_checked = 0;
  std::optional<double> edges_per_s;  // edges_checked over the time of the search
  Offset enqueued = 0, enqueued_again = 0, reinitialisations = 0;
  std::optional<double> reinitialise_s;
  GsofaQueue queue;
  GsofaBytes bytes;
};

// One entry a row, or a range of rows where there are more than 4096.
struct GsofaSources {
  std::vector<Offset> first_row, rows;
  std::vector<double> mean_frontier;
  std::vector<Offset> iterations, edges;
};

// What one device of one node did in a search that several share.
struct DistributionSlice {
  Index node = 0, device = 0;       // of the node, from 0
  std::optional<std::string> uuid;  // of the card it ran on
  Offset sources = 0, edges_checked = 0;
  double search_s = 0;      // from its plan to its last row
  double supernodes_s = 0;  // its rows' records, and what it did with those of others
  double wait_s = 0;        // from its last row to that of the slowest device
  std::uint64_t device_peak_bytes = 0;
};

// One process of a search that several share; its number is that of its node.
struct DistributionRank {
  std::string host;
  std::uint64_t host_peak_bytes = 0;  // the largest resident set of the process so far
};

// A search on several devices, or on several ranks.
struct DistributionNotes {
  Index nodes = 1, devices_per_node = 1;
  std::string inter, intra;  // "interleave" | "block"; "rows" | "chunks"
  // What supernodes across devices are found in: "bits"; "none": no chunk is on several.
  std::string shared;
  std::string transport;     // to the first device: "peer" | "host" | "device" | "mpi" | "nccl"
  bool peer_access = false;  // of the first device to all others
  bool simulated = false;    // slices ran one after the other on one device
  std::optional<double> simulated_s;  // slowest slice and the exchange, had they run side by side
  std::optional<double> exchange_bytes_per_s;  // that simulated_s was made with, measured
  double imbalance = 1;                        // slowest search over the mean one
  std::uint64_t exchange_bytes = 0;  // counts, rows and records that left the device they were on
  std::vector<DistributionRank> ranks;  // one for each node; empty in one process
  std::vector<DistributionSlice> slices;
};

struct SupernodeNotes {
  std::string rule;  // "t3"
  Index max_size = 0;
  Offset count = 0, largest = 0, rows_in_larger = 0;  // rows in supernodes of more than one row
  std::vector<Offset> sizes, counts;                  // histogram, sizes ascending
  std::string sha256;                                 // of the row pointers
};

}  // namespace lufact
