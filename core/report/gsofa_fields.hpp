// SPDX-License-Identifier: BSD-3-Clause
// The keys of the sections on GSoFa and on supernodes, in the order of the result file.
#pragma once
#include "core/pipeline/gsofa_notes.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

void visit_fields(auto&& field, Is<GsofaConcurrency> auto& concurrency) {
  field("requested", concurrency.requested);
  field("least", concurrency.least);
  field("most", concurrency.most);
  field("bound", concurrency.bound);
}

void visit_fields(auto&& field, Is<GsofaQueue> auto& queue) {
  field("capacity", queue.capacity);
  field("mean_share", queue.mean_share);
  field("peak_share", queue.peak_share);
  field("spills", queue.spills);
  field("spilled_entries", queue.spilled_entries);
  field("bytes_out", queue.bytes_out);
  field("bytes_in", queue.bytes_in);
}

void visit_fields(auto&& field, Is<GsofaBytes> auto& bytes) {
  field("matrix", bytes.matrix);
  field("max_id", bytes.max_id);
  field("fill", bytes.fill);
  field("queues", bytes.queues);
  field("trackers", bytes.trackers);
  field("by_table2", bytes.by_table2);
}

void visit_fields(auto&& field, Is<GsofaNotes> auto& gsofa) {
  field("windows", gsofa.windows);
  field("fill_first", gsofa.fill_first);
  field("layout", gsofa.layout);
  field("external", gsofa.external);
  field("bubbles", gsofa.bubbles);
  field("dynamic", gsofa.dynamic);
  field("chunk_size", gsofa.chunk_size);
  field("budget_bytes", gsofa.budget_bytes);
  field("concurrency", gsofa.concurrency);
  field("batches", gsofa.batches);
  field("iterations", gsofa.iterations);
  field("edges_checked", gsofa.edges_checked);
  field("edges_per_s", gsofa.edges_per_s);
  field("enqueued", gsofa.enqueued);
  field("enqueued_again", gsofa.enqueued_again);
  field("reinitialisations", gsofa.reinitialisations);
  field("reinitialise_s", gsofa.reinitialise_s);
  field("queue", gsofa.queue);
  field("bytes", gsofa.bytes);
}

void visit_fields(auto&& field, Is<DistributionSlice> auto& slice) {
  field("node", slice.node);
  field("device", slice.device);
  field("uuid", slice.uuid);
  field("sources", slice.sources);
  field("edges_checked", slice.edges_checked);
  field("search_s", slice.search_s);
  field("supernodes_s", slice.supernodes_s);
  field("wait_s", slice.wait_s);
  field("device_peak_bytes", slice.device_peak_bytes);
}

void visit_fields(auto&& field, Is<DistributionRank> auto& rank) {
  field("host", rank.host);
  field("host_peak_bytes", rank.host_peak_bytes);
}

void visit_fields(auto&& field, Is<DistributionNotes> auto& distribution) {
  field("nodes", distribution.nodes);
  field("devices_per_node", distribution.devices_per_node);
  field("inter", distribution.inter);
  field("intra", distribution.intra);
  field("shared", distribution.shared);
  field("transport", distribution.transport);
  field("peer_access", distribution.peer_access);
  field("simulated", distribution.simulated);
  field("simulated_s", distribution.simulated_s);
  field("exchange_bytes_per_s", distribution.exchange_bytes_per_s);
  field("imbalance", distribution.imbalance);
  field("exchange_bytes", distribution.exchange_bytes);
  field("ranks", distribution.ranks, added_later);
  field("slices", distribution.slices);
}

void visit_fields(auto&& field, Is<SupernodeNotes> auto& supernodes) {
  field("rule", supernodes.rule);
  field("max_size", supernodes.max_size);
  field("count", supernodes.count);
  field("largest", supernodes.largest);
  field("rows_in_larger", supernodes.rows_in_larger);
  field("sizes", supernodes.sizes);
  field("counts", supernodes.counts);
  field("sha256", supernodes.sha256);
}

void visit_fields(auto&& field, Is<GsofaSources> auto& sources) {
  field("first_row", sources.first_row);
  field("rows", sources.rows);
  field("mean_frontier", sources.mean_frontier);
  field("iterations", sources.iterations);
  field("edges", sources.edges);
}

}  // namespace lufact
