// SPDX-License-Identifier: BSD-3-Clause
// The part of the interface that a solver on a device may have beside, as a C++ class.
#pragma once
#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

// Arrays and calls are as lufact_peer.h says.
class DeviceSolver : public Solver {
 public:
  virtual void put_on_device(const double* values, std::int32_t columns, const double* b) = 0;
  virtual void use_device_arrays() = 0;
  virtual void run_ahead(bool ahead) = 0;
  virtual void wait() = 0;
  virtual void mark(std::int32_t number) = 0;
  virtual double seconds_between(std::int32_t begin, std::int32_t end) const = 0;
};

template <class Call>
std::int32_t device_call(lufact_peer* peer, Call call) {
  return guarded(peer->error, [&] {
    auto* const solver = dynamic_cast<DeviceSolver*>(peer->solver.get());
    if (solver == nullptr) {
      throw Failure(LUFACT_PEER_UNSUPPORTED, "it does not take arrays on a device");
    }
    call(*solver);
    return LUFACT_PEER_OK;
  });
}

// For a plug-in whose solvers are DeviceSolvers.
inline void add_device_calls(lufact_peer_api& api) {
  api.put_on_device = [](lufact_peer* peer, const double* values, std::int32_t columns,
                         const double* b) {
    return device_call(peer,
                       [&](DeviceSolver& solver) { solver.put_on_device(values, columns, b); });
  };
  api.use_device_arrays = [](lufact_peer* peer) {
    return device_call(peer, [](DeviceSolver& solver) { solver.use_device_arrays(); });
  };
  api.run_ahead = [](lufact_peer* peer, std::int32_t ahead) {
    return device_call(peer, [&](DeviceSolver& solver) { solver.run_ahead(ahead != 0); });
  };
  api.wait = [](lufact_peer* peer) {
    return device_call(peer, [](DeviceSolver& solver) { solver.wait(); });
  };
  api.mark = [](lufact_peer* peer, std::int32_t number) {
    return device_call(peer, [&](DeviceSolver& solver) { solver.mark(number); });
  };
  api.seconds_between = [](lufact_peer* peer, std::int32_t begin, std::int32_t end,
                           double* seconds) {
    return device_call(
        peer, [&](DeviceSolver& solver) { *seconds = solver.seconds_between(begin, end); });
  };
}

}  // namespace lufact::peers
