// SPDX-License-Identifier: BSD-3-Clause
// How a run can end, and the exceptions that carry it.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lufact {

// The outcome of a run, spelled as in the result file.
enum class Outcome {
  ok,
  singular_structural,
  singular_numeric,
  inaccurate,
  oom_device,
  oom_host,
  timeout,
  unsupported,
  error
};

std::string_view to_string(Outcome outcome) noexcept;
std::optional<Outcome> parse_outcome(std::string_view text) noexcept;

// A run that cannot go on. `code` is a stable identifier for scripts ("bad_matrix",
// "structurally_singular"); what() says what happened and what to do.
class Error : public std::runtime_error {
 public:
  Error(Outcome outcome, std::string code, const std::string& message)
      : std::runtime_error(message), outcome_(outcome), code_(std::move(code)) {}
  Outcome outcome() const noexcept { return outcome_; }
  const std::string& code() const noexcept { return code_; }

 private:
  Outcome outcome_;
  std::string code_;
};

// Wrong usage of the command line: exit status 2, no record. The message names the option and
// the accepted values.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lufact
