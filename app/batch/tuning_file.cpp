// SPDX-License-Identifier: BSD-3-Clause
#include "app/batch/tuning_file.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "core/generate/output_file.hpp"
#include "core/report/build_info.hpp"

namespace lufact {
namespace {

auto measured_part(const TunedCandidate& candidate) {
  return std::tuple(candidate.operation, candidate.precision, candidate.layout, candidate.n,
                    candidate.rhs, candidate.kernel);
}

}  // namespace

void add_to_tuning_file(const std::string& path, const std::string& device,
                        const std::vector<TunedCandidate>& measured) {
  BatchTuning tuning;
  if (std::filesystem::exists(path)) tuning = read_tuning(path);
  if (tuning.device != device || tuning.commit != build_info().git_sha) {
    tuning = {device, build_info().git_sha, {}};
  }
  std::erase_if(tuning.candidates, [&](const TunedCandidate& known) {
    return std::ranges::any_of(measured, [&](const TunedCandidate& candidate) {
      return measured_part(candidate) == measured_part(known);
    });
  });
  tuning.candidates.insert(tuning.candidates.end(), measured.begin(), measured.end());
  generate::OutputFile file(path, false);
  file.write(tuning_text(tuning));
  file.commit();
}

}  // namespace lufact
