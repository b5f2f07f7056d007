// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/gsofa_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/base/error.hpp"

namespace lufact {
namespace {

constexpr Index largest_chunk = 1024;
constexpr Index most_slices = 4096;  // of a machine that is not there

void require_at_most_largest(const char* name, const std::optional<Index>& value) {
  if (value.value_or(1) <= largest_chunk) return;
  throw UsageError(std::string(name) + " is out of range; accepted: 1 to 1024");
}

GsofaConcurrencyOption parse_concurrency(const std::string& text) {
  using Rule = GsofaConcurrencyOption::Rule;
  if (text == "auto") return {};
  if (text == "paper") return {Rule::paper, 0};
  Offset sources = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, sources);
  if (fault != std::errc{} || rest != end || sources < 1) {
    throw UsageError("--gsofa-concurrency " + text +
                     " is no number of sources; accepted: auto, paper, or 1 or more");
  }
  return {Rule::fixed, sources};
}

void parse_space(const std::string& text, GsofaOptions& options) {
  options.external = options.bubbles = options.dynamic = text == "all";
  if (text == "all" || text == "none") return;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "external") {
      options.external = true;
    } else if (word == "bubbles") {
      options.bubbles = true;
    } else if (word == "dynamic") {
      options.dynamic = true;
    } else {
      throw UsageError("--gsofa-space '" + word +
                       "' is not known; accepted: all, none, or a list of external, bubbles, "
                       "dynamic");
    }
  }
}

// A whole number from `least` on, and nothing else; empty otherwise.
std::optional<int> parse_number(std::string_view text, int least) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || rest != end || number < least) return std::nullopt;
  return number;
}

GsofaMachine parse_machine(const std::string& text) {
  const std::size_t cross = text.find('x');
  const std::string_view behind =
      cross == std::string::npos ? std::string_view() : std::string_view(text).substr(cross + 1);
  const int nodes = parse_number(std::string_view(text).substr(0, cross), 1).value_or(0);
  const int devices = parse_number(behind, 1).value_or(0);
  if (nodes == 0 || devices == 0 || Offset{nodes} * devices > most_slices) {
    throw UsageError(
        fmt::format("--gsofa-virtual {} is no machine; accepted: NODESxDEVICES, such "
                    "as 6x6, with at most {} devices in all",
                    text, most_slices));
  }
  return {nodes, devices};
}

void require_fit(const GsofaOptions& options) {
  if (options.dynamic && !options.bubbles) {
    throw UsageError(
        "--gsofa-space: dynamic needs bubbles, for without it maxId takes the same room in every "
        "batch and there is nothing to divide anew");
  }
  if (options.queue && !options.external) {
    throw UsageError(
        "--gsofa-queue needs external in --gsofa-space, for what the queue does not hold has to go "
        "somewhere");
  }
  if (options.fill_first && options.layout == GsofaLayout::merged) {
    throw UsageError(
        "--gsofa-fill-first needs --gsofa-layout paper, for in merged maxId itself says what is "
        "filled");
  }
}

// Managed variants read what a search leaves in fill(:) of whole chunks.
void require_shared_fill(TeamSharing sharing, const GsofaOptions& options,
                         SupernodeRule supernodes) {
  if (sharing == TeamSharing::bits) return;
  const std::string name = fmt::format("--gsofa-shared {}", to_string(sharing));
  if (options.simulated) {
    throw UsageError(name + " needs devices that are there; --gsofa-virtual takes bits");
  }
  if (options.layout == GsofaLayout::merged) {
    throw UsageError(name + " shares fill, which --gsofa-layout paper has; merged takes bits");
  }
  if (options.intra == GsofaIntra::chunks) {
    throw UsageError(name +
                     " shares the rows of a chunk; --gsofa-intra chunks leaves each chunk "
                     "on one device");
  }
  if (supernodes == SupernodeRule::off) {
    throw UsageError(name + " says how supernodes are found; leave --supernodes off out");
  }
}

// Says that the symbolic stage of the chain does not take several of what `option` asks for, and
// which stages do.
void require_several(const char* option, const char* things, bool StageInfo::*takes_several,
                     const Catalogue& catalogue, const Chain& chain) {
  if (chain.tail.symbolic->info().*takes_several) return;
  std::vector<std::string> names;
  for (const auto& stage : catalogue.symbolic) {
    if (stage->info().*takes_several) names.push_back("--symbolic " + stage->info().name);
  }
  throw UsageError(fmt::format("{}: no stage of this chain takes several {}; accepted: {}", option,
                               things, fmt::join(names, ", ")));
}

constexpr std::string_view ranks_placeholder = "{ranks}";
constexpr std::string_view default_launcher = "mpirun -n {ranks}";

}  // namespace

std::vector<std::string> GsofaConfig::given_for_gsofa() const {
  std::vector<std::string> given;
  const auto note = [&](const Option& option, const auto& value, const auto&...) {
    const bool for_ranks = ranks && option.name == std::string_view("--gsofa-inter");
    if (value && !for_ranks) given.emplace_back(option.name);
  };
  visit_search_options(note, *this);
  return given;
}

GsofaOptions GsofaConfig::search_options() const {
  GsofaOptions options;
  options.chunk_size = chunk_size.value_or(options.chunk_size);
  options.windows = windows != "off";
  options.fill_first = fill_first == "on";
  if (layout == "merged") options.layout = GsofaLayout::merged;
  options.concurrency = parse_concurrency(concurrency.value_or("auto"));
  parse_space(space.value_or("all"), options);
  options.queue = queue;
  options.budget = budget;
  options.inter = inter.value_or(options.inter);
  options.intra = intra.value_or(options.intra);
  if (simulated) options.simulated = parse_machine(*simulated);
  require_fit(options);
  return options;
}

