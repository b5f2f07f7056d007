// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_advice.hpp"

#include <fmt/format.h>

namespace lufact {
namespace {

namespace fs = std::filesystem;

// "`apt-get install a b`", then what else it takes; empty where there is nothing to say.
std::string how_to_install(const KnownPeer& peer) {
  std::string text;
  if (!peer.packages.empty()) text = fmt::format("`apt-get install {}`", peer.packages);
  if (!peer.how_to_get.empty()) {
    text += text.empty() ? "" : " and ";
    text += peer.how_to_get;
  }
  return text;
}

}  // namespace

std::optional<fs::path> build_folder_of_program() {
  std::error_code ignored;
  fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  while (folder.has_relative_path()) {
    if (fs::exists(folder / "CMakeCache.txt", ignored)) return folder;
    folder = folder.parent_path();
  }
  return std::nullopt;
}

std::string advice_on_missing_plugin(const KnownPeer* peer, const std::string& file,
                                     const std::optional<fs::path>& build_folder) {
  if (peer == nullptr) {
    return fmt::format("{} is not there; put it into a folder of LUFACT_PEER_PATH", file);
  }
  const std::string folder = build_folder ? build_folder->string() : "";
  const std::string build =
      fmt::format("cmake --build {} --target lufact_peer_plugins", build_folder ? folder : "BUILD");
  if (peer->in_this_build) {
    return build_folder
               ? fmt::format("{} was not built; `{}` builds it", file, build)
               : fmt::format(
                     "{} was not installed with this lufact; in its sources, `{} && "
                     "cmake --install BUILD` builds and installs it (BUILD: the build folder)",
                     file, build);
  }
  const std::string install = how_to_install(*peer);
  return build_folder ? fmt::format(
                            "lufact was built without {}, since what it is built with was not "
                            "there: {}, then `cmake {} && {}`",
                            file, install, folder, build)
                      : fmt::format(
                            "this lufact was built without {}, since what it is built with was "
                            "not there: {}, and build lufact again with scripts/quickstart",
                            file, install);
}

std::string advice_on_unloadable_plugin(const KnownPeer* peer, const std::string& file,
                                        const std::string& fault) {
  if (fault.find("cannot open shared object file") == std::string::npos) {
    return fmt::format("the plug-in {} cannot be loaded: {}", file, fault);
  }
  const std::string install = peer == nullptr ? "" : how_to_install(*peer);
  return fmt::format("a library that the plug-in {} needs is missing: {}; {}", file, fault,
                     install.empty() ? "put it beside the plug-in, or into a folder of "
                                       "LD_LIBRARY_PATH"
                                     : "get it with " + install);
}

}  // namespace lufact
