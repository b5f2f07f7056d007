// SPDX-License-Identifier: BSD-3-Clause
#include "app/workload/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "core/base/error.hpp"

namespace lufact {

UnifiedMemoryRecord VariantWorker::count_page_faults() {
  throw Error(Outcome::unsupported, "no_page_faults",
              "page faults of this variant are not counted");
}

std::optional<DriverMemoryRecord> VariantWorker::count_device_memory(bool) {
  throw Error(Outcome::unsupported, "no_device_memory",
              "the device memory of this variant is not counted");
}

GsofaSources VariantWorker::count_sources() {
  throw Error(Outcome::unsupported, "no_sources", "this variant has no sources to count");
}

std::unique_ptr<RankAssistant> Workload::make_assistant(const OpenRequest&) const {
  throw Error(Outcome::unsupported, "no_ranks",
              fmt::format("lufact {} works in one process", command()));
}

const Workload& workload_of_command(const Workloads& workloads, std::string_view command) {
  std::vector<std::string_view> commands;
  for (const auto& workload : workloads) {
    if (workload->command() == command) return *workload;
    commands.push_back(workload->command());
  }
  throw UsageError(fmt::format("the command '{}' is not known; accepted: {}", command,
                               fmt::join(commands, ", ")));
}

const Workload& workload_named(const Workloads& workloads, std::string_view name) {
  for (const auto& workload : workloads) {
    if (workload->facts().name == name) return *workload;
  }
  throw std::invalid_argument(fmt::format("no workload is called {}", name));
}

KnownWorkloads facts_of(const Workloads& workloads) {
  KnownWorkloads facts;
  for (const auto& workload : workloads) facts.push_back(workload->facts());
  return facts;
}

}  // namespace lufact
