// SPDX-License-Identifier: BSD-3-Clause
// Arrays of matrices as files of NumPy (numpy.lib.format, versions 1 to 3, little-endian).
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/raw_vector.hpp"
#include "core/batch/batch_input.hpp"
#include "core/generate/output_file.hpp"

namespace lufact {

// Reads an array of shape (count, n, n) or (n, n), n from 1 to largest_npy_order, of float32 or
// float64, in C or Fortran order. NaN and Inf are values like others. Throws
// Error{error, "bad_matrix"} with file and byte for anything else, Error{oom_host, ...} where it
// does not fit in memory.
GivenMatrices read_npy(const std::string& path);

// The same for bytes in memory; `name` stands for the file in messages.
GivenMatrices parse_npy(std::string_view bytes, const std::string& name);

inline constexpr Index largest_npy_order = 64;

// One matrix by columns, in double.
struct NpyMatrix {
  Index rows = 0, columns = 0;
  RawVector<double> values{};
};

// Reads an array of shape (m, n) of any size under the same conditions.
NpyMatrix read_npy_matrix(const std::string& path);
NpyMatrix parse_npy_matrix(std::string_view bytes, const std::string& name);

// An array of shape (m, n) of any size under the same conditions, whose rows are read where they
// are wanted: the file stays mapped.
class NpyRows {
 public:
  explicit NpyRows(const std::string& path);
  ~NpyRows();
  NpyRows(NpyRows&&) noexcept;

  Index rows() const noexcept;
  Index columns() const noexcept;
  // 0 <= k < rows(). Several threads may read at once.
  std::vector<double> row(Index k) const;

 private:
  struct Mapped;
  std::unique_ptr<const Mapped> mapped_;
};

// What a file begins with.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

enum class NpyType { float32, float64, int32 };

// Writes an array in C order, matrix after matrix. The file appears whole or not at all.
class NpyWriter {
 public:
  // Throws Error{error, "cannot_write"}, as all members do. The last dimension of `shape` is the
  // columns of a matrix.
  NpyWriter(const std::string& path, NpyType type, std::vector<Offset> shape);
  // One matrix by columns, of as many entries as the last two dimensions have. The type is one of
  // floats.
  void add_matrix(std::span<const double> by_columns);
  // The type is int32.
  void add_row(std::span<const std::int32_t> row);
  // Throws std::logic_error where the array is not full.
  void commit();

 private:
  void write(const void* data, std::size_t bytes);

  generate::OutputFile file_;
  NpyType type_;
  std::vector<Offset> shape_;
  std::uint64_t left_ = 0;  // bytes
  std::string row_major_;   // workspace
};

}  // namespace lufact
