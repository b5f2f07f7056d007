// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/byte_size.hpp"

namespace lufact {

// A size such as 16GiB, or `none`, which leaves `target` empty.
inline void add_size_option(CLI::App& command, const std::string& name,
                            std::optional<std::uint64_t>& target, const std::string& help) {
  command
      .add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            if (text == "none") {
              target.reset();
              return;
            }
            try {
              target = parse_byte_size(text);
            } catch (const std::invalid_argument& error) {
              throw CLI::ValidationError(name, error.what());
            }
          },
          help)
      ->type_name("none|SIZE");
}

// One of a closed set of names; the parser rejects others and lists them.
template <class T>
void add_choice_option(CLI::App& command, const std::string& name, T& target,
                       const std::vector<std::pair<std::string, T>>& choices,
                       const std::string& help) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  command
      .add_option_function<std::string>(
          name,
          [&target, choices](const std::string& text) {
            for (const auto& [spelling, value] : choices) {
              if (spelling == text) target = value;
            }
          },
          help)
      ->check(CLI::IsMember(names))
      ->default_str(names.front());
}

}  // namespace lufact
