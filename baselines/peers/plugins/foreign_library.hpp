// SPDX-License-Identifier: BSD-3-Clause
// A solver's library that a plug-in loads at run time, so that the plug-in can say what is missing
// and refuse a major version that it was not written for.
#pragma once
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "baselines/peers/plugins/plugin.hpp"

namespace lufact::peers {

// Appends the folders of a list separated by colons.
inline void append_folders(const char* list, std::vector<std::string>& folders) {
  std::istringstream names(list);
  for (std::string folder; std::getline(names, folder, ':');) {
    if (!folder.empty()) folders.push_back(folder);
  }
}

// The folders of a list separated by colons, behind those of `root_variable` (itself, its lib), if
// the environment has it.
inline std::vector<std::string> library_folders(const char* search_path,
                                                const char* root_variable) {
  std::vector<std::string> folders;
  if (const char* root = std::getenv(root_variable)) {
    folders.push_back(root);
    folders.push_back(std::string(root) + "/lib");
  }
  append_folders(search_path, folders);
  return folders;
}

// The file that a function was loaded from, and its folder; empty where the loader does not know.
inline std::string file_of(const void* function) {
  Dl_info info{};
  const bool known = dladdr(function, &info) != 0 && info.dli_fname != nullptr;
  return known ? info.dli_fname : std::string();
}
inline std::string folder_of(const void* function) {
  const std::string file = file_of(function);
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? std::string() : file.substr(0, slash);
}

class ForeignLibrary {
 public:
  // Tries every name in every folder, then wherever the loader looks. Throws Failure{unsupported}
  // naming the last fault of a file that is there, or of the loader, and `how_to_get`.
  ForeignLibrary(const std::vector<std::string>& folders, const std::vector<std::string>& names,
                 const std::string& how_to_get)
      : how_to_get_(how_to_get) {
    std::string fault;
    for (const std::string& name : names) {
      handle_ = find(folders, name, fault);
      if (handle_ != nullptr) return;
    }
    throw Failure(LUFACT_PEER_UNSUPPORTED, fault + "; " + how_to_get);
  }
  // A solver's library keeps threads and exit handlers: it stays loaded.
  ~ForeignLibrary() = default;
  ForeignLibrary(const ForeignLibrary&) = delete;
  ForeignLibrary& operator=(const ForeignLibrary&) = delete;

  // Loads a library that another one needs and the loader alone would not find; silent where it is
  // not there, since loading the other one will say so.
  static bool load_needed(const std::vector<std::string>& folders, const std::string& name) {
    std::string fault;
    return find(folders, name, fault) != nullptr;
  }

  template <class Function>
  Function* function(const char* name) const {
    auto* found = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (found == nullptr) {
      throw Failure(LUFACT_PEER_UNSUPPORTED,
                    std::string("the library has no function ") + name + "; " + how_to_get_);
    }
    return found;
  }
  // Null where the library has none.
  template <class Function>
  Function* optional_function(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  static void* find(const std::vector<std::string>& folders, const std::string& name,
                    std::string& fault) {
    for (const std::string& folder : folders) {
      const std::string path = folder + "/" + name;
      if (access(path.c_str(), R_OK) != 0) continue;
      if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)) return handle;
      fault = dlerror();
    }
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr && fault.empty()) fault = dlerror();
    return handle;
  }

  void* handle_ = nullptr;
  std::string how_to_get_;
};

}  // namespace lufact::peers
