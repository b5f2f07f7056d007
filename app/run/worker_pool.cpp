// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/worker_pool.hpp"

#include <utility>
#include <vector>

#include "app/run/launch.hpp"
#include "app/run/team_environment.hpp"

namespace lufact {

WorkerPool::Variant WorkerPool::variant_of(const VariantPlan& plan) {
  return {plan.record.workload, plan.record.mode, plan.record.variant};
}

// A foreign solver waits as it does anywhere.
std::unique_ptr<ChildProcess> WorkerPool::start(const VariantPlan& plan) {
  if (!plan.launcher.empty()) {
    LauncherCommand command{plan.launcher};
    command.words.push_back(rank_program());
    return std::make_unique<ChildProcess>(command, launch_environment(plan.launcher));
  }
  const bool foreign = plan.record.mode == peer_mode;
  return std::make_unique<ChildProcess>(std::vector<std::string>{"worker"},
                                        foreign ? std::vector<std::string>{} : team_environment());
}

std::unique_ptr<ChildProcess> WorkerPool::take(const VariantPlan& plan) {
  const auto found = idle_.find(variant_of(plan));
  if (found == idle_.end()) return start(plan);
  std::unique_ptr<ChildProcess> worker = std::move(found->second);
  idle_.erase(found);
  return worker;
}

void WorkerPool::give_back(const VariantPlan& plan, std::unique_ptr<ChildProcess> worker) {
  if (!plan.serves_many_inputs) return;
  worker->wait_until_idle();
  idle_.emplace(variant_of(plan), std::move(worker));
}

}  // namespace lufact
