// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/device_query.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "gpu/runtime/check.hpp"
#include "gpu/runtime/nvml.hpp"
#include "gpu/runtime/session_facts.hpp"

namespace lufact::gpu {
namespace {

std::string dotted_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string explain(cudaError_t status) {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess) driver = 0;
  cudaGetLastError();
  if (driver == 0) {
    return "no NVIDIA driver was found; install one (the package nvidia-driver of the system), or "
           "use the CPU modes";
  }
  if (status == cudaErrorInsufficientDriver) {
    return fmt::format(
        "the NVIDIA driver supports CUDA up to {}, older than the CUDA {} lufact was built with; "
        "update the driver, or build with an older toolkit",
        dotted_version(driver), dotted_version(CUDART_VERSION));
  }
  if (status == cudaErrorNoDevice) {
    return "the NVIDIA driver sees no device; check nvidia-smi and CUDA_VISIBLE_DEVICES";
  }
  return fmt::format("CUDA cannot start: {} ({}); check nvidia-smi", cudaGetErrorString(status),
                     cudaGetErrorName(status));
}

int attribute(cudaDeviceAttr name, int index) {
  int value = 0;
  LUFACT_CUDA(cudaDeviceGetAttribute(&value, name, index));
  return value;
}

// As nvidia-smi prints it: GPU-8-4-4-4-12 hexadecimal digits.
std::string format_uuid(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int k = 0; k < 16; ++k) {
    if (k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    unsigned char byte = 0;
    std::memcpy(&byte, uuid.bytes + k, 1);
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

std::uint64_t free_bytes_through_context(int index) {
  std::size_t free_bytes = 0, total = 0;
  LUFACT_CUDA(cudaSetDevice(index));
  LUFACT_CUDA(cudaMemGetInfo(&free_bytes, &total));
  return free_bytes;
}

cudaDeviceProp properties_of(int index) {
  cudaDeviceProp properties{};
  LUFACT_CUDA(cudaGetDeviceProperties(&properties, index));
  return properties;
}

DeviceFacts read_facts(int index) {
  const cudaDeviceProp properties = properties_of(index);
  int driver = 0, runtime = 0;
  LUFACT_CUDA(cudaDriverGetVersion(&driver));
  LUFACT_CUDA(cudaRuntimeGetVersion(&runtime));
  DeviceFacts facts;
  facts.index = index;
  facts.name = properties.name;
  facts.uuid = format_uuid(properties.uuid);
  facts.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  facts.sm_count = attribute(cudaDevAttrMultiProcessorCount, index);
  facts.memory_bytes = properties.totalGlobalMem;
  facts.ecc = attribute(cudaDevAttrEccEnabled, index) != 0;
  facts.runtime = dotted_version(runtime);
  const ManagementFacts management = query_management(facts.uuid);
  facts.driver = management.driver_version.value_or("CUDA " + dotted_version(driver));
  facts.clocks = management.clocks;
  facts.throttle_reasons = management.throttle_reasons;
  facts.free_bytes = management.free_bytes.has_value() ? *management.free_bytes
                                                       : free_bytes_through_context(index);
  return facts;
}

}  // namespace

std::string find_device_fault(int index) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    return explain(status);
  }
  if (count == 0) return explain(cudaErrorNoDevice);
  if (index < 0 || index >= count) {
    return fmt::format("there is no device {}: the machine has {}, numbered from 0", index, count);
  }
  return {};
}

std::string device_name(int index) {
  return properties_of(index).name;
}

std::string device_uuid(int index) {
  return format_uuid(properties_of(index).uuid);
}

int device_count() {
  if (!find_device_fault(0).empty()) return 0;
  int count = 0;
  LUFACT_CUDA(cudaGetDeviceCount(&count));
  return count;
}

std::vector<DeviceLink> query_links() {
  std::vector<DeviceLink> links;
  const int count = device_count();
  for (int from = 0; from < count; ++from) {
    for (int to = 0; to < count; ++to) {
      if (from == to) continue;
      DeviceLink link{from, to, false, std::nullopt};
      int able = 0, rank = 0;
      LUFACT_CUDA(cudaDeviceCanAccessPeer(&able, from, to));
      link.peer_access = able != 0;
      if (link.peer_access) {
        LUFACT_CUDA(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, from, to));
        link.rank = rank;
      }
      links.push_back(link);
    }
  }
  return links;
}

std::optional<DeviceFacts> query_device(int index, std::string& absent_reason) {
  absent_reason = find_device_fault(index);
  if (!absent_reason.empty()) return std::nullopt;
  try {
    return read_facts(index);
  } catch (const std::exception& error) {
    absent_reason = fmt::format("device {} does not answer: {}", index, error.what());
    return std::nullopt;
  }
}

}  // namespace lufact::gpu
