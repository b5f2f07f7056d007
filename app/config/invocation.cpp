// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/invocation.hpp"

#include <algorithm>
#include <chrono>

#include "app/config/machine_json.hpp"
#include "app/config/peaks_file.hpp"
#include "app/config/rates_file.hpp"

namespace lufact {

Meta begin_meta(const std::vector<std::string>& argv, const Machine& machine) {
  Meta meta;
  meta.argv = argv;
  meta.started_at = utc_timestamp(std::chrono::system_clock::now());
  meta.host = machine.host;
  if (machine.device) {
    meta.device = DeviceMeta{*machine.device, machine.device->clocks, {}, std::nullopt};
    meta.devices = machine.all_devices();
  }
  const RateSet rates = load_rates();
  meta.rates = RatesMeta{rates.name, rates.source, rates.sha256()};
  meta.peaks = load_peaks(machine);
  return meta;
}

void complete_meta(Meta& meta, int device) {
  if (!meta.device) return;
  const Machine after = query_machine_in_child(device);
  if (!after.device) return;
  meta.device->clocks_after = after.device->clocks;
  meta.device->throttle_reasons = after.device->throttle_reasons;
}

int status_of(const std::vector<RunRecord>& runs) {
  const auto bad_input = [](const RunRecord& run) {
    return run.error && run.error->code == "bad_matrix";
  };
  if (!runs.empty() && std::all_of(runs.begin(), runs.end(), bad_input)) {
    return exit_status::no_input;
  }
  const bool all_ok = std::all_of(runs.begin(), runs.end(),
                                  [](const RunRecord& run) { return run.outcome == Outcome::ok; });
  return all_ok ? exit_status::ok : exit_status::not_ok;
}

}  // namespace lufact
