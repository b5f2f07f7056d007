// SPDX-License-Identifier: BSD-3-Clause
// Which BLAS a plug-in was linked with, and its threads. OpenBLAS is the one that distributions
// carry with threads; any other counts as sequential here.
#pragma once
#include <dlfcn.h>

#include <cstdlib>
#include <string>

extern "C" {
void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
char* openblas_get_config(void) __attribute__((weak));
void dsyrk_(void);
}

namespace lufact::peers {

// The threads that the BLAS will use: its builds have a limit, and one without threads takes no
// other number than 1.
inline int set_blas_threads(int wanted) {
  if (openblas_set_num_threads == nullptr || openblas_get_num_threads == nullptr) return 1;
  openblas_set_num_threads(wanted);
  return openblas_get_num_threads();
}

// "OpenBLAS 0.3.21 ...", or the file that the BLAS comes from.
inline std::string blas_name() {
  if (openblas_get_config != nullptr) return openblas_get_config();
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&dsyrk_), &info) == 0 || info.dli_fname == nullptr) return {};
  char* real = realpath(info.dli_fname, nullptr);
  std::string path = real != nullptr ? real : info.dli_fname;
  std::free(real);
  return path;
}

}  // namespace lufact::peers
