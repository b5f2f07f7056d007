// SPDX-License-Identifier: BSD-3-Clause
#include "app/peers/external_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/config/machine_json.hpp"
#include "app/input/linear_system_input.hpp"
#include "app/input/permuted_input.hpp"
#include "app/process/last_lines.hpp"
#include "core/generate/matrix_market_writer.hpp"
#include "core/pipeline/counted_phases.hpp"
#include "core/run/repetition.hpp"

namespace lufact {
namespace {

bool names(const std::string& command, std::string_view placeholder) {
  return command.find(placeholder) != std::string::npos;
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The last lines that say anything.
std::string last_words(const std::string& path) {
  const std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  LastLines lines;
  lines.add(text.str() + '\n');
  constexpr std::size_t enough = 3;
  return fmt::format("{}", fmt::join(lines.take_last(enough), " | "));
}

}  // namespace

ExternalRun::ExternalRun(const std::string& command, std::filesystem::path folder,
                         const LinearSystem& system, const RunConfig& config, const Clock& clock)
    : system_(system), config_(config), clock_(clock), folder_(std::move(folder)) {
  const bool input = names(command, "{matrix}") || names(command, "{pattern}");
  const std::string whole = input ? command : command + " {matrix}";
  write_inputs(whole);
  command_ = filled_in(whole);
}

void ExternalRun::write_inputs(const std::string& command) {
  if (names(command, "{matrix}")) {
    write_matrix_market(file("matrix.mtx"), system_.input.matrix, std::nullopt);
  }
  if (names(command, "{pattern}")) {
    write_matrix_market(file("pattern.mtx"), permuted_input(config_, system_.input.matrix),
                        std::nullopt);
  }
  if (names(command, "{rhs}")) write_block(file("rhs.mtx"), system_.b, system_.rhs);
}

std::string ExternalRun::filled_in(std::string command) const {
  for (const char* name : {"matrix", "pattern", "rhs", "solution"}) {
    replace_all(command, fmt::format("{{{}}}", name), shell_word(file(name) + ".mtx"));
  }
  replace_all(command, "{threads}", fmt::format("{}", effective_threads(config_.threads)));
  replace_all(command, "{device}", fmt::format("{}", config_.device));
  return command;
}

Sample ExternalRun::run_repetition(int repetition) {
  x_.clear();
  std::error_code ignored;
  std::filesystem::remove(file("solution.mtx"), ignored);
  const auto begin = clock_.now();
  const ProgramResult result = run_program(command_, file("stderr.txt"));
  const double elapsed = seconds_since(clock_, begin);
  peak_resident_bytes_ = std::max(peak_resident_bytes_, result.peak_resident_bytes);
  answer_ = parse_external_answer(result.out);
  check_end(result);
  take_solution();
  return make_sample(repetition, answer_.phases, elapsed, sparse_counted_phases);
}

// A program that says itself how it failed is believed; one that dies is an error.
void ExternalRun::check_end(const ProgramResult& result) const {
  if (answer_.outcome && *answer_.outcome != Outcome::ok) {
    throw Error(*answer_.outcome, "program_failed",
                fmt::format("the external program reports {}: {}", to_string(*answer_.outcome),
                            answer_.message.empty() ? "without a message" : answer_.message));
  }
  if (result.fault.empty()) return;
  const std::string words = last_words(file("stderr.txt"));
  throw Error(result.not_found ? Outcome::unsupported : Outcome::error,
              result.not_found ? "program_not_found" : "program_failed",
              fmt::format("the external program ended with {}{}", result.fault,
                          words.empty() ? "" : "; its last words: " + words));
}

void ExternalRun::take_solution() {
  if (!answer_.solution) return;
  DenseBlock block;
  try {
    block = read_block(*answer_.solution);
  } catch (const Error& error) {
    throw Error(Outcome::error, "bad_solution",
                fmt::format("the solution of the external program: {}", error.what()));
  }
  if (block.values.size() != system_.b.size()) {
    throw Error(Outcome::error, "bad_solution",
                fmt::format("the solution of the external program has {} numbers, not {}",
                            block.values.size(), system_.b.size()));
  }
  x_ = std::move(block.values);
  if (config_.verify == VerifyLevel::none) return;
  VerificationRecord verdict =
      judge_solution(system_.input.matrix, x_, system_.b, system_, config_.effective_threshold());
  verdict.method = "peer";
  if (const auto steps = count("refinement_steps")) {
    verdict.refinement_steps = static_cast<int>(*steps);
  }
  keep_worse(verification_, verdict);
}

Sample ExternalRun::run_refactorization(int) {
  throw Error(Outcome::unsupported, "no_refactorization",
              "an external program is not asked to refactor");
}

std::optional<Offset> ExternalRun::count(const char* name) const {
  const auto found = answer_.counts.find(name);
  return found == answer_.counts.end() ? std::nullopt : std::optional<Offset>(found->second);
}

std::optional<std::string> ExternalRun::text(const char* name) const {
  const auto found = answer_.texts.find(name);
  return found == answer_.texts.end() ? std::nullopt : std::optional<std::string>(found->second);
}

void ExternalRun::describe_program(RunRecord& record) const {
  PipelineRecord& pipeline = record.pipeline.emplace();
  pipeline.scaling = text("scaling");
  pipeline.ordering = text("ordering");
  pipeline.symbolic = text("symbolic");
  pipeline.numeric = text("numeric");
  PeerRecord& peer = record.peer.emplace();
  peer.library = text("library");
  peer.version = text("version");
  if (const auto threads = count("threads")) peer.threads = static_cast<int>(*threads);
  peer.settings = answer_.settings;
  peer.perturbed_pivots = count("perturbed_pivots");
}

void ExternalRun::describe_factors(RunRecord& record) const {
  FactorsRecord& factors = record.factors.emplace();
  factors.nnz_l = count("nnz_l");
  factors.nnz_u = count("nnz_u");
  factors.levels = count("levels");
  factors.supernodes = count("supernodes");
  factors.flops = answer_.flops;
  if (!factors.nnz_l || !factors.nnz_u) return;
  record.peer->nnz_lu = *factors.nnz_l + *factors.nnz_u;
  const auto nnz = static_cast<double>(system_.input.matrix.pattern.nnz());
  if (nnz > 0) factors.fill_ratio = static_cast<double>(*record.peer->nnz_lu) / nnz;
}

void ExternalRun::describe(RunRecord& record) const {
  describe_program(record);
  describe_factors(record);
  if (const auto bytes = count("device_peak_bytes")) {
    record.memory.device_peak_bytes = static_cast<std::uint64_t>(*bytes);
  }
  record.memory.host_peak_bytes = peak_resident_bytes_;
  if (answer_.phases.empty()) {
    record.warnings.push_back({"no_times", "the external program gave no phase seconds"});
  }
  record.verification = verification_;
  if (!verification_) {
    mark_unverified(record, answer_.solution ? "run with --verify residual to trust this"
                                             : "the external program gave no solution to check");
  }
}

}  // namespace lufact
