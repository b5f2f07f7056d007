// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands/commands.hpp"
#include "app/config/command_line.hpp"
#include "app/config/json_optional.hpp"
#include "app/config/machine_json.hpp"
#include "app/config/machine_options.hpp"
#include "app/config/option_values.hpp"
#include "app/config/peaks_file.hpp"
#include "app/config/peer_names.hpp"
#include "app/config/rates_file.hpp"
#include "app/describe/description_text.hpp"
#include "app/describe/gsofa_batch.hpp"
#include "app/programs/peer_program.hpp"
#include "app/run/mpi_finding.hpp"
#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/rates/host_peaks.hpp"
#include "core/report/build_info.hpp"
#include "core/report/result_file.hpp"
#include "gpu/gpu.hpp"
#include "lufact/array_catalogue.hpp"
#include "lufact/catalogue.hpp"

namespace lufact {
namespace {

struct DoctorOptions {
  bool json = false, measure = false;
  int device = 0;
};

void visit_options(auto&& option, Is<DoctorOptions> auto& options) {
  visit_device(option, options.device);
}

Support mode_support(const Catalogue& catalogue, const Mode& mode, const Machine& machine) {
  return resolve_chain(catalogue, mode.stages).supported(machine, Until::solve);
}

nlohmann::ordered_json modes_to_json(const Catalogue& catalogue, const Machine& machine) {
  auto modes = nlohmann::ordered_json::array();
  for (const Mode& mode : catalogue.modes) {
    const Support support = mode_support(catalogue, mode, machine);
    modes.push_back({{"name", mode.name},
                     {"can_run", support.ok},
                     {"reason", support.ok ? nlohmann::ordered_json(nullptr)
                                           : nlohmann::ordered_json(support.reason)}});
  }
  return modes;
}

nlohmann::ordered_json array_stages_to_json(const Machine& machine) {
  auto stages = nlohmann::ordered_json::array();
  for (const auto& stage : make_array_stages()) {
    const Support support = stage->supported(machine);
    stages.push_back({{"workload", stage->facts().workload},
                      {"name", stage->facts().name},
                      {"can_run", support.ok},
                      {"reason", support.ok ? nlohmann::ordered_json(nullptr)
                                            : nlohmann::ordered_json(support.reason)}});
  }
  return stages;
}

// Names by what is to be said of them, so that what many share is told once.
class SharedAnswers {
 public:
  explicit SharedAnswers(const Machine& machine) : device_absent_(machine.device_absent_reason) {}

  void add(const std::string& kind, const std::string& name, const Support& support) {
    const Line line{kind, answer_of(support)};
    if (!names_.contains(line)) order_.push_back(line);
    names_[line].push_back(name);
  }
  void print() const {
    for (const Line& line : order_) {
      fmt::print("{:<7} {}: {}\n", line.first, fmt::join(names_.at(line), ", "), line.second);
    }
  }

 private:
  using Line = std::pair<std::string, std::string>;  // kind and answer

  // Why there is no device stands in the line of the device.
  std::string answer_of(const Support& support) const {
    if (support.ok) return "can run here";
    const bool is_known = !device_absent_.empty() && support.reason.ends_with(device_absent_);
    return is_known ? "cannot run here without a device" : support.reason;
  }

