// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/pipeline_setup.hpp"

#include <fmt/format.h>

#include "app/config/machine_json.hpp"
#include "core/base/error.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

Chain chain_of(const Catalogue& catalogue, const RunConfig& config, const OpenRequest& request) {
  const Mode& mode = catalogue.mode(request.variant.at("mode").get<std::string>());
  return resolve_chain(catalogue, select_stages(config, mode));
}

RunSettings run_settings(const Catalogue& catalogue, const RunConfig& config, const Chain& chain,
                         const OpenRequest& request) {
  RunSettings settings;
  settings.until = config.until;
  settings.verify = config.verify;
  settings.threshold = config.effective_threshold();
  settings.record_profile = config.record_profile;
  settings.seed = config.seed;
  settings.most_replans = config.replans;
  settings.refactoring = config.refactoring;
  settings.options = stage_options(config);
  if (chain.uses_device(config.until)) {
    settings.options.threads = threads_beside_device(config.threads);
  }
  settings.options.dependency = chain.dependency;
  tell_gsofa_options(config.gsofa, catalogue, chain, settings.options);
  if (request.count_sources) {
    settings.options.gsofa.profile = true;
    settings.until = Until::symbolic;
  }
  return settings;
}

std::vector<int> devices_of_process(const RunConfig& config, const RankGroup* ranks) {
  std::vector<int> all = config.gsofa.device_numbers();
  if (all.empty()) all = {config.device};
  if (ranks == nullptr) return all;
  const auto sharing = at(ranks->ranks_on_host());
  if (all.size() % sharing != 0) {
    throw Error(Outcome::unsupported, "ranks_and_devices",
                fmt::format("{} ranks on {} cannot share out {} devices evenly; name as many with "
                            "--devices as there are ranks on a host, or a multiple",
                            sharing, ranks->host(ranks->rank()), all.size()));
  }
  const auto own = static_cast<std::ptrdiff_t>(all.size() / sharing);
  const auto begin = all.begin() + own * ranks->place_on_host();
  return {begin, begin + own};
}

void RunDevices::open(const RunConfig& config, const Chain& chain, RankGroup* ranks) {
  const std::vector<int> numbers = devices_of_process(config, ranks);
  first_ = numbers.front();
  session_ = gpu::open_session({first_, config.device_memory_limit, config.host_memory_limit});
  if (numbers.size() == 1 && ranks == nullptr) return;
  std::vector<gpu::SessionOptions> others;
  for (std::size_t k = 1; k < numbers.size(); ++k) {
    others.push_back({numbers[k], config.device_memory_limit});
  }
  team_ = gpu::open_team(*session_, others, config.gsofa.sharing());
  if (ranks != nullptr) join(config, chain, *ranks);
}

// A symbolic stage of the host sends nothing from a device.
void RunDevices::join(const RunConfig& config, const Chain& chain, RankGroup& ranks) const {
  const bool sends = chain.tail.symbolic->info().side == Side::device;
  gpu::join_ranks(*team_, ranks, sends ? config.gsofa.exchange_or_auto() : ExchangeOption::mpi);
}

void RunDevices::return_memory() const {
  if (session_) gpu::return_memory(*session_);
  if (team_) gpu::return_memory(*team_);
}

}  // namespace lufact
