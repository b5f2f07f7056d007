// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace lufact {

// What the driver counted of the device's memory in the repetition of --count-device-memory.
struct DriverMemoryRecord {
  // "process": of this process; "card": of the card, where the driver does not tell processes
  // apart, so that only differences are of this process. Empty: neither, and a reason.
  std::optional<std::string> method;
  std::optional<std::uint64_t> opened_bytes;    // context and libraries, before any repetition
  std::optional<std::uint64_t> baseline_bytes;  // the same after one that warmed up and was freed
  std::optional<std::uint64_t> peak_bytes, peak_over_baseline_bytes;
  std::optional<std::uint64_t> held_over_baseline_bytes;  // at the end, nothing freed yet
  std::optional<std::uint64_t> readings;
  std::optional<std::uint64_t> other_processes;  // that compute on the card, where they are told
  // The largest reading in each top-level phase that lasted for one; "refactor/numeric", ... are
  // those of the refactorization.
  std::map<std::string, std::uint64_t> over_baseline_by_phase;
  // Of our own stages: what they held when that was most, by the names of the arrays.
  std::map<std::string, std::uint64_t> held_at_peak;
  std::optional<std::string> unavailable_reason;
};

}  // namespace lufact
