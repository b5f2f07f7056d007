// SPDX-License-Identifier: BSD-3-Clause
// The program with a second workload, and with stages of the first that count sources.
#include "app/program.hpp"
#include "app/sparse/sparse_workload.hpp"
#include "app/test/counting_stages.hpp"
#include "app/test/sums_workload.hpp"
#include "app/workloads.hpp"
#include "lufact/catalogue.hpp"

int main(int argc, char** argv) {
  lufact::Catalogue catalogue = lufact::make_catalogue();
  lufact::test::add_counting_stages(catalogue);
  lufact::Workloads workloads = lufact::make_workloads();
  workloads.front() = std::make_unique<lufact::SparseWorkload>(std::move(catalogue));
  workloads.push_back(std::make_unique<lufact::test::SumsWorkload>());
  return lufact::run_program(argc, argv, workloads);
}
