// SPDX-License-Identifier: BSD-3-Clause
#include "baselines/peers/plugin_files.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "baselines/peers/plugin_advice.hpp"
#include "core/base/error.hpp"

namespace lufact {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_ending = ".so";

std::string_view file_prefix(PeerKind kind) {
  return kind == PeerKind::solver ? "lufact_peer_" : "lufact_array_peer_";
}

std::string file_name(PeerKind kind, const std::string& plugin) {
  return fmt::format("{}{}{}", file_prefix(kind), plugin, file_ending);
}

std::vector<fs::path> folders_of_the_user() {
  std::vector<fs::path> folders;
  const char* list = std::getenv("LUFACT_PEER_PATH");
  std::istringstream path(list == nullptr ? "" : list);
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  return folders;
}

}  // namespace

void peer_unavailable(const std::string& message) {
  throw Error(Outcome::unsupported, "peer_unavailable", message);
}

std::vector<fs::path> peer_folders() {
  std::vector<fs::path> folders = folders_of_the_user();
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  folders.push_back(program.parent_path() / "lib/lufact/peers");
  folders.push_back(program.parent_path() / "baselines/peers/plugins");
  return folders;
}

std::optional<fs::path> find_peer_plugin(PeerKind kind, const std::string& plugin) {
  std::error_code ignored;
  for (const fs::path& folder : peer_folders()) {
    const fs::path file = folder / file_name(kind, plugin);
    if (fs::exists(file, ignored)) return fs::absolute(file);
  }
  return std::nullopt;
}

std::vector<std::string> installed_peer_plugins(PeerKind kind) {
  const std::string_view prefix = file_prefix(kind);
  std::set<std::string> names;
  std::error_code ignored;
  for (const fs::path& folder : peer_folders()) {
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string file = entry.path().filename().string();
      if (!file.starts_with(prefix) || !file.ends_with(file_ending)) continue;
      names.insert(file.substr(prefix.size(), file.size() - prefix.size() - file_ending.size()));
    }
  }
  return {names.begin(), names.end()};
}

LoadedPlugin load_peer_plugin(PeerKind kind, const std::string& plugin, const char* entry) {
  const auto file = find_peer_plugin(kind, plugin);
  const KnownPeer* known = find_known_peer(kind, plugin);
  const std::string name = file_name(kind, plugin);
  if (!file) {
    peer_unavailable(
        advice_on_missing_plugin(known, "the plug-in " + name, build_folder_of_program()));
  }
  // Bound now, so that a missing function is met here.
  void* handle = dlopen(file->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) peer_unavailable(advice_on_unloadable_plugin(known, name, dlerror()));
  LoadedPlugin loaded{dlsym(handle, entry), *file, ""};
  if (loaded.entry == nullptr) {
    peer_unavailable(fmt::format("{} has no function {}: it is no plug-in", file->string(), entry));
  }
  std::vector<std::string> folders;
  for (const fs::path& folder : folders_of_the_user()) folders.push_back(folder.string());
  folders.push_back(file->parent_path().string());
  folders.push_back((file->parent_path() / "../..").lexically_normal().string());
  loaded.search_path = fmt::format("{}", fmt::join(folders, ":"));
  return loaded;
}

void require_interface(const fs::path& file, std::uint32_t version, std::uint32_t expected,
                       bool complete) {
  if (version != expected) {
    peer_unavailable(fmt::format(
        "{} was built for version {} of the plug-in interface, this lufact has version {}; build "
        "it again with the header of this lufact",
        file.string(), version, expected));
  }
  if (!complete) {
    peer_unavailable(fmt::format("{} leaves functions of the interface out", file.string()));
  }
}

}  // namespace lufact