  std::string device_absent_;
  std::vector<Line> order_;
  std::map<Line, std::vector<std::string>> names_;
};

void print_what_can_run(const Catalogue& catalogue, const Machine& machine) {
  SharedAnswers answers(machine);
  for (const Mode& mode : catalogue.modes) {
    answers.add("mode", mode.name, mode_support(catalogue, mode, machine));
  }
  for (const auto& stage : make_array_stages()) {
    answers.add(stage->facts().workload, stage->facts().name, stage->supported(machine));
  }
  answers.print();
}

// What a search of GSoFa may have in flight on the device for matrices of these sizes, the matrix
// itself left out.
constexpr Index gsofa_rows[] = {100'000, 1'000'000};

// Empty where not even one source fits into what is free.
std::optional<GsofaBatch> gsofa_batch(Index n, const DeviceFacts& device) {
  try {
    return plan_gsofa_batch(n, device.free_bytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

nlohmann::ordered_json gsofa_to_json(const DeviceFacts& device) {
  auto batches = nlohmann::ordered_json::array();
  for (const Index n : gsofa_rows) {
    batches.push_back({{"rows", n}, {"batch", to_json(gsofa_batch(n, device))}});
  }
  return batches;
}

void print_gsofa(const DeviceFacts& device) {
  for (const Index n : gsofa_rows) {
    const std::optional<GsofaBatch> batch = gsofa_batch(n, device);
    fmt::print("gsofa   {} rows: {}\n", n,
               batch
                   ? fmt::format("at most {} sources in flight (#C) in {}, {} by the paper's rule",
                                 batch->most_sources, format_byte_size(batch->array_bytes),
                                 batch->paper_sources)
                   : fmt::format("no source fits in half of the {} that are free",
                                 format_byte_size(device.free_bytes)));
  }
}

std::vector<PeerFinding> find_peers(PeerKind kind, int device) {
  std::vector<PeerFinding> findings;
  for (const std::string& plugin : all_peer_plugins(kind)) {
    findings.push_back(find_peer(kind, plugin, device));
  }
  return findings;
}

nlohmann::ordered_json peers_to_json(PeerKind kind, int device) {
  auto peers = nlohmann::ordered_json::array();
  for (const PeerFinding& peer : find_peers(kind, device)) {
    peers.push_back({{"name", peer.plugin},
                     {"library", or_null(peer.library)},
                     {"version", or_null(peer.version)},
                     {"can_run", !peer.reason.has_value()},
                     {"reason", or_null(peer.reason)},
                     {"warnings", peer.warnings}});
  }
  return peers;
}

void print_peers(PeerKind kind, int device) {
  for (const PeerFinding& peer : find_peers(kind, device)) {
    fmt::print(
        "peer    {:<8} {}{}\n", peer.plugin, kind == PeerKind::array ? "batch and dense: " : "",
        peer.reason ? *peer.reason
                    : fmt::format("{} {}", peer.library.value_or("?"), peer.version.value_or("?")));
    for (const std::string& warning : peer.warnings) {
      fmt::print("peer    {:<8} warning: {}\n", peer.plugin, warning);
    }
  }
}

nlohmann::ordered_json rates_to_json(const RateSet& rates) {
  return {{"name", rates.name},
          {"source", rates.source},
          {"sha256", rates.sha256()},
          {"origins", rates.origins()}};
}

// Whether ranks can be started here, and by what.
nlohmann::ordered_json mpi_to_json(const MpiFinding& mpi) {
  return {{"rank_program", or_null(mpi.rank_program)},
          {"launcher", or_null(mpi.launcher)},
          {"version", or_null(mpi.version)},
          {"can_run", !mpi.reason.has_value()},
          {"reason", or_null(mpi.reason)}};
}

void print_mpi(const MpiFinding& mpi) {
  fmt::print("ranks   {}\n", mpi.reason ? *mpi.reason
                                        : fmt::format("can run here: {}, {}", *mpi.launcher,
                                                      mpi.version.value_or("of unknown version")));
}

// What --exchange nccl would take.
nlohmann::ordered_json nccl_to_json(const gpu::NcclFinding& nccl) {
  return {{"library", or_null(nccl.library)},
          {"version", or_null(nccl.version)},
          {"can_run", !nccl.reason.has_value()},
          {"reason", or_null(nccl.reason)}};
}

void print_nccl(const gpu::NcclFinding& nccl) {
  fmt::print("nccl    {}\n",
             nccl.reason ? *nccl.reason : fmt::format("{}, {}", *nccl.version, *nccl.library));
}

void print_device(const DeviceFacts& device) {
  fmt::print("device  {}: {}, compute capability {}, {} SMs, {} ({} free), driver {}\n",
             device.index, device.name, device.compute_capability, device.sm_count,
             format_byte_size(device.memory_bytes), format_byte_size(device.free_bytes),
             device.driver);
}

void print_links(const std::vector<DeviceLink>& links) {
  for (const DeviceLink& link : links) {
    fmt::print("link    {} -> {}: {}\n", link.from, link.to,
               link.peer_access
                   ? fmt::format("peer access, rank {} of the driver", link.rank.value_or(0))
                   : "no peer access: rows go through the host");
  }
}

// On all processors that this process may use, and on the device where there is one.
MachinePeaks measure_peaks(const Machine& machine, int device) {
  const std::string now = utc_timestamp(std::chrono::system_clock::now());
  MachinePeaks peaks;
  peaks.host = measure_host_peaks({.threads = omp_get_num_procs()});
  peaks.host->measured_at = now;
  if (!machine.device) return peaks;
  const auto session = gpu::open_session({device, std::nullopt});
  peaks.device = gpu::measure_peaks(*session);
  peaks.device->measured_at = now;
  return peaks;
}

std::string per_second(double rate, const char* unit) {
  const double giga = rate * 1e-9;
  return giga < 1000 ? fmt::format("{:.4g} G{}/s", giga, unit)
                     : fmt::format("{:.4g} T{}/s", giga * 1e-3, unit);
}

void print_peaks(const MachinePeaks& peaks) {
  if (peaks.host) {
    fmt::print("peaks   host: copy {}, FP64 {} on {} threads (measured {})\n",
               per_second(peaks.host->copy_bytes_per_s, "B"),
               per_second(peaks.host->fp64_flops_per_s, "flop"), peaks.host->threads,
               peaks.host->measured_at);
  }
  if (peaks.device) {
    fmt::print("peaks   device: copy {}, FP64 {}, FP32 {} (measured {})\n",
               per_second(peaks.device->copy_bytes_per_s, "B"),
               per_second(peaks.device->fp64_flops_per_s, "flop"),
               per_second(peaks.device->fp32_flops_per_s, "flop"), peaks.device->measured_at);
  }
  if (!peaks.host && !peaks.device) {
    fmt::print("peaks   not measured here: `lufact doctor --measure` does in a few seconds\n");
  }
}

std::string limit_text() {
  const auto limit = memory_limit();
  if (!limit) return {};
  return fmt::format(" ({} by the limit of the control group)", format_byte_size(*limit));
}

void print_text(const Machine& machine, const RateSet& rates, const MachinePeaks& peaks) {
  fmt::print("host    {}, {} cores, {} threads, {}{}, {}\n", machine.host.cpu_model,
             machine.host.cores, machine.host.threads, format_byte_size(machine.host.memory_bytes),
             limit_text(), machine.host.os);
  if (machine.device) {
    print_device(*machine.device);
  } else {
    fmt::print("device  none: {}\n", machine.device_absent_reason);
  }
  for (const DeviceFacts& device : machine.other_devices) print_device(device);
  print_links(machine.links);
  const BuildInfo& build = build_info();
  fmt::print("build   lufact {} ({}), {}, {}\n", build.version, build.git_sha, build.type,
             build.cxx_compiler);
  print_peaks(peaks);
  fmt::print("rates   {} ({}): {}{}\n", rates.name, rates.source, rates.origins(),
             calibration_hint(rates));
}

int run_doctor(const DoctorOptions& options) {
  visit_options(RangeCheck{}, options);
  const Catalogue catalogue = make_catalogue();
  const RateSet rates = load_rates();
  const Machine machine = query_machine_in_child(options.device);
  if (options.measure) store_peaks(machine, measure_peaks(machine, options.device));
  const MachinePeaks peaks = load_peaks(machine);
  if (!options.json) {
    print_text(machine, rates, peaks);
    print_mpi(find_mpi());
    print_nccl(gpu::find_nccl());
    print_what_can_run(catalogue, machine);
    if (machine.device) print_gsofa(*machine.device);
    print_peers(PeerKind::solver, options.device);
    print_peers(PeerKind::array, options.device);
    return 0;
  }
  nlohmann::ordered_json json = machine_to_json(machine);
  json["mpi"] = mpi_to_json(find_mpi());
  json["nccl"] = nccl_to_json(gpu::find_nccl());
  json["rates"] = rates_to_json(rates);
  json["peaks"] = peaks_json(peaks);
  json["modes"] = modes_to_json(catalogue, machine);
  json["array_stages"] = array_stages_to_json(machine);
  json["gsofa_batches"] =
      machine.device ? gsofa_to_json(*machine.device) : nlohmann::ordered_json(nullptr);
  json["peers"] = peers_to_json(PeerKind::solver, options.device);
  json["array_peers"] = peers_to_json(PeerKind::array, options.device);
  json["lufact"] = {{"version", build_info().version}, {"git_sha", build_info().git_sha}};
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

Command add_doctor_command(CLI::App& app) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine has and which modes it can run");
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--measure", options->measure,
                    "Measure what host and device can do at most, for rates in records; kept in "
                    "lufact/peaks.json of the user's cache folder, or in the file LUFACT_PEAKS");
  visit_options(CommandLine(*command, {}, true), *options);
  return {command, [options] { return run_doctor(*options); }};
}

}  // namespace lufact
