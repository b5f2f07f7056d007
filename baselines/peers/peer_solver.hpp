// SPDX-License-Identifier: BSD-3-Clause
// A foreign solver behind its plug-in as an object: statuses become exceptions, C structures our
// own. Calls are in the order that lufact_peer.h gives.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "baselines/peers/peer_plugin.hpp"
#include "core/base/types.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

enum class PeerLayout { by_row, by_column };

struct PeerFacts {
  PeerLayout layout = PeerLayout::by_row;
  bool on_device = false;
  PeerRecord record;  // library, version, threads, settings, fused steps
  std::vector<Warning> warnings;
  std::optional<std::string> scaling, ordering, symbolic, numeric, solve;
};

struct PeerFigures {
  std::optional<Offset> nnz_l, nnz_u, nnz_lu, perturbed_pivots, supernodes;
  std::optional<std::uint64_t> device_peak_bytes;
  std::optional<double> flops;
  std::optional<int> refinement_steps;
  std::uint64_t bytes_h2d = 0, bytes_d2h = 0;
};

// Every method but facts() and figures() is one call of the interface. All throw Error with the
// outcome that the plug-in answers and its words.
class PeerSolver {
 public:
  struct Options {
    std::string variant;
    int threads = 1, device = 0;
  };
  PeerSolver(const PeerPlugin& plugin, const Options& options);
  ~PeerSolver();
  PeerSolver(const PeerSolver&) = delete;
  PeerSolver& operator=(const PeerSolver&) = delete;

  PeerFacts facts() const;
  PeerFigures figures() const;
  // The arrays must stay as they are until the next set_pattern() or clear().
  void set_pattern(Index n, std::span<const Offset> offsets, std::span<const Index> indices);
  void set_values(std::span<const double> values);
  bool order();  // false: done by another step
  bool symbolic();
  void factor();
  void refactor();
  void set_rhs(Index columns, std::span<const double> b);
  void solve();
  void get_solution(std::span<double> x);
  void clear();
  // Before set_pattern(): whether solve() is with the transpose of the matrix.
  void transpose(bool transposed);

  // Throws Error{unsupported, "one_system"} where it takes one system at a time.
  void set_systems(Index count);

  // Whether it has the calls that follow. They are those of lufact_peer.h.
  bool works_on_device() const noexcept;
  void put_on_device(std::span<const double> values, Index columns, std::span<const double> b);
  void use_device_arrays();
  void run_ahead(bool ahead);
  void wait();
  void mark(int number);
  double seconds_between(int begin, int end) const;

 private:
  bool require(std::int32_t status, const char* step) const;

  const lufact_peer_api& api_;
  lufact_peer* peer_ = nullptr;
};

}  // namespace lufact
