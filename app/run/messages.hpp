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
// What the first rank is told of all ranks when it opens an input; `sha256` is of the file.
nlohmann::json ranks_message(const VariantPlan& plan, const std::string& sha256);
// Equal for programs of one build.
std::string build_name();
OpenRequest open_request(const nlohmann::json& message, RankGroup* ranks);

// The request failed; `phase` says where, empty: outside of phases.
nlohmann::ordered_json failed_message(Outcome outcome, const std::string& code,
                                      const std::string& text, const std::string& phase);

nlohmann::ordered_json sample_message(const char* type, const Sample& sample);
nlohmann::ordered_json opened_message(const std::vector<PhaseTime>& setup, const RunRecord& record);

}  // namespace lufact
