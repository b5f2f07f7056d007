// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "gpu/batch/tuning.hpp"

namespace lufact {
namespace {

constexpr std::string_view device_header = "# device: ", commit_header = "# commit: ";
constexpr std::string_view names =
    "operation\tprecision\tlayout\tn\trhs\tkernel\tmatrices_per_block\tcount\tmedian_s";

template <class Value, std::size_t Count>
bool take(const std::string& word, const std::array<Value, Count>& values, Value& value) {
  for (const Value each : values) {
    if (word != to_string(each)) continue;
    value = each;
    return true;
  }
  return false;
}

bool read(const std::string& line, TunedCandidate& candidate) {
  using enum ArrayOperation;
  using enum ArrayLayout;
  std::istringstream fields(line);
  std::string operation, precision, layout, rest;
  fields >> operation >> precision >> layout >> candidate.n >> candidate.rhs >> candidate.kernel >>
      candidate.matrices_per_block >> candidate.count >> candidate.median_s;
  return fields && !(fields >> rest) &&
         take(operation, std::array{lu, inverse, solve}, candidate.operation) &&
         take(precision, std::array{Precision::float32, Precision::float64}, candidate.precision) &&
         take(layout, std::array{contiguous, interleaved, pointers}, candidate.layout) &&
         candidate.n >= 1 && candidate.matrices_per_block >= 1 && candidate.count >= 1 &&
         candidate.median_s > 0;
}

bool is_of(const TunedCandidate& candidate, const ArrayProblem& problem) {
  return candidate.operation == problem.operation && candidate.precision == problem.precision &&
         candidate.layout == problem.layout && candidate.n == problem.order();
}

// Candidates may have been measured with other numbers of matrices.
double seconds_a_matrix(const TunedCandidate& candidate) {
  return candidate.median_s / static_cast<double>(candidate.count);
}

}  // namespace

TunedCandidate candidate_of(const ArrayProblem& problem, std::string kernel,
                            int matrices_per_block) {
  return {problem.operation,  problem.precision, problem.layout,
          problem.order(),    problem.rhs,       std::move(kernel),
          matrices_per_block, problem.count,     0};
}

const TunedCandidate* best_candidate(const BatchTuning& tuning, const ArrayProblem& problem,
                                     const std::function<bool(const std::string&)>& accepts) {
  const TunedCandidate* best = nullptr;
  for (const TunedCandidate& candidate : tuning.candidates) {
    if (!is_of(candidate, problem) || !accepts(candidate.kernel)) continue;
    if (best == nullptr || seconds_a_matrix(candidate) < seconds_a_matrix(*best)) {
      best = &candidate;
    }
  }
  return best;
}

std::string tuning_text(const BatchTuning& tuning) {
  std::string text = fmt::format("{}{}\n{}{}\n{}\n", device_header, tuning.device, commit_header,
                                 tuning.commit, names);
  for (const TunedCandidate& c : tuning.candidates) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.9g}\n", to_string(c.operation),
                        to_string(c.precision), to_string(c.layout), c.n, c.rhs, c.kernel,
                        c.matrices_per_block, c.count, c.median_s);
  }
  return text;
}

BatchTuning parse_tuning(const std::string& text) {
  BatchTuning tuning;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    TunedCandidate candidate;
    if (line.starts_with(device_header)) {
      tuning.device = line.substr(device_header.size());
    } else if (line.starts_with(commit_header)) {
      tuning.commit = line.substr(commit_header.size());
    } else if (line == names || line.empty()) {
      continue;
    } else if (read(line, candidate)) {
      tuning.candidates.push_back(candidate);
    } else {
      throw Error(Outcome::error, "bad_tuning",
                  fmt::format("line {} of the tuning is not a measurement: {}", number, line));
    }
  }
  return tuning;
}

BatchTuning read_tuning(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(Outcome::error, "bad_tuning", "cannot read " + path);
  return parse_tuning(text.str());
}

void refuse_tuning(const std::string& path, const ArrayProblem& problem) {
  throw UsageError(fmt::format("{} has no measurement of {} in {} at order {}", path,
                               to_string(problem.operation), to_string(problem.precision),
                               problem.order()));
}

}  // namespace lufact
