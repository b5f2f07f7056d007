// SPDX-License-Identifier: BSD-3-Clause
// Device memory that grows where it stands: addresses are reserved for the most that it may take,
// and memory of the card is mapped behind them as it is needed. So an array whose size is not known
// when it is begun never has to be held twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/runtime/mapped_memory.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

class GrowingMemory {
 public:
  // Reserves addresses alone. The devices `readers`, which must have peer access, reach the memory
  // too. Throws Error{unsupported, "no_virtual_memory"} where the driver has none to give,
  // {unsupported, "old_driver"} where it lacks the functions.
  GrowingMemory(DeviceSession& session, MemoryRole role, std::uint64_t most_bytes, std::string what,
                const std::vector<int>& readers = {});
  ~GrowingMemory();
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;

  // At least `bytes` of memory, at most a fifth more and less than a granule of the card beside,
  // are there afterwards; contents stay. Charges the ledger, and throws as it does; Error
  // {oom_device, "cuda_out_of_memory"} where the card has none left. Does not wait for the stream
  // unless the session must give back what it keeps.
  void grow(std::uint64_t bytes);

  void* data() const noexcept { return memory_.data(); }
  std::uint64_t bytes() const noexcept { return memory_.mapped_bytes(); }

 private:
  std::uint64_t next_size(std::uint64_t bytes) const;
  void map(std::uint64_t bytes);

  DeviceSession& session_;
  MemoryRole role_;
  std::string what_;
  MappedMemory memory_;
};

}  // namespace lufact::gpu
