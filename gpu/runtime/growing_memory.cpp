// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/growing_memory.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"
#include "gpu/runtime/driver_function.hpp"

namespace lufact::gpu {
namespace {

// More than is asked for, so that an array that grows by little parts is mapped in a few pieces.
constexpr std::uint64_t slack_part = 5;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

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

CUmemAllocationProp memory_of(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

void check(CUresult status, const char* call) {
  if (status == CUDA_SUCCESS) return;
  throw Error(Outcome::error, "cuda_error",
              fmt::format("{} failed with driver error {}", call, static_cast<int>(status)));
}

}  // namespace

GrowingMemory::GrowingMemory(DeviceSession& session, MemoryRole role, std::uint64_t most_bytes,
                             std::string what, std::vector<int> readers)
    : session_(session), role_(role), what_(std::move(what)), readers_(std::move(readers)) {
  const CUmemAllocationProp properties = memory_of(session.device());
  std::size_t granule = 0;
  CUresult status = driver().granularity(&granule, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  granule_ = granule;
  CUdeviceptr address = 0;
  if (status == CUDA_SUCCESS) {
    reserved_ = round_up(std::max<std::uint64_t>(most_bytes, 1), granule_);
    status = driver().reserve(&address, reserved_, 0, 0, 0);
  }
  if (status != CUDA_SUCCESS) {
    throw Error(Outcome::unsupported, "no_virtual_memory",
                fmt::format("{}: the driver reserves no {} of addresses (driver error {}), as some "
                            "virtual GPUs do not; use another stage",
                            what_, format_byte_size(most_bytes), static_cast<int>(status)));
  }
  address_ = address;
}

GrowingMemory::~GrowingMemory() {
  if (mapped_ > 0) {
    LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(session_.stream()));
    driver().unmap(address_, mapped_);
    session_.ledger().release(MemoryKind::device, role_, mapped_);
  }
  driver().free(address_, reserved_);
}

std::uint64_t GrowingMemory::next_size(std::uint64_t bytes) const {
  const std::uint64_t least = round_up(bytes, granule_);
  const std::uint64_t roomy = (bytes + bytes / slack_part) / granule_ * granule_;
  const std::uint64_t size = std::min(std::max(least, roomy), std::max(least, reserved_));
  return size - mapped_ <= session_.ledger().available() ? size : least;
}

void GrowingMemory::grow(std::uint64_t bytes) {
  if (bytes <= mapped_) return;
  const std::uint64_t more = next_size(bytes) - mapped_;
  session_.ledger().charge(MemoryKind::device, role_, more, what_);
  try {
    map(more);
  } catch (...) {
    session_.ledger().release(MemoryKind::device, role_, more);
    throw;
  }
  mapped_ += more;
}

void GrowingMemory::map(std::uint64_t bytes) {
  if (bytes > reserved_ - mapped_) throw std::logic_error(what_ + " outgrows its addresses");
  const CUmemAllocationProp properties = memory_of(session_.device());
  CUmemGenericAllocationHandle handle = 0;
  CUresult status = driver().create(&handle, bytes, &properties, 0);
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    session_.return_memory();  // what the session's pool keeps for later
    status = driver().create(&handle, bytes, &properties, 0);
  }
  if (status == CUDA_ERROR_OUT_OF_MEMORY) {
    throw Error(Outcome::oom_device, "cuda_out_of_memory",
                fmt::format("{}: CUDA could not give {} of device memory; does another process use "
                            "the card?",
                            what_, format_byte_size(bytes)));
  }
  check(status, "cuMemCreate");
  status = driver().map(address_ + mapped_, bytes, 0, handle, 0);
  driver().release(handle);  // the mapping keeps the memory
  check(status, "cuMemMap");
  std::vector<CUmemAccessDesc> access(1 + readers_.size());
  for (std::size_t k = 0; k < access.size(); ++k) {
    access[k].location = properties.location;
    access[k].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (k > 0) access[k].location.id = readers_[k - 1];
  }
  status = driver().set_access(address_ + mapped_, bytes, access.data(), access.size());
  if (status != CUDA_SUCCESS) driver().unmap(address_ + mapped_, bytes);
  check(status, "cuMemSetAccess");
}

}  // namespace lufact::gpu
