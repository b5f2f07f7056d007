// SPDX-License-Identifier: BSD-3-Clause
// Loads the plug-in of a foreign solver. Only worker processes load one: a plug-in that
// crashes takes its process with it.
#pragma once
#include <string>

#include "baselines/peers/include/lufact_peer.h"

namespace lufact {

class PeerPlugin {
 public:
  // Throws Error{unsupported, "peer_unavailable"} where the plug-in is not there, cannot be loaded
  // or was built for another version of the interface; the message says what to do.
  explicit PeerPlugin(const std::string& name);

  const lufact_peer_api& api() const noexcept { return *api_; }
  // Folders for the solver's own libraries: LUFACT_PEER_PATH and the plug-in's.
  const std::string& search_path() const noexcept { return search_path_; }

 private:
  const lufact_peer_api* api_ = nullptr;
  std::string search_path_;
};

}  // namespace lufact
