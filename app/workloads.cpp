// SPDX-License-Identifier: BSD-3-Clause
#include "app/workloads.hpp"

#include "app/batch/batch_workload.hpp"
#include "app/dense/dense_workload.hpp"
#include "app/sparse/sparse_workload.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {

Workloads make_workloads() {
  Workloads workloads;
  workloads.push_back(std::make_unique<SparseWorkload>(make_catalogue()));
  workloads.push_back(std::make_unique<BatchWorkload>());
  workloads.push_back(std::make_unique<DenseWorkload>());
  return workloads;
}

}  // namespace lufact
