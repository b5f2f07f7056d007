// SPDX-License-Identifier: BSD-3-Clause
// What a machine has, as far as choosing and reporting stages is concerned.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lufact {

struct DeviceClocks {
  std::optional<double> sm_mhz, memory_mhz;
};

struct DeviceFacts {
  int index = 0;
  std::string name, uuid, compute_capability, driver, runtime;
  int sm_count = 0;
  std::uint64_t memory_bytes = 0, free_bytes = 0;
  std::optional<bool> ecc;
  DeviceClocks clocks;
  std::optional<std::string> throttle_reasons;
};

// How one device reaches the memory of another.
struct DeviceLink {
  int from = 0, to = 0;
  bool peer_access = false;  // without the host between
  std::optional<int> rank;   // of the driver: the lower, the quicker the link
};

struct HostFacts {
  std::string cpu_model, os;
  int cores = 0, threads = 0;
  std::uint64_t memory_bytes = 0;
};

struct Machine {
  HostFacts host;
  std::optional<DeviceFacts> device;
  std::vector<DeviceFacts> other_devices;  // of the host, by number
  std::vector<DeviceLink> links;           // of every pair of different devices
  std::string device_absent_reason;        // why `device` is empty; empty where there is one

  std::vector<DeviceFacts> all_devices() const;  // of the host, by number
};

// Reads /proc and sysconf; never touches CUDA.
HostFacts query_host();

// Largest resident set of this process so far, in bytes (VmHWM).
std::uint64_t peak_resident_bytes();

}  // namespace lufact