std::vector<int> GsofaConfig::device_numbers() const {
  std::vector<int> numbers;
  for (const std::string& text : devices) {
    const auto number = parse_number(text, 0);
    if (!number) {
      throw UsageError("--devices '" + text +
                       "' is no device; accepted: numbers from 0 on, with commas between them");
    }
    if (std::ranges::find(numbers, *number) != numbers.end()) {
      throw UsageError(fmt::format("--devices names {} twice; name each device once", *number));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<std::string> GsofaConfig::launcher_words() const {
  std::istringstream text(launcher.value_or(std::string(default_launcher)));
  std::vector<std::string> words;
  for (std::string word; text >> word;) {
    const std::size_t place = word.find(ranks_placeholder);
    if (place != std::string::npos) {
      word.replace(place, ranks_placeholder.size(), std::to_string(ranks.value()));
    }
    words.push_back(word);
  }
  return words;
}

void GsofaConfig::check_ranks() const {
  if (launcher && !ranks) throw UsageError("--launcher starts --ranks; say how many");
  if (exchange && !ranks) throw UsageError("--exchange is among --ranks; say how many");
  if (launcher && launcher->find(ranks_placeholder) == std::string::npos) {
    throw UsageError(
        fmt::format("--launcher '{}' does not say how many processes it starts; accepted: a "
                    "command with {{ranks}} in it, such as '{}'",
                    *launcher, default_launcher));
  }
  if (ranks && simulated) {
    throw UsageError(
        "--gsofa-virtual runs the slices of a machine in one process; leave --ranks out");
  }
}

void GsofaConfig::check() const {
  require_at_most_largest("--gsofa-chunk-size", chunk_size);
  require_at_most_largest("--supernode-size", supernode_size);
  if (supernode_size && supernodes != SupernodeRule::t3) {
    throw UsageError("--supernode-size needs --supernodes t3");
  }
  check_ranks();
  const bool several = device_numbers().size() > 1;
  const GsofaOptions options = search_options();
  require_shared_fill(sharing(), options, supernodes);
  if (several && simulated) {
    throw UsageError(
        "--gsofa-virtual runs the slices of a machine on one device; leave --devices out");
  }
  if (intra && !several && !simulated) {
    throw UsageError("--gsofa-intra needs several --devices, or --gsofa-virtual");
  }
  const Index nodes = options.simulated ? options.simulated->nodes : ranks.value_or(1);
  if (inter && nodes == 1) {
    throw UsageError("--gsofa-inter needs several nodes, in --gsofa-virtual or as --ranks");
  }
}

std::string find_absent_device(const GsofaConfig& gsofa, const Machine& machine) {
  if (!machine.device) return "";
  const std::vector<DeviceFacts> all = machine.all_devices();
  for (const int number : gsofa.device_numbers()) {
    if (std::ranges::find(all, number, &DeviceFacts::index) != all.end()) continue;
    return fmt::format("--devices: there is no device {}: the machine has {}, numbered from 0",
                       number, all.size());
  }
  return "";
}

void check_gsofa_options(const GsofaConfig& gsofa, const Catalogue& catalogue, const Chain& chain) {
  const StageInfo& symbolic = chain.tail.symbolic->info();
  const std::vector<std::string> given = gsofa.given_for_gsofa();
  const bool is_gsofa = catalogue.is_gsofa(symbolic.name);
  if (!given.empty() && !is_gsofa) {
    throw UsageError(fmt::format("{} is read by --symbolic {} alone, not by {}; leave it out",
                                 fmt::join(given, ", "), fmt::join(catalogue.gsofa_stages, ", "),
                                 symbolic.name));
  }
  if (gsofa.devices.size() > 1) {
    require_several("--devices", "devices", &StageInfo::several_devices, catalogue, chain);
  }
  if (gsofa.ranks) {
    require_several("--ranks", "processes", &StageInfo::several_ranks, catalogue, chain);
  }
  if (gsofa.exchange == ExchangeOption::nccl && symbolic.side == Side::host) {
    throw UsageError(
        fmt::format("--exchange nccl sends from device to device; {} finds its rows "
                    "on the host; accepted: auto, mpi",
                    symbolic.name));
  }
  if (gsofa.supernode_size && is_gsofa) {
    throw UsageError("--supernode-size: the chunk size of " + symbolic.name +
                     " is its largest supernode; use --gsofa-chunk-size");
  }
  if (gsofa.supernodes == SupernodeRule::t3 && !(symbolic.gives == product_types::column_pattern)) {
    throw UsageError(fmt::format("--supernodes t3 looks for them in a {}; {} gives a {}",
                                 product_types::column_pattern.name, symbolic.name,
                                 symbolic.gives.name));
  }
}

void tell_gsofa_options(const GsofaConfig& gsofa, const Catalogue& catalogue, const Chain& chain,
                        StageOptions& options) {
  const bool is_gsofa = catalogue.is_gsofa(chain.tail.symbolic->info().name);
  options.gsofa = gsofa.search_options();
  options.supernodes = gsofa.supernodes;
  if (options.supernodes == SupernodeRule::automatic) {
    options.supernodes = is_gsofa ? SupernodeRule::t3 : SupernodeRule::off;
  }
  options.supernode_size =
      is_gsofa ? options.gsofa.chunk_size : gsofa.supernode_size.value_or(options.supernode_size);
}

}  // namespace lufact
