// SPDX-License-Identifier: BSD-3-Clause
#include "app/config/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/config/peer_names.hpp"
#include "core/base/error.hpp"
#include "core/base/suggestion.hpp"

namespace lufact {
namespace {

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

bool is_between(const std::string& text, int least, int most, int& value) {
  return CLI::detail::lexical_cast(text, value) && least <= value && value <= most;
}

// "8" or "1..32" behind what is there; false where it is neither.
bool append_orders(const std::string& word, Index largest, std::vector<Index>& orders) {
  const std::size_t dots = word.find("..");
  Index first = 0, last = 0;
  if (!is_between(word.substr(0, dots), 1, largest, first)) return false;
  last = first;
  if (dots != std::string::npos && !is_between(word.substr(dots + 2), first, largest, last)) {
    return false;
  }
  for (Index order = first; order <= last; ++order) orders.push_back(order);
  return true;
}

}  // namespace

std::string CommandLine::description(const Option& option) const {
  const auto other = texts_.help.find(option.name);
  const std::string help = other == texts_.help.end() ? option.help : other->second;
  const auto names = texts_.names.find(option.name);
  if (names == texts_.names.end()) return help;
  return fmt::format("{}: {}", help, fmt::join(names->second, " | "));
}

std::string CommandLine::alternatives(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, "|"));
}

CLI::Option* CommandLine::add(const Option& option, std::optional<std::uint64_t>& target,
                              ByteSize) {
  const auto take = [&target, name = option.name](const std::string& text) {
    target = text == "none" ? std::nullopt : std::optional(checked_byte_size(name, text));
  };
  return command_.add_option_function<std::string>(option.name, take)->type_name("none|SIZE");
}

CLI::Option* CommandLine::add(const Option& option, std::vector<std::string>& target,
                              const CommaSeparated& list) {
  if (list.positional) {
    return command_.add_option(fmt::format("{},{}", list.one, option.name), target)
        ->required(list.required)
        ->delimiter(',')
        ->type_name(fmt::format("{},...", list.one));
  }
  // The words behind its value are matrices.
  return command_.add_option(option.name, target)
      ->required(list.required)
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false)
      ->type_name(fmt::format("{},...", list.one))
      ->capture_default_str();
}

CLI::Option* CommandLine::add(const Option& option, std::vector<std::string>& target, PeerNames) {
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

CLI::Option* CommandLine::add(const Option& option, std::optional<std::array<int, 3>>& target,
                              LevelWidths) {
  const auto take = [&target](const std::string& text) { parse_widths(text, target); };
  return command_.add_option_function<std::string>(option.name, take)
      ->type_name("auto|A,B,C")
      ->default_str("auto");
}

CLI::Option* CommandLine::add(const Option& option, std::optional<int>& target,
                              const AutoOr& range) {
  const auto take = [&target, range, name = option.name](const std::string& text) {
    int value = 0;
    if (text == range.word) return target.reset();
    if (!is_between(text, range.least, range.most, value)) {
      throw CLI::ValidationError(
          name, fmt::format("'{}' is out of range; accepted: {}, or {} to {}", text, range.word,
                            range.least, range.most));
    }
    target = value;
  };
  return command_.add_option_function<std::string>(option.name, take)
      ->type_name(fmt::format("{}|{}..{}", range.word, range.least, range.most))
      ->default_str(range.word);
}

CLI::Option* CommandLine::add(const Option& option, std::vector<Index>& target,
                              const Orders& orders) {
  const auto take = [&target, orders, name = option.name](const std::string& text) {
    target.clear();
    if (orders.or_auto && text == "auto") return;
    for (const std::string& word : CLI::detail::split(text, ',')) {
      if (append_orders(word, orders.largest, target)) continue;
      throw CLI::ValidationError(
          name,
          fmt::format("'{}' is no order; accepted: 1 to {}, several as N,N,..., ranges as "
                      "1..{}{}",
                      word, orders.largest, orders.largest, orders.or_auto ? ", or auto" : ""));
    }
  };
  return command_.add_option_function<std::string>(option.name, take)
      ->type_name(orders.or_auto ? "N,...|A..B|auto" : "N,...|A..B");
}

void parse_texts(CLI::App& parser, const std::map<std::string, std::string>& texts) {
  std::vector<std::string> words, known;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  for (const auto& [key, value] : texts) {
    const CLI::Option* option = parser.get_option_no_throw("--" + key);
    if (option == nullptr) {
      throw UsageError(fmt::format("there is no option '{}'{}", key, did_you_mean(key, known)));
    }
    const bool is_flag = option->get_items_expected_max() == 0;
    if (value == "true" && !is_flag) throw UsageError(fmt::format("--{} needs a value", key));
    words.push_back(is_flag && value == "true" ? "--" + key : fmt::format("--{}={}", key, value));
  }
  try {
    parser.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace lufact
