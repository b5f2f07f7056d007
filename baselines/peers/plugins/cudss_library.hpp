// SPDX-License-Identifier: BSD-3-Clause
// The library of cuDSS 1.x, loaded at run time; its header is needed to build.
#pragma once
#include <cudss.h>

#include <array>
#include <string>
#include <vector>

#include "baselines/peers/plugins/foreign_library.hpp"

namespace lufact::peers {

constexpr int cudss_major = 1;  // that the plug-in is written for

constexpr std::array layer_names{"libcudss_mtlayer_gomp.so.1", "libcudss_mtlayer_gomp.so"};

// Of device memory in hybrid memory mode: what cudssConfigGet says where none was set.
constexpr std::int64_t librarys_own_limit = -1;

constexpr char how_to_get_cudss[] =
    "get it with `python3 -m venv DIR && DIR/bin/pip install nvidia-cudss-cu13` and set "
    "LUFACT_CUDSS_ROOT to DIR/lib/python3.*/site-packages/nvidia/cu13";

// The functions of the library that are used.
struct CudssApi {
  explicit CudssApi(const ForeignLibrary& library)
      : get_property(library.function<decltype(cudssGetProperty)>("cudssGetProperty")),
        create(library.function<decltype(cudssCreate)>("cudssCreate")),
        destroy(library.function<decltype(cudssDestroy)>("cudssDestroy")),
        set_threading_layer(
            library.function<decltype(cudssSetThreadingLayer)>("cudssSetThreadingLayer")),
        config_create(library.function<decltype(cudssConfigCreate)>("cudssConfigCreate")),
        config_destroy(library.function<decltype(cudssConfigDestroy)>("cudssConfigDestroy")),
        config_set(library.function<decltype(cudssConfigSet)>("cudssConfigSet")),
        data_create(library.function<decltype(cudssDataCreate)>("cudssDataCreate")),
        data_destroy(library.function<decltype(cudssDataDestroy)>("cudssDataDestroy")),
        data_get(library.function<decltype(cudssDataGet)>("cudssDataGet")),
        matrix_create_csr(library.function<decltype(cudssMatrixCreateCsr)>("cudssMatrixCreateCsr")),
        matrix_create_dn(library.function<decltype(cudssMatrixCreateDn)>("cudssMatrixCreateDn")),
        matrix_set_values(library.function<decltype(cudssMatrixSetValues)>("cudssMatrixSetValues")),
        matrix_destroy(library.function<decltype(cudssMatrixDestroy)>("cudssMatrixDestroy")),
        execute(library.function<decltype(cudssExecute)>("cudssExecute")) {}

  decltype(cudssGetProperty)* get_property;
  decltype(cudssCreate)* create;
  decltype(cudssDestroy)* destroy;
  decltype(cudssSetThreadingLayer)* set_threading_layer;
  decltype(cudssConfigCreate)* config_create;
  decltype(cudssConfigDestroy)* config_destroy;
  decltype(cudssConfigSet)* config_set;
  decltype(cudssDataCreate)* data_create;
  decltype(cudssDataDestroy)* data_destroy;
  decltype(cudssDataGet)* data_get;
  decltype(cudssMatrixCreateCsr)* matrix_create_csr;
  decltype(cudssMatrixCreateDn)* matrix_create_dn;
  decltype(cudssMatrixSetValues)* matrix_set_values;
  decltype(cudssMatrixDestroy)* matrix_destroy;
  decltype(cudssExecute)* execute;
};

inline const char* name_of(cudssStatus_t status) {
  switch (status) {
    case CUDSS_STATUS_NOT_INITIALIZED:
      return "not initialized";
    case CUDSS_STATUS_ALLOC_FAILED:
      return "allocation failed";
    case CUDSS_STATUS_INVALID_VALUE:
      return "invalid value";
    case CUDSS_STATUS_NOT_SUPPORTED:
      return "not supported";
    case CUDSS_STATUS_EXECUTION_FAILED:
      return "execution failed";
    case CUDSS_STATUS_IR_FAILED:
      return "refinement failed";
    default:
      return "internal error";
  }
}

inline void check(cudssStatus_t status, const std::string& what) {
  if (status == CUDSS_STATUS_SUCCESS) return;
  throw Failure(status == CUDSS_STATUS_ALLOC_FAILED ? LUFACT_PEER_OOM_DEVICE : LUFACT_PEER_ERROR,
                what + ": " + name_of(status) + " (status " + std::to_string(status) + ")");
}

inline ForeignLibrary load_cudss(const std::vector<std::string>& folders) {
  for (const char* needed : {"libnvrtc.so.13", "libcublasLt.so.13", "libcublas.so.13",
                             "libnvrtc.so.12", "libcublasLt.so.12", "libcublas.so.12"}) {
    ForeignLibrary::load_needed(folders, needed);
  }
  return ForeignLibrary(folders, {"libcudss.so.1", "libcudss.so", "libcudss.so.0"},
                        how_to_get_cudss);
}

// Throws Failure{unsupported} for another major version.
inline std::string cudss_version(const CudssApi& api) {
  std::array<int, 3> version{};
  constexpr std::array properties{MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
  for (std::size_t k = 0; k < properties.size(); ++k) {
    check(api.get_property(properties[k], &version[k]), "cudssGetProperty");
  }
  if (version[0] != cudss_major) {
    throw Failure(LUFACT_PEER_UNSUPPORTED,
                  "this plug-in is written for cuDSS 1.x, the library found is version " +
                      std::to_string(version[0]) + "." + std::to_string(version[1]) + "; " +
                      how_to_get_cudss);
  }
  return std::to_string(version[0]) + "." + std::to_string(version[1]) + "." +
         std::to_string(version[2]);
}

}  // namespace lufact::peers
