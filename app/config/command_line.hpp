// SPDX-License-Identifier: BSD-3-Clause
// Options as they are declared (option.hpp), on a command line: CommandLine is the visitor that
// adds them to a parser.
#pragma once
#include <CLI/CLI.hpp>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "app/config/accepted_names.hpp"
#include "app/config/choices.hpp"
#include "app/config/option.hpp"
#include "app/config/value_checks.hpp"
#include "core/report/json_codec.hpp"

namespace lufact {

// What the help of a command says beside the declarations.
struct HelpTexts {
  AcceptedNames names{};  // behind the text of an option
  std::map<std::string, std::string>
      help{};  // in place of it, where the command means it otherwise
};

// Adds to a command the options that it is shown. An overload for each kind of value. The
// configuration must outlive the parser.
class CommandLine {
 public:
  // Without `with_invocation`, those of the whole invocation are left out.
  CommandLine(CLI::App& command, HelpTexts texts, bool with_invocation)
      : command_(command), texts_(std::move(texts)), with_invocation_(with_invocation) {}

  template <class T, class Form = AnyValue>
  void operator()(const Option& option, T& target, const Form& form = {}) {
    if (option.scope == OptionScope::invocation && !with_invocation_) return;
    CLI::Option* added = add(option, target, form);
    added->group(option.group)->description(description(option));
    if (added->get_type_name() == "TEXT" && texts_.names.contains(option.name)) {
      added->type_name("NAME");
    }
  }

 private:
  std::string description(const Option& option) const;
  static std::string alternatives(const std::vector<std::string>& names);  // "double|float"

  CLI::Option* add(const Option& option, bool& target, AnyValue) {
    return command_.add_flag(option.name, target);
  }

  template <class T>
  CLI::Option* add(const Option& option, T& target, AnyValue) {
    if constexpr (std::is_enum_v<T>) {
      return add_choice<T>(option, target)->default_str(std::string(to_string(target)));
    } else if constexpr (holds_number<T>) {
      return add_number(option, target, any_number<bare<T>>);
    } else {
      CLI::Option* added = command_.add_option(option.name, target);
      return codec::is_optional<T> ? added : added->capture_default_str();
    }
  }

  template <class T>
  requires std::is_enum_v<T> CLI::Option* add(const Option& option, std::optional<T>& target,
                                              AnyValue) {
    return add_choice<T>(option, target);
  }

  CLI::Option* add(const Option& option, auto& target, const InRange& range) {
    return add_number(option, target, range.accepted);
  }

  CLI::Option* add(const Option& option, auto& target, const OneOf& one) {
    return add(option, target, AnyValue{})
        ->check(one_of(one.names))
        ->type_name(alternatives(one.names));
  }

  CLI::Option* add(const Option& option, auto& target, ExistingFile) {
    return add(option, target, AnyValue{})->check(existing_file())->type_name("FILE");
  }

  CLI::Option* add(const Option& option, auto& target, FileName) {
    return add(option, target, AnyValue{})->type_name("FILE");
  }

  // What an optional may hold, or the type itself.
  template <class T>
  struct Bare {
    using type = T;
  };
  template <class T>
  struct Bare<std::optional<T>> {
    using type = T;
  };
  template <class T>
  using bare = typename Bare<T>::type;
  template <class T>
  static constexpr bool holds_number = std::is_arithmetic_v<bare<T>>;

  template <class T>
  CLI::Option* add_number(const Option& option, T& target, const char* accepted) {
    CLI::Option* added = command_.add_option(option.name, target)
                             ->check(number<bare<T>>(accepted))
                             ->type_name(number_name<bare<T>>);
    return codec::is_optional<T> ? added : added->capture_default_str();
  }

  // `target` holds an E or may hold one.
  template <class E>
  CLI::Option* add_choice(const Option& option, auto& target) {
    const auto take = [&target](const std::string& text) {
      if (const auto value = parse_choice<E>(text)) target = *value;
    };
    return command_.add_option_function<std::string>(option.name, take)
        ->check(one_of(spellings<E>()))
        ->type_name(alternatives(spellings<E>()));
  }

  CLI::Option* add(const Option& option, std::optional<std::uint64_t>& target, ByteSize);
  CLI::Option* add(const Option& option, std::vector<std::string>& target,
                   const CommaSeparated& list);
  CLI::Option* add(const Option& option, std::vector<std::string>& target, PeerNames);
  CLI::Option* add(const Option& option, std::optional<std::array<int, 3>>& target, LevelWidths);
  CLI::Option* add(const Option& option, std::optional<int>& target, const AutoOr& range);
  CLI::Option* add(const Option& option, std::vector<Index>& target, const Orders& orders);

  CLI::App& command_;
  HelpTexts texts_;
  bool with_invocation_;
};

// Parses options that have their values as texts; a flag that is set has the value "true". Throws
// UsageError.
void parse_texts(CLI::App& parser, const std::map<std::string, std::string>& texts);

}  // namespace lufact
