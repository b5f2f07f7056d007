// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/generator_comment.hpp"

#include <charconv>
#include <string>

#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {
namespace {

// Consumes the small part of JSON that the line needs; every function says whether it could.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char wanted) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // A string without escapes: kinds and size names are plain identifiers.
  bool take_string(std::string& value) {
    if (!take('"')) return false;
    const std::size_t end = rest_.find_first_of("\"\\");
    if (end == std::string_view::npos || rest_[end] == '\\') return false;
    value = std::string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }

  template <class Integer>
  bool take_integer(Integer& value) {
    skip_blanks();
    const auto [end, status] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

bool take_sizes(Scanner& scanner, std::vector<std::pair<std::string, Offset>>& sizes) {
  if (!scanner.take('{')) return false;
  if (scanner.take('}')) return true;
  do {
    std::pair<std::string, Offset> size;
    if (!scanner.take_string(size.first) || !scanner.take(':')) return false;
    if (!scanner.take_integer(size.second)) return false;
    sizes.push_back(std::move(size));
  } while (scanner.take(','));
  return scanner.take('}');
}

}  // namespace

std::optional<GeneratorFacts> parse_generator_comment(std::string_view line) {
  constexpr std::string_view mark = "lufact generator:";
  const std::size_t found = line.find(mark);
  if (found == std::string_view::npos) return std::nullopt;
  if (line.substr(0, found).find_first_not_of("% \t") != std::string_view::npos) {
    return std::nullopt;
  }
  Scanner scanner(line.substr(found + mark.size()));
  GeneratorFacts facts;
  bool kind = false, sizes = false, seed = false;
  if (!scanner.take('{')) return std::nullopt;
  do {
    std::string key;
    if (!scanner.take_string(key) || !scanner.take(':')) return std::nullopt;
    bool* const seen = key == "kind" ? &kind : key == "sizes" ? &sizes : &seed;
    if (*seen || (seen == &seed && key != "seed")) return std::nullopt;
    *seen = seen == &kind    ? scanner.take_string(facts.kind)
            : seen == &sizes ? take_sizes(scanner, facts.sizes)
                             : scanner.take_integer(facts.seed);
    if (!*seen) return std::nullopt;
  } while (scanner.take(','));
  if (!scanner.take('}') || !scanner.at_end() || !kind || !sizes || !seed) return std::nullopt;
  return facts;
}

}  // namespace lufact::matrix_market
