// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/workload/input.hpp"
#include "core/distribution/rank_group.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/pipeline/record.hpp"
#include "core/run/measured_run.hpp"

namespace lufact {

// What a worker process is asked to open.
struct OpenRequest {
  nlohmann::json variant;  // VariantPlan::request
  Input input;
  std::string folder;  // for files, where the plan asked for one
  bool count_page_faults = false;
  bool count_sources = false;
  RankGroup* ranks = nullptr;  // this process and others that share a stage; null: it is alone
};

// The part of one variant that a rank other than the first has.
class RankAssistant {
 public:
  virtual ~RankAssistant() = default;
  // Once for each stage that the first rank shares. Throws where the group cannot go on.
  virtual void assist() = 0;
  // Between repetitions: whoever has the next turn finds the card free.
  virtual void release() = 0;
};

// One variant on one input, in a worker process of its own.
class VariantWorker {
 public:
  virtual ~VariantWorker() = default;
  // Makes what the variant needs (device context, library) and opens the input, in the phases of
  // `setup`. Throws Error.
  virtual void open(PhaseRecorder& setup) = 0;
  // Null until it is open.
  virtual MeasuredRun* run() = 0;
  // Fills `input`, and the section of the input where the workload has one, as far as known.
  virtual void describe_input(RunRecord& record) const = 0;
  virtual void add_memory(MemoryRecord& memory) const = 0;
  // Writes the files that the user asked for, after the last repetition.
  virtual void write_results() const {}
  // Judges a described record: sets outcome and error, adds warnings.
  virtual void judge(RunRecord& record) const = 0;
  // After run()->release(): whoever has the next turn finds the card free.
  virtual void release() {}
  // Runs once more with the driver counting page faults. Throws Error{unsupported} unless the plan
  // offered it.
  virtual UnifiedMemoryRecord count_page_faults();
  // Runs once more, with a refactorization where `refactors`, while the driver's count of device
  // memory is read. Empty where the variant uses no device. Throws Error{unsupported} as above.
  virtual std::optional<DriverMemoryRecord> count_device_memory(bool refactors);
  // Searches once more and counts what every source does. Throws Error{unsupported} as above.
  virtual GsofaSources count_sources();
};

}  // namespace lufact
