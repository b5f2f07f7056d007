// SPDX-License-Identifier: BSD-3-Clause
// Loads the plug-in of a foreign library for dense matrices, in a worker process.
#pragma once
#include <string>

#include "baselines/peers/include/lufact_array_peer.h"

namespace lufact {

class ArrayPeerPlugin {
 public:
  // Throws Error{unsupported, "peer_unavailable"} as PeerPlugin does.
  explicit ArrayPeerPlugin(const std::string& name);

  const lufact_array_peer_api& api() const noexcept { return *api_; }
  const std::string& search_path() const noexcept { return search_path_; }

 private:
  const lufact_array_peer_api* api_ = nullptr;
  std::string search_path_;
};

}  // namespace lufact
