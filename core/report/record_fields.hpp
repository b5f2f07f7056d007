// SPDX-License-Identifier: BSD-3-Clause
// The keys of the sections of a run, in the order of the result file. Sections whose keys do not
// map one to one to members are written by hand in record_json.cpp.
#pragma once
#include "core/pipeline/record.hpp"
#include "core/report/gsofa_fields.hpp"
#include "core/report/json_codec.hpp"
#include "core/report/memory_fields.hpp"

namespace lufact {

void visit_fields(auto&& field, Is<PhaseTime> auto& phase) {
  field("name", phase.name);
  field("wall_s", phase.wall_s);
  field("gpu_s", phase.gpu_s);
  field("bytes_h2d", phase.bytes_h2d);
  field("bytes_d2h", phase.bytes_d2h);
  field("control_reads", phase.control_reads);
  field("peak_device_bytes", phase.peak_device_bytes);
}

void visit_fields(auto&& field, Is<CorePace> auto& pace) {
  field("processor", pace.processor);
  field("independent_s", pace.independent_s);
  field("dependent_s", pace.dependent_s);
}

void visit_fields(auto&& field, Is<HostUse> auto& use) {
  field("elapsed_s", use.elapsed_s);
  field("own_s", use.own_s);
  field("foreign_s", use.foreign_s);
  field("stolen_s", use.stolen_s);
  field("waited_s", use.waited_s);
  field("throttled_s", use.throttled_s);
  field("involuntary_switches", use.involuntary_switches);
  field("page_faults", use.page_faults, added_later);
  field("core_before", use.core_before, added_later);
  field("core_after", use.core_after, added_later);
}

void visit_fields(auto&& field, Is<HostState> auto& state) {
  field("threads", state.threads);
  field("processors", state.processors);
  field("processor_list", state.processor_list);
  field("quota", state.quota);
  field("governor", state.governor);
  field("environment", state.environment);
  field("load_before", state.load_before);
  field("load_after", state.load_after);
  field("foreign_processors", state.foreign_processors);
  field("stolen_share", state.stolen_share);
  field("waited_share", state.waited_share);
  field("throttled_share", state.throttled_share);
  field("involuntary_switches", state.involuntary_switches);
  field("watched_s", state.watched_s, added_later);
  field("other_processors", state.other_processors, added_later);
  field("other_processors_elsewhere", state.other_processors_elsewhere, added_later);
}

void visit_fields(auto&& field, Is<SamplingRecord> auto& sampling) {
  field("repetitions", sampling.repetitions);
  field("max_repetitions", sampling.max_repetitions);
  field("min_time_s", sampling.min_time_s);
  field("max_noise_percent", sampling.max_noise_percent);
  field("ended_by", sampling.ended_by);
  field("spread_percent", sampling.spread_percent);
  field("noise_percent", sampling.noise_percent);
  field("turn_warmups", sampling.turn_warmups, added_later);
}

void visit_fields(auto&& field, Is<RefactoringRecord> auto& refactoring) {
  field("values", refactoring.values);
  field("phases", refactoring.phases);
}

void visit_fields(auto&& field, Is<Sample> auto& sample) {
  field("repetition", sample.repetition);
  field("total_s", sample.total_s);
  field("unattributed_s", sample.unattributed_s);
  field("phases", sample.phases);
  field("host", sample.host, added_later);
}

void visit_fields(auto&& field, Is<InputRecord> auto& input) {
  field("name", input.name);
  field("path", input.path);
  field("sha256", input.sha256);
  field("reading", input.reading);
  field("entries", input.entries);
}

void visit_fields(auto&& field, Is<Warning> auto& warning) {
  field("code", warning.code);
  field("message", warning.message);
}

void visit_fields(auto&& field, Is<ErrorRecord> auto& error) {
  field("code", error.code);
  field("message", error.message);
  field("phase", error.phase);
}

void visit_fields(auto&& field, Is<Choice> auto& choice) {
  field("stage", choice.stage);
  field("chosen", choice.chosen);
  field("candidates", choice.candidates);
  field("reason", choice.reason);
}

void visit_fields(auto&& field, Is<PipelineRecord> auto& pipeline) {
  field("scaling", pipeline.scaling);
  field("ordering", pipeline.ordering);
  field("symbolic", pipeline.symbolic);
  field("levelize", pipeline.levelize);
  field("dependency", pipeline.dependency);
  field("numeric", pipeline.numeric);
  field("solve", pipeline.solve);
  field("precision", pipeline.precision);
  field("postorder", pipeline.postorder);
  field("peer", pipeline.peer);
  field("choices", pipeline.choices);
}

void visit_fields(auto&& field, Is<PeerRecord> auto& peer) {
  field("library", peer.library);
  field("version", peer.version);
  field("threads", peer.threads);
  field("settings", peer.settings);
  field("fused", peer.fused);
  field("nnz_lu", peer.nnz_lu);
  field("perturbed_pivots", peer.perturbed_pivots);
}

void visit_fields(auto&& field, Is<LevelsByRule> auto& levels) {
  field("glu1", levels.glu1);
  field("exact", levels.exact);
  field("relaxed", levels.relaxed);
}

void visit_fields(auto&& field, Is<FactorsRecord> auto& factors) {
  field("pattern", factors.pattern);
  field("pattern_sha256", factors.pattern_sha256);
  field("levels_sha256", factors.levels_sha256);
  field("values_sha256", factors.values_sha256);
  field("pivots_sha256", factors.pivots_sha256, added_later);
  field("nnz_l", factors.nnz_l);
  field("nnz_u", factors.nnz_u);
  field("nnz_exact", factors.nnz_exact);
  field("fill_in", factors.fill_in);
  field("fill_ratio", factors.fill_ratio);
  field("flops", factors.flops);
  field("flops_per_nnz", factors.flops_per_nnz);
  field("levels", factors.levels);
  field("levels_by_rule", factors.levels_by_rule);
  field("max_level_width", factors.max_level_width);
  field("supernodes", factors.supernodes);
  field("fronts", factors.fronts);
  field("tasks", factors.tasks);
  field("critical_path", factors.critical_path);
}

void visit_fields(auto&& field, Is<LevelKernelCounts> auto& counts) {
  field("small_block", counts.small_block);
  field("large_block", counts.large_block);
  field("stream", counts.stream);
}

void visit_fields(auto&& field, Is<SuspectPivot> auto& pivot) {
  field("row", pivot.row);
  field("column", pivot.column);
  field("size", pivot.size);
}

void visit_fields(auto&& field, Is<NumericRecord> auto& numeric) {
  field("level_kernel_counts", numeric.level_kernel_counts);
  field("format", numeric.format);
  field("parallel_columns", numeric.parallel_columns);
  field("max_parallel_blocks", numeric.max_parallel_blocks);
  field("pivoting", numeric.pivoting, added_later);
  field("pivot_threshold", numeric.pivot_threshold);
  field("perturbed_pivots", numeric.perturbed_pivots);
  field("largest_perturbation", numeric.largest_perturbation);
  field("exchanged_rows", numeric.exchanged_rows, added_later);
  field("growth", numeric.growth);
  field("replans", numeric.replans, added_later);
  field("delayed_pivots", numeric.delayed_pivots, added_later);
  field("suspect_pivots", numeric.suspect_pivots, added_later);
}

void visit_fields(auto&& field, Is<WorstSystem> auto& worst) {
  field("index", worst.index);
  field("backward_error", worst.backward_error);
}

void visit_fields(auto&& field, Is<SystemsRecord> auto& systems) {
  field("count", systems.count);
  field("chunk", systems.chunk);
  field("bytes_per_system", systems.bytes_per_system);
  field("perturbed", systems.perturbed);
  field("failed", systems.failed);
  field("worst", systems.worst);
  field("systems_per_s", systems.systems_per_s);
}

void visit_fields(auto&& field, Is<PivotCheck> auto& pivots) {
  field("checked", pivots.checked);
  field("equal", pivots.equal);
  field("tied", pivots.tied);
  field("different", pivots.different);
}

void visit_fields(auto&& field, Is<VerificationRecord> auto& verification) {
  field("method", verification.method);
  field("backward_error_before_refinement", verification.backward_error_before_refinement);
  field("backward_error", verification.backward_error);
  field("relative_residual", verification.relative_residual);
  field("componentwise_backward_error", verification.componentwise_backward_error);
  field("x_norm", verification.x_norm);
  field("x_true_norm", verification.x_true_norm);
  field("refinement_steps", verification.refinement_steps);
  field("matrices_checked", verification.matrices_checked, added_later);
  field("worst_matrix", verification.worst_matrix, added_later);
  field("pivots", verification.pivots, added_later);
  field("threshold", verification.threshold);
  field("passed", verification.passed);
  field("message", verification.message);
}

void visit_fields(auto&& field, Is<LevelProfile> auto& levels) {
  field("columns", levels.columns);
  field("max_subcolumns", levels.max_subcolumns);
  field("kernel_mode", levels.kernel_mode);
}

void visit_fields(auto&& field, Is<FrontierParts> auto& parts) {
  field("first_row", parts.first_row);
  field("rows", parts.rows);
  field("max_frontier", parts.max_frontier);
  field("searched_again", parts.searched_again);
  field("count_queue", parts.count_queue);
  field("count_chunks", parts.count_chunks);
  field("positions_queue", parts.positions_queue);
  field("positions_chunks", parts.positions_chunks);
}

void visit_fields(auto&& field, Is<FrontierProfile> auto& frontier) {
  field("first_row", frontier.first_row);
  field("rows", frontier.rows);
  field("max_frontier", frontier.max_frontier);
  field("bytes_per_row", frontier.bytes_per_row);
  field("part", frontier.part);
  field("parts", frontier.parts);
}

void visit_fields(auto&& field, Is<SweepRecord> auto& sweep) {
  field("name", sweep.name);
  field("matrix", sweep.matrix);
  field("variant", sweep.variant);
  field("options", sweep.options);
  field("stand_in_for", sweep.stand_in_for);
  field("environment", sweep.environment);
  field("invocation", sweep.invocation);
  field("finished_at", sweep.finished_at);
  field("elapsed_s", sweep.elapsed_s);
}

void visit_fields(auto&& field, Is<ProfileRecord> auto& profile) {
  field("levels", profile.levels);
  field("frontier", profile.frontier);
  field("sources", profile.sources, added_later);
}

void visit_fields(auto&& field, Is<BatchSize> auto& size) {
  field("n", size.n);
  field("count", size.count);
}

void visit_fields(auto&& field, Is<BatchConditions> auto& conditions) {
  field("matrices", conditions.matrices);
  field("singular", conditions.singular);
  field("near_singular", conditions.near_singular);
}

void visit_fields(auto&& field, Is<BatchInfo> auto& info) {
  field("zero_pivots", info.zero_pivots);
  field("nonfinite", info.nonfinite);
  field("first", info.first);
}

void visit_fields(auto&& field, Is<StreamingRecord> auto& streaming) {
  field("chunks", streaming.chunks);
  field("chunk_matrices", streaming.chunk_matrices);
  field("upload_busy_s", streaming.upload_busy_s);
  field("compute_busy_s", streaming.compute_busy_s);
  field("download_busy_s", streaming.download_busy_s);
}

// The generator stands in the section `matrix`.
void visit_fields(auto&& field, Is<BatchRecord> auto& batch) {
  field("operation", batch.operation);
  field("sizes", batch.sizes);
  field("count", batch.count);
  field("rhs", batch.rhs);
  field("layout", batch.layout);
  field("ld", batch.ld);
  field("in_place", batch.in_place);
  field("data", batch.data);
  field("side", batch.side);
  field("swap", batch.swap);
  field("matrices_per_block", batch.matrices_per_block);
  field("lanes", batch.lanes);
  field("rows_per_lane", batch.rows_per_lane);
  field("registers", batch.registers);
  field("shared_bytes", batch.shared_bytes);
  field("resident_warps", batch.resident_warps);
  field("settings", batch.settings);
  field("built_orders", batch.built_orders);
  field("flops", batch.flops);
  field("useful_bytes", batch.useful_bytes);
  field("flops_per_s", batch.flops_per_s);
  field("bytes_per_s", batch.bytes_per_s);
  field("copy_fraction", batch.copy_fraction);
  field("info", batch.info);
  field("conditions", batch.conditions, added_later);
  field("streaming", batch.streaming);
}

void visit_fields(auto&& field, Is<RefinementRecord> auto& refinement) {
  field("method", refinement.method);
  field("steps", refinement.steps);
  field("full_precision", refinement.full_precision);
  field("history", refinement.history);
}

void visit_fields(auto&& field, Is<BlocksRecord> auto& blocks) {
  field("asked", blocks.asked);
  field("used", blocks.used);
}

// The generator stands in the section `matrix`.
void visit_fields(auto&& field, Is<DenseRecord> auto& dense) {
  field("operation", dense.operation);
  field("m", dense.m);
  field("n", dense.n);
  field("rhs", dense.rhs);
  field("pivoting", dense.pivoting);
  field("data", dense.data);
  field("side", dense.side);
  field("block", dense.block);
  field("depth", dense.depth);
  field("blocks", dense.blocks);
  field("threads_per_block", dense.threads_per_block);
  field("product", dense.product);
  field("arithmetic", dense.arithmetic);
  field("launches", dense.launches);
  field("grid_barriers", dense.grid_barriers);
  field("settings", dense.settings);
  field("flops", dense.flops);
  field("flops_per_s", dense.flops_per_s);
  field("info", dense.info);
  field("nonfinite", dense.nonfinite);
  field("growth", dense.growth);
  field("refinement", dense.refinement);
  field("profile", dense.profile, added_later);
}

}  // namespace lufact
