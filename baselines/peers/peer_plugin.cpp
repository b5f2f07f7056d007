// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/peer_plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "baselines/peers/known_peers.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "lufact_peer_", file_ending = ".so";

std::vector<fs::path> folders_of_the_user() {
  std::vector<fs::path> folders;
  const char* list = std::getenv("LUFACT_PEER_PATH");
  std::istringstream path(list == nullptr ? "" : list);
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

std::string what_to_do(const std::string& plugin) {
  const KnownPeer* known = find_known_peer(plugin);
  if (known != nullptr) return std::string(known->how_to_get);
  return "put it into a folder of LUFACT_PEER_PATH";
}

[[noreturn]] void unavailable(const std::string& message) {
  throw Error(Outcome::unsupported, "peer_unavailable", message);
}

bool complete(const lufact_peer_api& api) {
  return api.create != nullptr && api.describe != nullptr && api.set_pattern != nullptr &&
         api.set_values != nullptr && api.order != nullptr && api.symbolic != nullptr &&
         api.factor != nullptr && api.refactor != nullptr && api.set_rhs != nullptr &&
         api.solve != nullptr && api.get_solution != nullptr && api.figures != nullptr &&
         api.clear != nullptr && api.destroy != nullptr && api.last_error != nullptr;
}

const lufact_peer_api* load(const fs::path& file) {
  // Bound now, so that a missing function is met here; never unloaded, since libraries leave
  // threads and exit handlers behind.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) unavailable(fmt::format("the plug-in cannot be loaded: {}", dlerror()));
  const auto entry = reinterpret_cast<lufact_peer_entry>(dlsym(handle, LUFACT_PEER_ENTRY));
  if (entry == nullptr) {
    unavailable(
        fmt::format("{} has no function {}: it is no plug-in", file.string(), LUFACT_PEER_ENTRY));
  }
  const lufact_peer_api* api = entry();
  if (api == nullptr || api->abi_version != LUFACT_PEER_ABI_VERSION) {
    unavailable(fmt::format(
        "{} was built for version {} of the plug-in interface, this lufact has version {}; build "
        "it again with the header of this lufact",
        file.string(), api == nullptr ? 0 : api->abi_version, LUFACT_PEER_ABI_VERSION));
  }
  if (api->struct_size < sizeof(lufact_peer_api) || !complete(*api)) {
    unavailable(fmt::format("{} leaves functions of the interface out", file.string()));
  }
  return api;
}

}  // namespace

std::vector<fs::path> peer_folders() {
  std::vector<fs::path> folders = folders_of_the_user();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  folders.push_back(program.parent_path() / "lib/lufact/peers");
  folders.push_back(program.parent_path() / "baselines/peers/plugins");
  return folders;
}

std::optional<fs::path> find_peer_plugin(const std::string& plugin) {
  std::error_code ignored;
  for (const fs::path& folder : peer_folders()) {
    const fs::path file = folder / fmt::format("{}{}{}", file_prefix, plugin, file_ending);
    if (fs::exists(file, ignored)) return fs::absolute(file);
  }
  return std::nullopt;
}

std::vector<std::string> installed_peer_plugins() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const fs::path& folder : peer_folders()) {
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(file_prefix) || !file.ends_with(file_ending)) continue;
      names.insert(
          file.substr(file_prefix.size(), file.size() - file_prefix.size() - file_ending.size()));
    }
  }
  return {names.begin(), names.end()};
}

PeerPlugin::PeerPlugin(const std::string& name) {
  const auto file = find_peer_plugin(name);
  if (!file) {
    unavailable(fmt::format("there is no plug-in {}{}{}; {}", file_prefix, name, file_ending,
                            what_to_do(name)));
  }
  api_ = load(*file);
  std::vector<std::string> folders;
  for (const fs::path& folder : folders_of_the_user()) folders.push_back(folder.string());
  folders.push_back(file->parent_path().string());
  folders.push_back((file->parent_path() / "../..").lexically_normal().string());
  search_path_ = fmt::format("{}", fmt::join(folders, ":"));
}

}  // namespace lufact
