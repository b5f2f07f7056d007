// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/worker_run.hpp"

#include "core/report/record_json.hpp"

namespace lufact {

using nlohmann::ordered_json;

ordered_json sample_message(const char* type, const Sample& sample) {
  return {{"type", type}, {"sample", to_json(sample)}};
}

ordered_json opened_message(const std::vector<PhaseTime>& setup, const MatrixFacts& matrix) {
  ordered_json message;
  message["type"] = "opened";
  message["setup"] = ordered_json::array();
  for (const PhaseTime& phase : setup) message["setup"].push_back(to_json(phase));
  message["matrix"] = to_json(matrix);
  return message;
}

}  // namespace lufact
