// SPDX-License-Identifier: BSD-3-Clause
// A foreign library for dense matrices behind its plug-in as an object. Calls are in the order that
// lufact_array_peer.h gives.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "baselines/peers/array_peer_plugin.hpp"
#include "core/array/array_stage.hpp"
#include "core/pipeline/record.hpp"

namespace lufact {

struct ArrayPeerFacts {
  ArrayStageFacts takes;  // as refusal() reads it; its name is that of the peer
  PeerRecord record;      // library, version, threads, settings
  std::vector<Warning> warnings;
  bool inverse_in_place = false, inverse_out_of_place = false;
  bool gives_pivots = true;
  Offset refinement_steps = 0;  // of the last run; below 0: it went back to full precision
};

// Every method but facts() is one call of the interface. All throw Error with the outcome that the
// plug-in answers and its words.
class ArrayPeer {
 public:
  struct Options {
    std::string variant;
    int threads = 1, device = 0;
  };
  ArrayPeer(const ArrayPeerPlugin& plugin, const Options& options);
  ~ArrayPeer();
  ArrayPeer(const ArrayPeer&) = delete;
  ArrayPeer& operator=(const ArrayPeer&) = delete;

  ArrayPeerFacts facts() const;
  // Bytes that the library and its plug-in hold for the problem on the side that computes. The
  // addresses in `operands` must stay as they are until the next prepare(). Throws UsageError for
  // what refusal() says.
  std::uint64_t prepare(const ArrayProblem& problem, const ArrayOperands& operands);
  // On `stream`, a cudaStream_t, or null on the host; done on return.
  void run(void* stream);
  // Of the last run on a problem whose factors are in lower numbers.
  std::optional<RefinementRecord> refinement() const;

 private:
  void require(std::int32_t status, const char* step) const;

  const lufact_array_peer_api& api_;
  std::string name_;
  lufact_array_peer* peer_ = nullptr;
  bool refines_ = false;
};

}  // namespace lufact
