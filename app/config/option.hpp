// SPDX-License-Identifier: BSD-3-Clause
// An option of a command is declared once, with the member that it fills: the command line, the
// JSON form and the check of a configuration come from the declaration.
//
// A configuration takes part by a function visit_options(visitor, config) that calls
//   visitor(Option{name, key, group, help}, config.member, what the value must be)
// for each of its options.
#pragma once
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.hpp"

namespace lufact {

// Groups of --help. It shows them in the order in which options first name them.
namespace option_groups {
inline constexpr const char* runs = "What runs";
inline constexpr const char* measuring = "Measuring";
inline constexpr const char* machine = "Machine and memory";
inline constexpr const char* output = "Output";
inline constexpr const char* pipeline = "Pipeline";
inline constexpr const char* input = "Input";
inline constexpr const char* stages = "Single stages";
inline constexpr const char* arrays = "Arrays and kernels";
}  // namespace option_groups

enum class OptionScope {
  measurement,  // decides what is measured: part of a run's id
  variant,      // set for each variant, but no part of its id
  invocation,   // of the whole invocation: neither in an id nor in a sweep's configuration
};

struct Option {
  const char* name;   // "--device-memory-limit"
  const char* key;    // of the JSON form
  const char* group;  // of --help
  const char* help;
  OptionScope scope = OptionScope::measurement;
};

// What the value of an option must be, beyond its type.
struct AnyValue {};

struct InRange {
  double bound;
  bool open;  // the bound itself is outside
  const char* accepted;
  double most = std::numeric_limits<double>::infinity();

  bool holds(const auto& value) const {
    const double number = static_cast<double>(value);
    return (open ? number > bound : number >= bound) && number <= most;
  }
  template <class T>
  bool holds(const std::optional<T>& value) const {
    return !value || holds(*value);
  }
};
constexpr InRange at_least(double least, const char* accepted) {
  return {least, false, accepted};
}
constexpr InRange above(double bound, const char* accepted) {
  return {bound, true, accepted};
}
constexpr InRange between(double least, double most, const char* accepted) {
  return {least, false, accepted, most};
}

struct OneOf {
  std::vector<std::string> names;
};
struct ExistingFile {};
struct FileName {};  // of a file to read, which is looked at later, or to write
struct ByteSize {};  // 16GiB, or `none`
// Names with commas between them.
struct CommaSeparated {
  const char* one = "NAME";  // what --help calls one of them: MODE
  bool required = false;
  bool positional = false;  // they need no --name
};
struct PeerNames {};  // as peer_names.hpp says
// `auto` or another word, which is empty, or a whole number.
struct AutoOr {
  int least, most;
  const char* word = "auto";
};
// Orders of matrices: N, ranges A..B, with commas between them; or `auto`, which is empty, where an
// input may have sizes of its own.
struct Orders {
  Index largest;
  bool or_auto = false;
};

// `auto`, or as many level widths as the mode changes, widest first.
struct LevelWidths {
  static constexpr const char* accepted = "auto, or three level widths A,B,C with A >= B >= C >= 0";
  static bool holds(const std::optional<std::array<int, 3>>& widths) {
    if (!widths) return true;
    const auto [wide, middle, narrow] = *widths;
    return wide >= middle && middle >= narrow && narrow >= 0;
  }
};

// The part of a configuration that a base class is, const where the whole is.
template <class Part>
Part& part_of(Part& config) {
  return config;
}
template <class Part>
const Part& part_of(const Part& config) {
  return config;
}

}  // namespace lufact
