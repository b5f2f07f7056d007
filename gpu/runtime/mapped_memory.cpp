// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/mapped_memory.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "gpu/runtime/driver_function.hpp"

namespace lufact::gpu {
namespace {

struct Driver {
  decltype(cuMemGetAllocationGranularity)* granularity =
      driver_function<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  decltype(cuMemAddressReserve)* reserve =
      driver_function<decltype(cuMemAddressReserve)>("cuMemAddressReserve");
  decltype(cuMemAddressFree)* free =
      driver_function<decltype(cuMemAddressFree)>("cuMemAddressFree");
  decltype(cuMemCreate)* create = driver_function<decltype(cuMemCreate)>("cuMemCreate");
  decltype(cuMemRelease)* release = driver_function<decltype(cuMemRelease)>("cuMemRelease");
  decltype(cuMemMap)* map = driver_function<decltype(cuMemMap)>("cuMemMap");
  decltype(cuMemUnmap)* unmap = driver_function<decltype(cuMemUnmap)>("cuMemUnmap");
  decltype(cuMemSetAccess)* set_access =
      driver_function<decltype(cuMemSetAccess)>("cuMemSetAccess");
};

const Driver& driver() {
  static const Driver functions;
  return functions;
}

CUmemLocation place_of(int device) {
  CUmemLocation place{};
  place.type = CU_MEM_LOCATION_TYPE_DEVICE;
  place.id = device;
  return place;
}

CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = place_of(device);
  return properties;
}

CUmemAccessDesc access_of(int device) {
  CUmemAccessDesc access{};
  access.location = place_of(device);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return access;
}

void check(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  throw Error(Outcome::error, "cuda_error",
              fmt::format("{} failed with driver error {}", call, static_cast<int>(status)));
}

// False where the card has no memory left, for the piece or for the tables that lead to it.
bool has_worked(CUresult status, const char* call) {
  if (status == CUDA_ERROR_OUT_OF_MEMORY) return false;
  check(status, call);
  return true;
}

}  // namespace

bool MappedMemory::is_supported(int device) {
  const auto find_device = driver_function<decltype(cuDeviceGet)>("cuDeviceGet");
  const auto attribute = driver_function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  CUdevice found = 0;
  check(find_device(&found, device), "cuDeviceGet");
  int value = 0;
  const CUresult status =
      attribute(&value, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, found);
  return status == CUDA_SUCCESS && value != 0;
}

MappedMemory::MappedMemory(int device, std::uint64_t bytes, std::string_view what,
                           std::string_view remedy)
    : devices_{device} {
  const CUmemAllocationProp properties = memory_of(device);
  std::size_t granule = 0;
  CUresult status = driver().granularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CUdeviceptr address = 0;
  if (status == CUDA_SUCCESS) {
    granule_ = granule;
    reserved_ = (std::max<std::uint64_t>(bytes, 1) + granule - 1) / granule * granule;
    status = driver().reserve(&address, reserved_, 0, 0, 0);
  }
  if (status != CUDA_SUCCESS) {
    throw Error(Outcome::unsupported, "no_virtual_memory",
                fmt::format("{}: the driver reserves no {} of addresses (driver error {}), as some "
                            "virtual GPUs do not; {}",
                            what, format_byte_size(bytes), static_cast<int>(status), remedy));
  }
  address_ = address;
}

MappedMemory::~MappedMemory() {
  while (!pieces_.empty()) unmap(pieces_.begin()->first, pieces_.begin()->second);
  driver().free(address_, reserved_);
}

bool MappedMemory::map(std::uint64_t offset, std::uint64_t bytes) {
  const auto piece = pieces_.emplace(offset, bytes).first;
  bool backed = false;
  try {
    backed = back(offset, bytes);
  } catch (...) {
    pieces_.erase(piece);
    throw;
  }
  if (backed) {
    mapped_ += bytes;
  } else {
    pieces_.erase(piece);
  }
  return backed;
}

// Puts memory behind addresses, or leaves nothing behind.
bool MappedMemory::back(std::uint64_t offset, std::uint64_t bytes) {
  std::vector<CUmemAccessDesc> access;
  for (const int device : devices_) access.push_back(access_of(device));
  const CUmemAllocationProp properties = memory_of(devices_.front());
  CUmemGenericAllocationHandle handle = 0;
  CUresult status = driver().create(&handle, bytes, &properties, 0);
  if (!has_worked(status, "cuMemCreate")) return false;
  status = driver().map(address_ + offset, bytes, 0, handle, 0);
  driver().release(handle);  // the mapping keeps the memory
  if (!has_worked(status, "cuMemMap")) return false;
  status = driver().set_access(address_ + offset, bytes, access.data(), access.size());
  if (status != CUDA_SUCCESS) driver().unmap(address_ + offset, bytes);
  return has_worked(status, "cuMemSetAccess");
}

void MappedMemory::unmap(std::uint64_t offset, std::uint64_t bytes) noexcept {
  driver().unmap(address_ + offset, bytes);
  pieces_.erase(offset);
  mapped_ -= bytes;
}

void MappedMemory::let_in(int device) {
  if (std::find(devices_.begin(), devices_.end(), device) != devices_.end()) return;
  const CUmemAccessDesc access = access_of(device);
  for (const auto& [offset, bytes] : pieces_) {
    check(driver().set_access(address_ + offset, bytes, &access, 1), "cuMemSetAccess");
  }
  devices_.push_back(device);
}

}  // namespace lufact::gpu
