// SPDX-License-Identifier: BSD-3-Clause
// A result file as it is written, and changes to it, for tests.
#pragma once
#include "core/report/record_json.hpp"
#include "core/report/test/sample_records.hpp"

namespace lufact::test {

inline nlohmann::json written_file() {
  const ResultFile file = file_of(
      {full_run(), scaled_run("0002", "cpu", 2), failed_run(), minimal_run(), peer_run("0003", 3)});
  return nlohmann::json::parse(dump_json(to_json(file), 1));
}

struct Mutation {
  const char* pointer;
  nlohmann::json value;
};

}  // namespace lufact::test
