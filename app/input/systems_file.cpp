// SPDX-License-Identifier: BSD-3-Clause
#include "app/input/systems_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"
#include "core/matrix/reader.hpp"

namespace lufact {
namespace {

// Rows of the file, as values of A's entries.
class ValuesByLine {
 public:
  ValuesByLine(const std::string& path, const CsrMatrix& line_numbers)
      : rows_(path), numbers_(line_numbers.values) {}

  const NpyRows& rows() const noexcept { return rows_; }

  void write(Index system, std::span<double> to) const {
    const std::vector<double> row = rows_.row(system);
    for (std::size_t p = 0; p < to.size(); ++p) {
      const double number = numbers_[p];
      const double value = row[static_cast<std::size_t>(std::abs(number)) - 1];
      to[p] = number < 0 ? -value : value;
    }
  }

 private:
  NpyRows rows_;
  std::vector<double>
      numbers_;  // of the line of each entry, from 1; negative: with its sign turned
};

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw Error(Outcome::error, "bad_matrix", fmt::format("{}: {}", path, why));
}

void check_shape(const std::string& path, const NpyRows& rows, Index systems, Offset lines) {
  if (rows.rows() < systems) {
    reject(path, fmt::format("{} sets of values, which is fewer than --systems {}", rows.rows(),
                             systems));
  }
  if (rows.columns() != lines) {
    reject(path, fmt::format("sets of {} values; the matrix file has {} entry lines",
                             rows.columns(), lines));
  }
}

void check_finite(const std::string& path, const NpyRows& rows, Index systems) {
  for (Index k = 0; k < systems; ++k) {
    const std::vector<double> row = rows.row(k);
    const auto bad = std::ranges::find_if(row, [](double value) { return !std::isfinite(value); });
    if (bad == row.end()) continue;
    reject(path, fmt::format("set {}, value {}: {} is not finite", k, bad - row.begin(), *bad));
  }
}

// Of the matrix that was read, for each of its entries.
CsrMatrix line_numbers_of(const RunConfig& config, const LinearSystem& system) {
  const std::string& path = system.input.facts.path;
  CsrMatrix numbers = read_line_numbers(path, read_options(config));
  if (numbers.pattern.col_idx != system.input.matrix.pattern.col_idx) {
    reject(path, fmt::format("{} entries are stored as 0 and dropped, so that no set of "
                             "--systems-file has values of theirs; give --explicit-zeros keep",
                             system.input.facts.explicit_zeros_dropped));
  }
  return numbers;
}

}  // namespace

SystemsInput systems_input(const RunConfig& config, const LinearSystem& system) {
  SystemsInput input{.count = *config.systems, .seed = config.seed};
  if (!config.systems_file) return input;
  const std::string& path = *config.systems_file;
  const auto values = std::make_shared<const ValuesByLine>(path, line_numbers_of(config, system));
  check_shape(path, values->rows(), input.count, system.input.facts.nnz_stored);
  check_finite(path, values->rows(), input.count);
  input.values = [values](Index k, std::span<double> to) { values->write(k, to); };
  return input;
}

}  // namespace lufact
