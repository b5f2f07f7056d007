// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/linear_system_input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "core/base/byte_size.hpp"
#include "core/base/error.hpp"
#include "core/base/memory_limit.hpp"
#include "core/verify/solution.hpp"

namespace lufact {
namespace {

[[noreturn]] void reject(const std::string& path, std::size_t line, const std::string& why) {
  throw Error(Outcome::error, "bad_rhs", fmt::format("{}:{}: {}", path, line, why));
}

double parse_number(const std::string& text, const std::string& path, std::size_t line) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() ||
      !std::isfinite(value)) {
    reject(path, line, fmt::format("'{}' is not a finite number", text));
  }
  return value;
}

Index parse_size(double number, const std::string& path, std::size_t line) {
  if (number >= 0 && number <= std::numeric_limits<Index>::max() && number == std::floor(number)) {
    return static_cast<Index>(number);
  }
  reject(path, line, fmt::format("{} is no number of rows or columns", number));
}

// Right-hand sides, the solutions they were made from, those found and their residuals.
void require_room_for_rhs(Index rows, int rhs) {
  const std::uint64_t needed = checked_bytes(Offset{rows} * rhs, 4 * sizeof(double));
  const std::uint64_t there = usable_memory();
  if (there == 0 || needed <= there) return;
  throw Error(Outcome::oom_host, "host_out_of_memory",
              fmt::format("--rhs {} of order {} need {} for right-hand sides, solutions and "
                          "residuals; {} can be used here; ask for fewer at a time",
                          rhs, rows, format_byte_size(needed), format_byte_size(there)));
}

}  // namespace

DenseBlock read_block(const std::string& path) {
  std::ifstream file(path);
  if (!file) reject(path, 0, "cannot be opened");
  DenseBlock block;
  bool sized = false, banner = false;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (number == 1 && line.starts_with("%%MatrixMarket")) {
      banner = true;
      if (line.find("array") == std::string::npos || line.find("real") == std::string::npos ||
          line.find("general") == std::string::npos) {
        reject(path, number, "a right-hand side must be a Matrix Market 'array real general'");
      }
    }
    if (line.starts_with("%")) continue;
    std::istringstream words(line);
    std::vector<double> numbers;
    for (std::string word; words >> word;) numbers.push_back(parse_number(word, path, number));
    if (numbers.empty()) continue;
    if (banner && !sized) {
      if (numbers.size() != 2) reject(path, number, "expected 'rows columns'");
      block.rows = parse_size(numbers[0], path, number);
      block.columns = parse_size(numbers[1], path, number);
      sized = true;
      continue;
    }
    block.values.insert(block.values.end(), numbers.begin(), numbers.end());
  }
  if (!banner) {
    block.rows = static_cast<Index>(block.values.size());
    block.columns = 1;
  }
  if (block.values.size() !=
      static_cast<std::size_t>(block.rows) * static_cast<std::size_t>(block.columns)) {
    reject(path, number,
           fmt::format("expected {} x {} numbers, found {}", block.rows, block.columns,
                       block.values.size()));
  }
  return block;
}

void write_block(const std::string& path, const std::vector<double>& values, Index columns) {
  std::ofstream file(path);
  const std::size_t rows = values.size() / static_cast<std::size_t>(columns);
  file << "%%MatrixMarket matrix array real general\n" << rows << ' ' << columns << '\n';
  for (const double value : values) file << fmt::format("{}\n", value);
  file.flush();
  if (!file) {
    throw Error(Outcome::error, "cannot_write", fmt::format("{}: cannot be written", path));
  }
}

void complete_linear_system(const RunConfig& config, LinearSystem& system) {
  const CsrMatrix& a = system.input.matrix;
  system.transposed = config.transpose;
  system.matrix_norm = matrix_norm(a, config.transpose);
  if (!config.rhs_file) {
    system.rhs = config.rhs;
    require_room_for_rhs(a.pattern.n_rows, config.rhs);
    system.x_true = make_x_true(a.pattern.n_rows, config.rhs, config.seed);
    system.b = multiply(a, system.x_true, config.rhs, config.transpose);
    return;
  }
  DenseBlock block = read_block(*config.rhs_file);
  if (block.rows != a.pattern.n_rows) {
    reject(*config.rhs_file, 0,
           fmt::format("has {} rows, the matrix has {}", block.rows, a.pattern.n_rows));
  }
  system.rhs = block.columns;
  system.b = std::move(block.values);
}

}  // namespace lufact
