// SPDX-License-Identifier: BSD-3-Clause
// What every process of a run of our stages has, the only one as the first and the others of
// several ranks: the settings of the stages, and its devices.
#pragma once
#include <memory>
#include <vector>

#include "app/config/run_config.hpp"
#include "app/workload/variant_worker.hpp"
#include "core/run/pipeline_run.hpp"

namespace lufact {

// The stages that `request.variant` stands for, which holds "config" and "mode".
Chain chain_of(const Catalogue& catalogue, const RunConfig& config, const OpenRequest& request);
// Where `request` is to count sources, those of the search alone, which is all that is run then.
RunSettings run_settings(const Catalogue& catalogue, const RunConfig& config, const Chain& chain,
                         const OpenRequest& request);

// The numbers of the devices that this process is to use: --devices, or --device, shared out in
// runs to the ranks of this host. `ranks` may be null. Throws Error{unsupported,
// "ranks_and_devices"} where they do not divide evenly.
std::vector<int> devices_of_process(const RunConfig& config, const RankGroup* ranks);

class RunDevices {
 public:
  // For the stages of `chain`. Of several ranks all call it at once, each for its own devices.
  // Throws as gpu::open_session and gpu::join_ranks do.
  void open(const RunConfig& config, const Chain& chain, RankGroup* ranks);
  // Of the first one; null before open().
  DeviceSession* session() const noexcept { return session_.get(); }
  // Null for a process that is alone and has one device: stages on several ranks take teams.
  DeviceTeam* team() const noexcept { return team_.get(); }
  int first() const noexcept { return first_; }
  void return_memory() const;

 private:
  void join(const RunConfig& config, const Chain& chain, RankGroup& ranks) const;

  int first_ = 0;
  std::shared_ptr<DeviceSession> session_;
  std::shared_ptr<DeviceTeam> team_;
};

}  // namespace lufact
