// SPDX-License-Identifier: BSD-3-Clause
// The program with a second workload.
#include "app/program.hpp"
#include "app/test/sums_workload.hpp"
#include "app/workloads.hpp"

int main(int argc, char** argv) {
  lufact::Workloads workloads = lufact::make_workloads();
  workloads.push_back(std::make_unique<lufact::test::SumsWorkload>());
  return lufact::run_program(argc, argv, workloads);
}
