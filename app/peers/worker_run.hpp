// SPDX-License-Identifier: BSD-3-Clause
// What a worker process serves: one variant, ours or a foreign solver, on one matrix.
#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/pipeline/record.hpp"

namespace lufact {

// Sends one message to the supervisor.
using Answer = std::function<void(const nlohmann::ordered_json&)>;

class WorkerRun {
 public:
  virtual ~WorkerRun() = default;
  virtual void open(const std::string& matrix) = 0;
  virtual nlohmann::ordered_json opened() = 0;  // the answer to `open`
  virtual void sample(int repetition, bool last, const Answer& answer) = 0;
  // Answers {"type": "unified_memory"}; only for runs of our stages on the device.
  virtual void count_page_faults(const Answer& answer) = 0;
  // What is known however the run ended, and where it is.
  virtual RunRecord partial_record() const = 0;
  virtual std::string phase() const = 0;
};

nlohmann::ordered_json sample_message(const char* type, const Sample& sample);
nlohmann::ordered_json opened_message(const std::vector<PhaseTime>& setup,
                                      const MatrixFacts& matrix);

}  // namespace lufact
