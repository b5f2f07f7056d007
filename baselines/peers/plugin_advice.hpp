// SPDX-License-Identifier: BSD-3-Clause
// What a user can do about a plug-in that is not there, or whose libraries are not.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "baselines/peers/known_peers.hpp"

namespace lufact {

// The build folder that the running program lies in; none where it was installed or moved.
std::optional<std::filesystem::path> build_folder_of_program();

// Why there is no `file`, "the plug-in lufact_peer_klu.so", with the command that mends it: it
// could be built here but was not, or what it is built with was missing when lufact was configured.
// `peer` is null for a plug-in that lufact has never heard of.
std::string advice_on_missing_plugin(const KnownPeer* peer, const std::string& file,
                                     const std::optional<std::filesystem::path>& build_folder);

// `fault` is what the loader says of a plug-in that is there: mostly that a library is missing.
std::string advice_on_unloadable_plugin(const KnownPeer* peer, const std::string& file,
                                        const std::string& fault);

}  // namespace lufact
