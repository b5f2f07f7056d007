// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/peer_plugin.hpp"

#include <cstddef>

#include "baselines/peers/plugin_files.hpp"

namespace lufact {
namespace {

// What a solver on a device may have beside is not asked for.
bool complete(const lufact_peer_api& api) {
  return api.struct_size >= offsetof(lufact_peer_api, put_on_device) && api.create != nullptr &&
         api.describe != nullptr && api.set_pattern != nullptr && api.set_values != nullptr &&
         api.order != nullptr && api.symbolic != nullptr && api.factor != nullptr &&
         api.refactor != nullptr && api.set_rhs != nullptr && api.solve != nullptr &&
         api.get_solution != nullptr && api.figures != nullptr && api.clear != nullptr &&
         api.destroy != nullptr && api.last_error != nullptr;
}

}  // namespace

PeerPlugin::PeerPlugin(const std::string& name) {
  LoadedPlugin loaded = load_peer_plugin(PeerKind::solver, name, LUFACT_PEER_ENTRY);
  api_ = reinterpret_cast<lufact_peer_entry>(loaded.entry)();
  const bool known = api_ != nullptr && api_->abi_version == LUFACT_PEER_ABI_VERSION;
  require_interface(loaded.file, api_ == nullptr ? 0 : api_->abi_version, LUFACT_PEER_ABI_VERSION,
                    known && complete(*api_));
  search_path_ = std::move(loaded.search_path);
}

}  // namespace lufact
