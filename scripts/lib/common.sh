# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What the scripts share: messages, package lists and the search for CUDA. Sourced, never run.

# The libraries that plug-ins of foreign solvers are built with; orderings need SuiteSparse too.
mapfile -t peer_packages < <(
  awk -F'|' '!/^#/ { print $2 }' "${BASH_SOURCE[0]%/*}/../../baselines/peers/known_peers.txt" |
    tr -s ' ' '\n' | sed '/^$/d' | sort -u)
# Tried on Debian 12; the names are the same on Debian 13 and Ubuntu 24.04.
build_packages=(g++ cmake ninja-build git ca-certificates python3
  libfmt-dev libcli11-dev nlohmann-json3-dev rapidjson-dev libssl-dev zlib1g-dev liblzma-dev
  libmetis-dev "${peer_packages[@]}")
package_tools=(dpkg-dev file)  # what cpack makes a Debian package with
test_packages=(libgtest-dev libgmock-dev xz-utils python3-matplotlib python3-markdown
  libopenmpi-dev openmpi-bin  # several ranks on the cores of a host
  "${package_tools[@]}")
fuzz_packages=(clang libomp-dev)
browser_packages=(chromium chromium-driver python3-selenium)

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
  warn "$(basename "$0"): $*"
  exit 1
}

# The folder that holds CMakeLists.txt.
repository_root() { cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd; }

# Number of parallel compile jobs: the processors, but no more than the free memory carries at
# 1.5 GiB a job.
default_jobs() {
  local cpus memory_kib by_memory
  cpus=$(nproc)
  memory_kib=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
  by_memory=$((${memory_kib:-1572864} / 1572864))
  if ((by_memory < 1)); then by_memory=1; fi
  say $((cpus < by_memory ? cpus : by_memory))
}

# Prints those of the named Debian packages that are not installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    if ! dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
      say "$package"
    fi
  done
}

# run_as_root COMMAND...: as root, or through sudo.
run_as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed for '$*', and there is no sudo; run it as root and start again"
  fi
}

# ensure_packages WHY NO_INSTALL PACKAGE...: installs what is missing, saying what and why. With
# NO_INSTALL = 1 it only names what is missing, and fails where something is.
ensure_packages() {
  local why=$1 no_install=$2 missing
  shift 2
  if ! command -v dpkg-query >/dev/null; then
    warn "no dpkg on this system: needed $why (Debian names): $*"
    return 0
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  if [[ -z $missing ]]; then return 0; fi
  if [[ $no_install == 1 ]]; then
    die "missing packages, needed $why: ${missing% }
install them with: apt-get install --no-install-recommends ${missing% }"
  fi
  say "Installing packages needed $why: ${missing% }"
  run_as_root apt-get update -q
  # shellcheck disable=SC2086  # a list of words
  run_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $missing
}

# offer_packages WHY NO_INSTALL PACKAGE...: as ensure_packages, but of what a test can be skipped
# without: where a package is not to be had it only says so.
offer_packages() {
  local why=$1 no_install=$2 missing package
  shift 2
  if ! command -v apt-cache >/dev/null || [[ $no_install == 1 ]]; then return 0; fi
  missing=$(missing_packages "$@")
  if [[ -z $missing ]]; then return 0; fi
  for package in $missing; do
    if ! apt-cache policy "$package" | grep -q 'Candidate: [0-9]'; then
      say "Not installed, since there is no package $package: what is used $why"
      return 0
    fi
  done
  ensure_packages "$why" "$no_install" "$@"
}

# Prints the path of nvcc where there is one.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/nowhere}/bin/nvcc" \
    /usr/local/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      say "$candidate"
      return 0
    fi
  done
  return 1
}

# Prints nothing where CUDA code can be compiled here (nvcc 12.0 or newer), otherwise why not.
cuda_compiler_fault() {
  local nvcc version
  if ! nvcc=$(find_nvcc); then
    say "there is no CUDA toolkit (nvcc)"
    return 0
  fi
  version=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1.\2/p')
  if ((${version%%.*} < 12)); then say "$nvcc is release $version, older than 12.0"; fi
}

# Prints nothing where the driver shows a device, otherwise why not.
cuda_device_fault() {
  if ! command -v nvidia-smi >/dev/null; then
    say "there is no NVIDIA driver (nvidia-smi)"
  elif ! nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    say "nvidia-smi shows no device"
  fi
}

# Makes CMake see the nvcc that find_nvcc found, also where it is not in PATH.
export_cuda_compiler() {
  local nvcc
  if nvcc=$(find_nvcc); then export CUDACXX=$nvcc; fi
}
