// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/mpi_finding.hpp"

#include <unistd.h>

#include <cstdlib>

#include "app/peers/external_program.hpp"
#include "app/run/launch.hpp"

namespace lufact {
namespace {

constexpr const char* default_launcher = "mpirun";

bool is_refused_as_root(const std::string& version) {
  return geteuid() == 0 && version.find("Open MPI") != std::string::npos &&
         (std::getenv("OMPI_ALLOW_RUN_AS_ROOT") == nullptr ||
          std::getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == nullptr);
}

}  // namespace

MpiFinding find_mpi() {
  MpiFinding finding;
  const std::string program = rank_program();
  if (program.empty()) {
    finding.reason = no_rank_program;
  } else {
    finding.rank_program = program;
  }
  const ProgramResult asked =
      run_program(std::string(default_launcher) + " --version", "/dev/null");
  if (asked.not_found || !asked.fault.empty()) {
    if (!finding.reason) {
      finding.reason =
          "mpirun was not found; install an MPI, or say with --launcher what starts ranks";
    }
    return finding;
  }
  finding.launcher = default_launcher;
  finding.version = asked.out.substr(0, asked.out.find('\n'));
  if (!finding.reason && is_refused_as_root(*finding.version)) {
    finding.reason =
        "mpirun refuses to start ranks as root; run lufact as another user, or set "
        "OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1";
  }
  return finding;
}

}  // namespace lufact
