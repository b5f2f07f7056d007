// SPDX-License-Identifier: BSD-3-Clause
// What supervisor and worker send each other, where both sides or several senders spell it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/workload/variant_plan.hpp"
#include "app/workload/variant_worker.hpp"

namespace lufact {

nlohmann::json open_message(const VariantPlan& plan, const Input& input, const std::string& folder);
OpenRequest open_request(const nlohmann::json& message);

nlohmann::ordered_json sample_message(const char* type, const Sample& sample);
nlohmann::ordered_json opened_message(const std::vector<PhaseTime>& setup, const RunRecord& record);

}  // namespace lufact
