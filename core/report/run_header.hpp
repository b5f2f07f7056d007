// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/pipeline/record.hpp"

namespace lufact {

// What identifies a run in a result file: id, workload, mode, variant, input, outcome, until,
// sweep and systems; the rest of the record is empty. Takes runs of schema 1.x, which were all
// sparse and said it in other places. Throws as run_from_json() does.
RunRecord header_from_json(const nlohmann::ordered_json& run);

// Whether a run is of schema 1.x, which knew no workload but the sparse one.
template <class Json>
bool is_of_first_schema(const Json& run) {
  return !run.contains("workload");
}

template <class Json>
bool has_section(const Json& run, std::string_view name) {
  const auto section = run.find(name);
  return section != run.end() && !section->is_null();
}

// Whether the phases of a run's refactorizations are told apart by events, which leave out what is
// before the first and behind the last, or not at all.
template <class Json>
bool has_marked_phases(const Json& run) {
  return has_section(run, "refactoring") && run.at("refactoring").at("phases") != "waits";
}

// The input that a sparse run's matrix is.
InputRecord input_of(const MatrixFacts& matrix);

}  // namespace lufact
