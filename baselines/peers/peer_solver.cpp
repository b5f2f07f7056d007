// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/peer_solver.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "baselines/peers/peer_answers.hpp"
#include "core/base/error.hpp"

namespace lufact {
PeerSolver::PeerSolver(const PeerPlugin& plugin, const Options& options) : api_(plugin.api()) {
  const lufact_peer_options made{sizeof(lufact_peer_options), options.threads, options.device,
                                 options.variant.c_str(), plugin.search_path().c_str()};
  require(api_.create(&made, &peer_), "create");
}

PeerSolver::~PeerSolver() {
  api_.destroy(peer_);
}

bool PeerSolver::require(std::int32_t status, const char* step) const {
  if (status == LUFACT_PEER_OK) return true;
  if (status == LUFACT_PEER_FUSED) return false;
  fail_as_peer(status,
               fmt::format("{} failed in {}: {}", api_.name, step, text(api_.last_error(peer_))));
}

PeerFacts PeerSolver::facts() const {
  lufact_peer_facts made{};
  made.struct_size = sizeof made;
  require(api_.describe(peer_, &made), "describe");
  PeerFacts facts;
  facts.layout = made.layout == LUFACT_PEER_BY_COLUMN ? PeerLayout::by_column : PeerLayout::by_row;
  facts.on_device = made.on_device != 0;
  facts.record.library = optional_text(made.library);
  facts.record.version = optional_text(made.version);
  facts.record.threads = known<int>(made.threads);
  facts.record.settings = texts(made.settings, made.setting_count);
  facts.record.fused = texts(made.fused, made.fused_count);
  for (std::uint32_t k = 0; k < made.warning_count; ++k) {
    facts.warnings.push_back({text(made.warnings[k].name), text(made.warnings[k].value)});
  }
  facts.scaling = optional_text(made.scaling);
  facts.ordering = optional_text(made.ordering);
  facts.symbolic = optional_text(made.symbolic);
  facts.numeric = optional_text(made.numeric);
  facts.solve = optional_text(made.solve);
  return facts;
}

PeerFigures PeerSolver::figures() const {
  lufact_peer_figures made{sizeof(lufact_peer_figures), -1, -1, -1, -1, -1, -1, -1, 0, 0, -1};
  require(api_.figures(peer_, &made), "figures");
  PeerFigures figures;
  figures.nnz_l = known<Offset>(made.nnz_l);
  figures.nnz_u = known<Offset>(made.nnz_u);
  figures.nnz_lu = known<Offset>(made.nnz_lu);
  if (figures.nnz_l && figures.nnz_u) figures.nnz_lu = *figures.nnz_l + *figures.nnz_u;
  figures.perturbed_pivots = known<Offset>(made.perturbed_pivots);
  figures.supernodes = known<Offset>(made.supernodes);
  figures.device_peak_bytes = known<std::uint64_t>(made.device_peak_bytes);
  figures.flops = known<double>(made.flops);
  figures.refinement_steps = known<int>(made.refinement_steps);
  figures.bytes_h2d = known<std::uint64_t>(made.bytes_h2d).value_or(0);
  figures.bytes_d2h = known<std::uint64_t>(made.bytes_d2h).value_or(0);
  return figures;
}

void PeerSolver::set_pattern(Index n, std::span<const Offset> offsets,
                             std::span<const Index> indices) {
  require(api_.set_pattern(peer_, n, offsets.data(), indices.data()), "set_pattern");
}

void PeerSolver::set_values(std::span<const double> values) {
  require(api_.set_values(peer_, values.data()), "set_values");
}

bool PeerSolver::order() {
  return require(api_.order(peer_), "order");
}

bool PeerSolver::symbolic() {
  return require(api_.symbolic(peer_), "symbolic");
}

void PeerSolver::factor() {
  require(api_.factor(peer_), "factor");
}

void PeerSolver::refactor() {
  require(api_.refactor(peer_), "refactor");
}

void PeerSolver::set_rhs(Index columns, std::span<const double> b) {
  require(api_.set_rhs(peer_, columns, b.data()), "set_rhs");
}

void PeerSolver::solve() {
  require(api_.solve(peer_), "solve");
}

void PeerSolver::get_solution(std::span<double> x) {
  require(api_.get_solution(peer_, x.data()), "get_solution");
}

void PeerSolver::clear() {
  require(api_.clear(peer_), "clear");
}

void PeerSolver::set_systems(Index count) {
  const bool able =
      api_.struct_size > offsetof(lufact_peer_api, set_systems) && api_.set_systems != nullptr;
  if (!able) {
    throw Error(Outcome::unsupported, "one_system",
                fmt::format("'{}' takes one system at a time, not --systems {}", api_.name, count));
  }
  require(api_.set_systems(peer_, count), "set_systems");
}

bool PeerSolver::works_on_device() const noexcept {
  return api_.struct_size >= offsetof(lufact_peer_api, set_systems) &&
         api_.put_on_device != nullptr && api_.use_device_arrays != nullptr &&
         api_.run_ahead != nullptr && api_.wait != nullptr && api_.mark != nullptr &&
         api_.seconds_between != nullptr;
}

void PeerSolver::transpose(bool transposed) {
  const bool able =
      api_.struct_size > offsetof(lufact_peer_api, transpose) && api_.transpose != nullptr;
  if (!able && transposed) {
    throw Error(Outcome::unsupported, "no_transposed_solve",
                "the plug-in was built before there were transposed solves");
  }
  if (able) require(api_.transpose(peer_, transposed ? 1 : 0), "transpose");
}

void PeerSolver::put_on_device(std::span<const double> values, Index columns,
                               std::span<const double> b) {
  require(api_.put_on_device(peer_, values.data(), columns, b.data()), "put_on_device");
}

void PeerSolver::use_device_arrays() {
  require(api_.use_device_arrays(peer_), "use_device_arrays");
}

void PeerSolver::run_ahead(bool ahead) {
  require(api_.run_ahead(peer_, ahead ? 1 : 0), "run_ahead");
}

void PeerSolver::wait() {
  require(api_.wait(peer_), "wait");
}

void PeerSolver::mark(int number) {
  require(api_.mark(peer_, number), "mark");
}

double PeerSolver::seconds_between(int begin, int end) const {
  double seconds = 0;
  require(api_.seconds_between(peer_, begin, end, &seconds), "seconds_between");
  return seconds;
}

}  // namespace lufact
