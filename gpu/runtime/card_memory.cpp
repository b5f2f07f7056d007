// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/runtime/card_memory.hpp"

namespace lufact::gpu {
namespace {

using ProcessGetter = int(NvmlDevice, unsigned*, NvmlProcess*);
using MemoryGetter = int(NvmlDevice, NvmlMemory*);

constexpr unsigned usual_processes = 64;

class NvmlCardMemory final : public CardMemory {
 public:
  NvmlCardMemory(const std::string& uuid, const std::string& file)
      : library_(file),
        device_(library_.find(uuid)),
        get_memory_(library_.function<MemoryGetter>("nvmlDeviceGetMemoryInfo")),
        get_processes_(
            library_.function<ProcessGetter>("nvmlDeviceGetComputeRunningProcesses_v3")) {
    if (get_processes_ == nullptr) {  // its name before driver 510
      get_processes_ = library_.function<ProcessGetter>("nvmlDeviceGetComputeRunningProcesses_v2");
    }
  }

  std::optional<std::vector<CardProcess>> processes() override {
    if (device_ == nullptr || get_processes_ == nullptr) return std::nullopt;
    unsigned count = usual_processes;
    int status = get(count);
    if (status == nvml_insufficient_size) status = get(count);  // it has said how many there are
    if (status != nvml_success) return std::nullopt;
    std::vector<CardProcess> found;
    for (unsigned k = 0; k < count; ++k) {
      CardProcess& process = found.emplace_back(CardProcess{room_[k].pid, room_[k].used_bytes});
      // None is what a container is told of a process by the number that it has there.
      if (process.bytes == nvml_not_available || process.bytes == 0) process.bytes.reset();
    }
    return found;
  }

  std::optional<std::uint64_t> used_bytes() override {
    NvmlMemory memory{};
    if (device_ == nullptr || get_memory_ == nullptr ||
        get_memory_(device_, &memory) != nvml_success) {
      return std::nullopt;
    }
    return memory.used;
  }

 private:
  // Drivers 535.43 to 535.86 write larger entries under this name: there is room for those.
  int get(unsigned& count) {
    room_.resize(2 * std::size_t{count});
    return get_processes_(device_, &count, room_.data());
  }

  const NvmlLibrary library_;
  const NvmlDevice device_;
  MemoryGetter* const get_memory_;
  ProcessGetter* get_processes_;
  std::vector<NvmlProcess> room_;
};

}  // namespace

std::unique_ptr<CardMemory> open_card_memory(const std::string& uuid, const std::string& library) {
  return std::make_unique<NvmlCardMemory>(uuid, library);
}

}  // namespace lufact::gpu
