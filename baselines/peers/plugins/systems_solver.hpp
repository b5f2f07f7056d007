// SPDX-License-Identifier: BSD-3-Clause
// The part of the interface that a solver of many systems with one pattern has, as a C++ class.
#pragma once
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

// Beside Solver. `count` >= 1; what it means is as lufact_peer.h says.
class SystemsSolver {
 public:
  virtual ~SystemsSolver() = default;
  virtual void set_systems(std::int32_t count) = 0;
};

// For a plug-in whose solvers are SystemsSolvers.
inline void add_systems_call(lufact_peer_api& api) {
  api.set_systems = [](lufact_peer* peer, std::int32_t count) {
    return guarded(peer->error, [&] {
      dynamic_cast<SystemsSolver&>(*peer->solver).set_systems(count);
      return LUFACT_PEER_OK;
    });
  };
}

}  // namespace lufact::peers
