// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/machine_json.hpp"

#include <cstdlib>
#include <optional>

#include "app/config/json_optional.hpp"
#include "app/process/child_process.hpp"
#include "core/base/processors.hpp"
#include "gpu/gpu.hpp"

namespace lufact {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json device_to_json(const DeviceFacts& device) {
  return {{"index", device.index},
          {"name", device.name},
          {"uuid", device.uuid},
          {"compute_capability", device.compute_capability},
          {"sm_count", device.sm_count},
          {"memory_bytes", device.memory_bytes},
          {"free_bytes", device.free_bytes},
          {"ecc", or_null(device.ecc)},
          {"driver", device.driver},
          {"runtime", device.runtime},
          {"sm_mhz", or_null(device.clocks.sm_mhz)},
          {"memory_mhz", or_null(device.clocks.memory_mhz)},
          {"throttle_reasons", or_null(device.throttle_reasons)}};
}

DeviceFacts device_from_json(const json& from) {
  DeviceFacts device;
  device.index = from.at("index").get<int>();
  device.name = from.at("name").get<std::string>();
  device.uuid = from.at("uuid").get<std::string>();
  device.compute_capability = from.at("compute_capability").get<std::string>();
  device.sm_count = from.at("sm_count").get<int>();
  device.memory_bytes = from.at("memory_bytes").get<std::uint64_t>();
  device.free_bytes = from.at("free_bytes").get<std::uint64_t>();
  read_optional(from, "ecc", device.ecc);
  device.driver = from.at("driver").get<std::string>();
  device.runtime = from.at("runtime").get<std::string>();
  read_optional(from, "sm_mhz", device.clocks.sm_mhz);
  read_optional(from, "memory_mhz", device.clocks.memory_mhz);
  read_optional(from, "throttle_reasons", device.throttle_reasons);
  return device;
}

// The first of the numbers in OMP_NUM_THREADS, which are for levels of nesting. OpenMP itself has
// been told another number by the time that some ask.
std::optional<int> threads_of_environment() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  if (text == nullptr) return std::nullopt;
  const int threads = std::atoi(text);
  if (threads < 1) return std::nullopt;
  return threads;
}

// Every device but `chosen`.
std::vector<DeviceFacts> query_others(int chosen) {
  std::vector<DeviceFacts> others;
  const int count = gpu::device_count();
  for (int number = 0; number < count; ++number) {
    std::string fault;
    if (number == chosen) continue;
    if (const auto device = gpu::query_device(number, fault)) others.push_back(*device);
  }
  return others;
}

}  // namespace

Machine query_machine(int device) {
  Machine machine;
  machine.host = query_host();
  machine.device = gpu::query_device(device, machine.device_absent_reason);
  if (machine.device) {
    machine.other_devices = query_others(device);
    machine.links = gpu::query_links();
  }
  return machine;
}

ordered_json machine_to_json(const Machine& machine) {
  ordered_json result;
  result["host"] = {{"cpu_model", machine.host.cpu_model},
                    {"cores", machine.host.cores},
                    {"threads", machine.host.threads},
                    {"memory_bytes", machine.host.memory_bytes},
                    {"os", machine.host.os}};
  result["device"] = machine.device ? device_to_json(*machine.device) : ordered_json(nullptr);
  result["other_devices"] = json::array();
  for (const DeviceFacts& other : machine.other_devices) {
    result["other_devices"].push_back(device_to_json(other));
  }
  result["links"] = json::array();
  for (const DeviceLink& link : machine.links) {
    result["links"].push_back({{"from", link.from},
                               {"to", link.to},
                               {"peer_access", link.peer_access},
                               {"rank", or_null(link.rank)}});
  }
  result["device_absent_reason"] =
      machine.device ? ordered_json(nullptr) : ordered_json(machine.device_absent_reason);
  return result;
}

Machine machine_from_json(const json& from) {
  Machine machine;
  const json& host = from.at("host");
  machine.host = {host.at("cpu_model").get<std::string>(), host.at("os").get<std::string>(),
                  host.at("cores").get<int>(), host.at("threads").get<int>(),
                  host.at("memory_bytes").get<std::uint64_t>()};
  if (!from.at("device").is_null()) machine.device = device_from_json(from.at("device"));
  for (const json& link : from.at("links")) {
    DeviceLink& read = machine.links.emplace_back();
    read.from = link.at("from").get<int>();
    read.to = link.at("to").get<int>();
    read.peer_access = link.at("peer_access").get<bool>();
    read_optional(link, "rank", read.rank);
  }
  for (const json& other : from.at("other_devices")) {
    machine.other_devices.push_back(device_from_json(other));
  }
  if (!from.at("device_absent_reason").is_null()) {
    machine.device_absent_reason = from.at("device_absent_reason").get<std::string>();
  }
  return machine;
}

Machine query_machine_in_child(int device) {
  constexpr auto limit = std::chrono::seconds(60);
  ChildProcess child({"worker"});
  child.send(json{{"command", "machine"}, {"device", device}}.dump());
  const ChildProcess::Limits limits{std::chrono::steady_clock::now() + limit, std::nullopt,
                                    nullptr};
  std::string line;
  Machine machine;
  machine.host = query_host();
  switch (child.next_line(limits, line)) {
    case ChildProcess::Wait::line: {
      const json message = json::parse(line);
      if (message.at("type") == "machine") return machine_from_json(message);
      machine.device_absent_reason = message.at("message").get<std::string>();
      break;
    }
    case ChildProcess::Wait::timed_out:
      machine.device_absent_reason = "the CUDA driver did not answer within 60 s; try nvidia-smi";
      break;
    default:
      machine.device_absent_reason =
          "asking the CUDA driver ended the process with " + child.ending() + "; try nvidia-smi";
  }
  return machine;
}

int effective_threads(int wanted) {
  if (wanted > 0) return wanted;
  return threads_of_environment().value_or(usable_processors());
}

int threads_beside_device(int wanted) {
  constexpr int enough_to_leave_one = 4;
  const int threads = effective_threads(wanted);
  const bool said = wanted > 0 || threads_of_environment().has_value();
  return said || threads < enough_to_leave_one ? threads : threads - 1;
}

}  // namespace lufact
