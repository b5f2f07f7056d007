// SPDX-License-Identifier: BSD-3-Clause
#include "app/program.hpp"
#include "app/workloads.hpp"

int main(int argc, char** argv) {
  return lufact::run_program(argc, argv, lufact::make_workloads());
}
