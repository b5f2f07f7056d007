// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/peers/peer_solver.hpp"
#include "core/matrix/pattern.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

// How a peer's solution came about; `refinement_steps`: those that it says it took.
void set_peer_method(std::optional<int> refinement_steps, VerificationRecord& verdict);

// What a run of a solver behind a plug-in takes from the clock, be it of one system or of many: its
// calls in phases that bear the names of ours. A phase that the library fuses with another one is
// left out, and the record says with which.
class PluginSteps {
 public:
  // The references must outlive the object. The layout that the solver wants is made here, untimed.
  PluginSteps(PeerSolver& solver, const CsrPattern& pattern, const Clock& clock);
  ~PluginSteps();

  bool takes_rows() const noexcept { return by_column_.source.empty(); }
  // Values in the order of the pattern's entries to the order in which the solver takes them.
  void to_layout(std::span<const double> values, std::span<double> to) const;

  // From the pattern and values in the solver's layout to the factors.
  void factor(std::span<const double> values);
  void refactor(std::span<const double> values);
  // `columns` right-hand sides; fills x with NaN first, so that what a solver leaves untouched
  // cannot pass for a solution.
  void solve(Index columns, std::span<const double> b, std::span<double> x);

  // Of the sample that is being taken.
  PhaseRecorder& phases() noexcept { return phases_; }
  void begin_sample();
  std::vector<PhaseTime> take_phases();
  std::string current_phase() const { return phases_.current_phase(); }

  // For a peer on a device: marks of its queue, and the bytes that it says it copied, which are
  // asked for unless count_bytes(false), since asking may wait. Null for a peer on the host.
  DeviceProbe* probe() noexcept;
  void count_bytes(bool counts);

  // What ran, with which settings, and what it says of its factors.
  void describe(RunRecord& record) const;

 private:
  class Probe;

  PeerSolver& solver_;
  const CsrPattern& pattern_;
  std::unique_ptr<Probe> probe_;  // null for a peer on the host
  PhaseRecorder phases_;
  TransposedPattern by_column_;     // empty for a peer that takes rows
  std::vector<std::string> fused_;  // phases of this sample that were none
};

}  // namespace lufact
