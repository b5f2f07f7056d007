// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/growing_memory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu {
namespace {

// More than is asked for, so that an array that grows by little parts is mapped in a few pieces.
constexpr std::uint64_t slack_part = 5;

}  // namespace

GrowingMemory::GrowingMemory(DeviceSession& session, MemoryRole role, std::uint64_t most_bytes,
                             std::string what, const std::vector<int>& readers)
    : session_(session),
      role_(role),
      what_(std::move(what)),
      memory_(session.device(), most_bytes, what_, "use another stage") {
  for (const int device : readers) memory_.let_in(device);
}

GrowingMemory::~GrowingMemory() {
  if (bytes() == 0) return;
  LUFACT_CUDA_NOEXCEPT(cudaStreamSynchronize(session_.stream()));
  session_.ledger().release(MemoryKind::device, role_, bytes());
}

std::uint64_t GrowingMemory::next_size(std::uint64_t bytes) const {
  const std::uint64_t granule = memory_.granule();
  const std::uint64_t least = (bytes + granule - 1) / granule * granule;
  const std::uint64_t roomy = (bytes + bytes / slack_part) / granule * granule;
  const std::uint64_t most = std::max(least, memory_.reserved_bytes());
  const std::uint64_t size = std::min(std::max(least, roomy), most);
  return size - memory_.mapped_bytes() <= session_.ledger().available() ? size : least;
}

void GrowingMemory::grow(std::uint64_t bytes) {
  if (bytes <= this->bytes()) return;
  const std::uint64_t more = next_size(bytes) - this->bytes();
  session_.ledger().charge(MemoryKind::device, role_, more, what_);
  try {
    map(more);
  } catch (...) {
    session_.ledger().release(MemoryKind::device, role_, more);
    throw;
  }
}

void GrowingMemory::map(std::uint64_t bytes) {
  const std::uint64_t end = memory_.mapped_bytes();
  if (bytes > memory_.reserved_bytes() - end) {
    throw std::logic_error(what_ + " outgrows its addresses");
  }
  if (memory_.map(end, bytes)) return;
  session_.return_memory();  // what the session keeps for later
  if (memory_.map(end, bytes)) return;
  throw Error(Outcome::oom_device, "cuda_out_of_memory",
              fmt::format("{}: CUDA could not give {} of device memory; does another process use "
                          "the card?",
                          what_, format_byte_size(bytes)));
}

}  // namespace lufact::gpu
