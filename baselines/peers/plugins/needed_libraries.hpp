// SPDX-License-Identifier: BSD-3-Clause
// What a library that is loaded was linked with: how a plug-in finds out whether its solver was
// compiled with OpenMP, where that has no function to say so.
#pragma once
#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace lufact::peers {

// Whether the library, or program, that `function` is in names a library whose file begins with
// `prefix` among those that it needs itself. False where the loader does not know `function`.
inline bool needs_library(const void* function, std::string_view prefix) {
  Dl_info info{};
  void* entry = nullptr;
  if (dladdr1(function, &info, &entry, RTLD_DL_LINKMAP) == 0 || entry == nullptr) return false;
  const auto* map = static_cast<const link_map*>(entry);
  const char* names = nullptr;
  for (const ElfW(Dyn)* item = map->l_ld; item->d_tag != DT_NULL; ++item) {
    if (item->d_tag != DT_STRTAB) continue;
    // Some loaders leave the address as it is in the file.
    const auto address = item->d_un.d_ptr;
    names = reinterpret_cast<const char*>(address < map->l_addr ? address + map->l_addr : address);
  }
  if (names == nullptr) return false;
  for (const ElfW(Dyn)* item = map->l_ld; item->d_tag != DT_NULL; ++item) {
    if (item->d_tag != DT_NEEDED) continue;
    if (std::string_view(names + item->d_un.d_val).starts_with(prefix)) return true;
  }
  return false;
}

// GNU's, LLVM's or Intel's.
inline bool needs_openmp(const void* function) {
  return needs_library(function, "libgomp") || needs_library(function, "libomp") ||
         needs_library(function, "libiomp");
}

}  // namespace lufact::peers
