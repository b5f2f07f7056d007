// SPDX-License-Identifier: BSD-3-Clause
// The part of NCCL's C interface that is used here, of a library that is loaded at run time. Its
// header is not needed to build: what stands here has been the same since NCCL 2.7.
#pragma once
#include <cstddef>
#include <string>

#include "gpu/distribution/nccl_finding.hpp"

namespace lufact::gpu {

struct NcclUniqueId {
  char internal[128];
};
using NcclCommunicator = void*;
using NcclStream = void*;  // a cudaStream_t
inline constexpr int nccl_success = 0, nccl_uint8 = 1;

struct NcclLibrary {
  std::string fault;  // why it cannot be used; empty: all of the following is there
  std::string path;
  int version = 0;  // 22304 is 2.23.4

  int (*get_version)(int*) = nullptr;
  int (*get_unique_id)(NcclUniqueId*) = nullptr;
  int (*init_rank)(NcclCommunicator*, int ranks, NcclUniqueId, int rank) = nullptr;
  int (*send)(const void*, std::size_t, int type, int to, NcclCommunicator, NcclStream) = nullptr;
  int (*receive)(void*, std::size_t, int type, int from, NcclCommunicator, NcclStream) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  const char* (*error_string)(int) = nullptr;

  // Throws Error{error, "nccl"} with the library's words unless `status` is success.
  void require(int status, const char* call) const;
};

// From LUFACT_NCCL_ROOT, a folder that has libnccl.so.2 or lib/libnccl.so.2, where the environment
// has it, else from wherever the loader looks. Stays loaded: NCCL keeps threads.
NcclLibrary load_nccl();
// The same, loaded once in a process.
const NcclLibrary& nccl_library();

// "2.23.4".
std::string nccl_version_text(int version);
// What to do where NCCL cannot be used.
std::string nccl_advice();
NcclFinding nccl_finding(const NcclLibrary& library);

}  // namespace lufact::gpu
