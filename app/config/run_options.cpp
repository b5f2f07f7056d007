// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "app/config/choices.hpp"
#include "app/config/peer_names.hpp"
#include "core/base/byte_size.hpp"

namespace lufact {
namespace {

// Breaks between words, so that a line of --help stays below 100 columns.
std::string wrapped(const std::string& text) {
  constexpr std::size_t width = 68;
  std::string lines;
  std::size_t column = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool fits = column + word.size() < width;
    if (column > 0) lines += fits ? ' ' : '\n';
    lines += word;
    column = (fits && column > 0 ? column + 1 : 0) + word.size();
  }
  return lines;
}

void parse_widths(const std::string& text, std::optional<std::array<int, 3>>& target) {
  if (text == "auto") return target.reset();
  std::array<int, 3> widths{};
  const std::vector<std::string> words = CLI::detail::split(text, ',');
  bool good = words.size() == widths.size();
  for (std::size_t k = 0; good && k < widths.size(); ++k) {
    good = CLI::detail::lexical_cast(words[k], widths[k]);
  }
  if (!good) throw CLI::ValidationError("--glu-thresholds", "accepted: auto or A,B,C");
  target = widths;
}

// Adds to a command the options that it is shown. An overload for each kind of value.
class CommandLine {
 public:
  CommandLine(CLI::App& command, AcceptedNames names, bool with_invocation)
      : command_(command), names_(std::move(names)), with_invocation_(with_invocation) {}

  template <class T, class Form = AnyValue>
  void operator()(const Option& option, T& target, const Form& form = {}) {
    if (option.scope == OptionScope::invocation && !with_invocation_) return;
    CLI::Option* added = add(option, target, form);
    added->group(option.group)->description(wrapped(help_of(option)));
  }

 private:
  std::string help_of(const Option& option) const {
    const auto names = names_.find(option.name);
    if (names == names_.end()) return option.help;
    return fmt::format("{}: {}", option.help, fmt::join(names->second, " | "));
  }

  CLI::Option* add(const Option& option, bool& target, AnyValue) {
    return command_.add_flag(option.name, target);
  }

  template <class T>
  CLI::Option* add(const Option& option, T& target, AnyValue) {
    if constexpr (std::is_enum_v<T>) {
      return add_choice(option, target);
    } else {
      CLI::Option* added = command_.add_option(option.name, target);
      return codec::is_optional<T> ? added : added->capture_default_str();
    }
  }

  CLI::Option* add(const Option& option, auto& target, const InRange&) {
    return add(option, target, AnyValue{});
  }

  CLI::Option* add(const Option& option, auto& target, const OneOf& one) {
    return add(option, target, AnyValue{})->check(CLI::IsMember(one.names));
  }

  CLI::Option* add(const Option& option, auto& target, ExistingFile) {
    return add(option, target, AnyValue{})->check(CLI::ExistingFile);
  }

  template <class E>
  CLI::Option* add_choice(const Option& option, E& target) {
    const auto take = [&target](const std::string& text) {
      if (const auto value = parse_choice<E>(text)) target = *value;
    };
    return command_.add_option_function<std::string>(option.name, take)
        ->check(CLI::IsMember(spellings<E>()))
        ->default_str(std::string(to_string(target)));
  }

  CLI::Option* add(const Option& option, std::optional<std::uint64_t>& target, ByteSize) {
    const auto take = [&target, name = option.name](const std::string& text) {
      try {
        target = text == "none" ? std::nullopt : std::optional(parse_byte_size(text));
      } catch (const std::invalid_argument& error) {
        throw CLI::ValidationError(name, error.what());
      }
    };
    return command_.add_option_function<std::string>(option.name, take)->type_name("none|SIZE");
  }

  CLI::Option* add(const Option& option, std::vector<std::string>& target,
                   const CommaSeparated& list) {
    if (list.positional != nullptr) {
      return command_.add_option(fmt::format("{},{}", list.positional, option.name), target)
          ->required(list.required)
          ->delimiter(',');
    }
    // The words behind its value are matrices.
    return command_.add_option(option.name, target)
        ->required(list.required)
        ->delimiter(',')
        ->take_all()
        ->allow_extra_args(false)
        ->capture_default_str();
  }

  CLI::Option* add(const Option& option, std::vector<std::string>& target, PeerNames) {
    const auto take = [&target](const std::vector<std::string>& arguments) {
      for (const std::string& argument : arguments) {
        for (std::string& peer : split_peers(argument)) target.push_back(std::move(peer));
      }
    };
    return command_.add_option_function<std::vector<std::string>>(option.name, take)
        ->type_name("NAME,...|exec:COMMAND")
        ->take_all()
        ->allow_extra_args(false);
  }

  CLI::Option* add(const Option& option, std::optional<std::array<int, 3>>& target, LevelWidths) {
    const auto take = [&target](const std::string& text) { parse_widths(text, target); };
    return command_.add_option_function<std::string>(option.name, take)
        ->type_name("auto|A,B,C")
        ->default_str("auto");
  }

  CLI::App& command_;
  AcceptedNames names_;
  bool with_invocation_;
};

// Options given on the command line win over the profile.
void apply_profile(const CLI::App& command, RunConfig& config) {
  if (config.profile != "paper") return;
  ReadOptions& read = config.given_read;
  if (command.count("--symmetry") == 0) read.symmetry = SymmetryMode::stored;
  if (command.count("--explicit-zeros") == 0) read.explicit_zeros = ExplicitZeros::keep;
  if (command.count("--precision") == 0) config.precision = Precision::float32;
}

}  // namespace

void add_run_options(CLI::App& command, RunConfig& config, AcceptedNames names) {
  visit_options(CommandLine(command, std::move(names), true), config);
}

void add_variant_options(CLI::App& command, RunConfig& config) {
  visit_options(CommandLine(command, {}, false), config);
}

void complete_config(const CLI::App& command, RunConfig& config) {
  apply_profile(command, config);
  check(config);
  check_peers(PeerKind::solver, config.peers);
}

}  // namespace lufact
