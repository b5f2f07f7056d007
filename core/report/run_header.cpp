// SPDX-License-Identifier: BSD-3-Clause
#include "core/report/run_header.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/report/record_fields.hpp"

namespace lufact {
namespace {

using codec::decode;
using codec::Json;

Outcome outcome_from(const std::string& text) {
  const auto outcome = parse_outcome(text);
  if (!outcome.has_value()) throw std::invalid_argument("unknown outcome \"" + text + "\"");
  return *outcome;
}

std::string reading(const std::string& symmetry, const std::string& explicit_zeros) {
  return fmt::format("symmetry {}, explicit zeros {}", symmetry, explicit_zeros);
}

// Schema 1.x: the input is the section `matrix`, the variant the mode or the peer.
void read_first_schema(const Json& run, RunRecord& header) {
  const Json& matrix = run.at("matrix");
  header.workload = "sparse";
  decode(matrix.at("name"), header.input.name);
  decode(matrix.at("path"), header.input.path);
  decode(matrix.at("sha256"), header.input.sha256);
  header.input.reading = reading(matrix.at("symmetry").get<std::string>(),
                                 matrix.at("explicit_zeros").get<std::string>());
  decode(matrix.at("nnz"), header.input.entries);
  const Json& peer = run.at("pipeline").at("peer");
  header.variant = peer.is_null() ? header.mode : peer.get<std::string>();
}

}  // namespace

InputRecord input_of(const MatrixFacts& matrix) {
  InputRecord input;
  input.name = matrix.name;
  input.path = matrix.path;
  if (!matrix.sha256.empty()) input.sha256 = matrix.sha256;
  input.reading = reading(matrix.symmetry == SymmetryMode::expand ? "expand" : "stored",
                          matrix.explicit_zeros == ExplicitZeros::drop ? "drop" : "keep");
  if (matrix.n > 0 || !matrix.field.empty()) input.entries = matrix.nnz;
  return input;
}

RunRecord header_from_json(const Json& run) {
  RunRecord header;
  decode(run.at("id"), header.id);
  decode(run.at("mode"), header.mode);
  header.outcome = outcome_from(run.at("outcome").get<std::string>());
  decode(run.at("until"), header.until);
  if (run.contains("sweep")) decode(run.at("sweep"), header.sweep);  // not in the first records
  if (run.contains("systems")) decode(run.at("systems"), header.systems);  // not before 2.2
  if (is_of_first_schema(run)) {
    read_first_schema(run, header);
    return header;
  }
  decode(run.at("workload"), header.workload);
  decode(run.at("variant"), header.variant);
  decode(run.at("input"), header.input);
  return header;
}

}  // namespace lufact
