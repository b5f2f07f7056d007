// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/array_peer_plugin.hpp"

#include "baselines/peers/plugin_files.hpp"

namespace lufact {
namespace {

bool complete(const lufact_array_peer_api& api) {
  return api.struct_size >= sizeof(lufact_array_peer_api) && api.create != nullptr &&
         api.describe != nullptr && api.prepare != nullptr && api.run != nullptr &&
         api.destroy != nullptr && api.last_error != nullptr;
}

}  // namespace

ArrayPeerPlugin::ArrayPeerPlugin(const std::string& name) {
  LoadedPlugin loaded = load_peer_plugin(PeerKind::array, name, LUFACT_ARRAY_PEER_ENTRY);
  api_ = reinterpret_cast<lufact_array_peer_entry>(loaded.entry)();
  const bool known = api_ != nullptr && api_->abi_version == LUFACT_ARRAY_PEER_ABI_VERSION;
  require_interface(loaded.file, api_ == nullptr ? 0 : api_->abi_version,
                    LUFACT_ARRAY_PEER_ABI_VERSION, known && complete(*api_));
  search_path_ = std::move(loaded.search_path);
}

}  // namespace lufact
