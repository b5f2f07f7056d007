// SPDX-License-Identifier: BSD-3-Clause
// What a machine has, as far as choosing and reporting stages is concerned.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

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

struct HostFacts {
  std::string cpu_model, os;
  int cores = 0, threads = 0;
  std::uint64_t memory_bytes = 0;
};

struct Machine {
  HostFacts host;
  std::optional<DeviceFacts> device;
  std::string device_absent_reason;  // why `device` is empty; empty where there is one
};

// Reads /proc and sysconf; never touches CUDA.
HostFacts query_host();

// Largest resident set of this process so far, in bytes (VmHWM).
std::uint64_t peak_resident_bytes();

}  // namespace lufact
