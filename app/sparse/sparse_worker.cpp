// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/sparse_worker.hpp"

#include <omp.h>

#include "app/config/machine_json.hpp"
#include "app/input/linear_system_input.hpp"
#include "app/sparse/judge.hpp"
#include "core/base/heap.hpp"
#include "core/matrix/reader.hpp"
#include "core/measure/phase_board.hpp"
#include "core/report/run_header.hpp"
#include "gpu/gpu.hpp"

namespace lufact {

SparseWorker::SparseWorker(const OpenRequest& request)
    : config_(run_config_from_json(request.variant.at("config"))), path_(request.input.path) {
  omp_set_num_threads(effective_threads(config_.threads));
}

void SparseWorker::open(PhaseRecorder& setup) {
  open_solver(setup);
  {
    const auto phase = setup.host_scope("read");
    system_.input = read_matrix(path_, read_options(config_));
  }
  complete_linear_system(config_, system_);
  run_ = &make_run();
}

void SparseWorker::describe_input(RunRecord& record) const {
  record.matrix = system_.input.facts;
  record.input = input_of(system_.input.facts);
}

// What a run says itself is of the program that did the work.
void SparseWorker::add_memory(MemoryRecord& memory) const {
  if (!memory.host_peak_bytes) memory.host_peak_bytes = peak_resident_bytes();
}

void SparseWorker::write_results() const {
  const bool solved = run_->solution().size() == system_.b.size();
  if (!config_.solution_file || !solved) return;
  write_block(*config_.solution_file, run_->solution(), system_.rhs);
}

void SparseWorker::run_once(int repetition, bool refactors) {
  refactoring_ = false;
  run_->run_repetition(repetition);
  refactoring_ = true;
  if (refactors) run_->run_refactorization(0);
}

std::optional<DriverMemoryRecord> SparseWorker::count_device_memory(bool refactors) {
  if (!uses_device()) return std::nullopt;
  const PhaseBoard* const board = board_of_phases();
  const auto phase = [this, board] {
    const std::string path = board == nullptr ? std::string() : board->read().phase;
    const std::string top = path.substr(0, path.find('/'));
    return refactoring_ && !top.empty() ? "refactor/" + top : top;
  };
  gpu::keep_held_memory();
  release();
  const auto watch = gpu::watch_driver_memory(config_.device, phase);
  run_once(-1, refactors);
  run_->release();
  release();
  watch->begin();
  run_once(0, refactors);
  DriverMemoryRecord record = watch->end();
  record.held_at_peak = gpu::held_memory_at_peak();
  return record;
}

void SparseWorker::judge(RunRecord& record) const {
  judge_sparse_run(record);
}

}  // namespace lufact
