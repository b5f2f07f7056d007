// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/earlier_runs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/sha256.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {

std::string environment_of(const Machine& machine, const BuildInfo& build) {
  nlohmann::ordered_json facts{
      {"git_sha", build.git_sha},      {"type", build.type},
      {"cxx", build.cxx_compiler},     {"cuda", build.cuda_compiler.value_or("")},
      {"flags", build.flags},          {"libraries", build.libraries},
      {"cpu", machine.host.cpu_model}, {"threads", machine.host.threads}};
  // Of a changed tree the commit says nothing.
  if (build.git_dirty.value_or(true)) facts["program"] = sha256_of_file("/proc/self/exe");
  if (machine.device) {
    const DeviceFacts& device = *machine.device;
    facts["device"] = {device.name, device.compute_capability, device.memory_bytes, device.driver,
                       device.runtime};
  }
  return sha256_of_text(facts.dump()).substr(0, 16);
}

bool is_to_be_made_again(const RunRecord& run) {
  const bool interrupted = run.error && run.error->code == "interrupted";
  return interrupted || !run.input.sha256 || run.outcome == Outcome::unsupported;
}

EarlierRuns::EarlierRuns(const std::string& output,
                         const std::vector<std::vector<RunRecord>>& wanted) {
  for (const auto& input : wanted) {
    for (const RunRecord& run : input) {
      wanted_.insert(key_of(run));
      environment_ = run.environment.value();
    }
  }
  for (RunRecord& run : read_earlier_runs(output)) {
    const bool answers = run.environment == environment_ && wanted_.contains(key_of(run));
    if (answers && !is_to_be_made_again(run)) done_.emplace(key_of(run), std::move(run));
  }
  for (const auto& input : wanted) {
    if (of_input(input)) continue;
    for (const RunRecord& run : input) done_.erase(key_of(run));
  }
}

EarlierRuns::Key EarlierRuns::key_of(const RunRecord& run) {
  return {run.id, run.input.path.value_or(run.input.name)};
}

ResultWriter::Earlier EarlierRuns::judge(const RunRecord& run) {
  const Key key = key_of(run);
  if (run.environment != environment_ || !wanted_.contains(key)) {
    return ResultWriter::Earlier::set_aside;
  }
  const bool counts = done_.contains(key) && !is_to_be_made_again(run) && told_.insert(key).second;
  return counts ? ResultWriter::Earlier::counts : ResultWriter::Earlier::drop;
}

std::optional<std::vector<RunRecord>> EarlierRuns::of_input(
    const std::vector<RunRecord>& wanted) const {
  std::vector<RunRecord> runs;
  for (const RunRecord& run : wanted) {
    const auto found = done_.find(key_of(run));
    if (found == done_.end()) return std::nullopt;
    runs.push_back(found->second);
  }
  return runs;
}

}  // namespace lufact
