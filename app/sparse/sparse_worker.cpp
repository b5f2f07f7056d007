// SPDX-License-Identifier: BSD-3-Clause
#include "app/sparse/sparse_worker.hpp"

#include <omp.h>

#include "app/config/machine_json.hpp"
#include "app/input/linear_system_input.hpp"
#include "app/sparse/judge.hpp"
#include "core/base/heap.hpp"
#include "core/matrix/reader.hpp"
#include "core/report/run_header.hpp"

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

void SparseWorker::judge(RunRecord& record) const {
  judge_sparse_run(record);
}

}  // namespace lufact
