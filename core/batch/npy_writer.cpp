// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/batch/npy.hpp"

namespace lufact {
namespace {

constexpr std::size_t alignment = 64;  // of the data, as numpy.lib.format has it

std::size_t size_of(NpyType type) {
  return type == NpyType::float64 ? 8 : 4;
}

std::string header_text(NpyType type, const std::vector<Offset>& shape) {
  std::string dimensions;
  for (const Offset extent : shape) dimensions += fmt::format("{}, ", extent);
  if (shape.size() > 1) dimensions.resize(dimensions.size() - 2);
  const char* const descr = type == NpyType::float64   ? "<f8"
                            : type == NpyType::float32 ? "<f4"
                                                       : "<i4";
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, dimensions);
  const std::size_t before = npy_magic.size() + 4;
  const std::size_t used = before + text.size() + 1;
  text.append((alignment - used % alignment) % alignment, ' ');
  text += '\n';
  return text;
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, NpyType type, std::vector<Offset> shape)
    : file_(path, false), type_(type), shape_(std::move(shape)) {
  if (shape_.size() < 2) throw std::invalid_argument("an array of matrices or rows");
  Offset entries = 1;
  for (const Offset extent : shape_) {
    entries = static_cast<Offset>(checked_bytes(entries, at(extent)));
  }
  left_ = checked_bytes(entries, size_of(type_));
  const std::string text = header_text(type_, shape_);
  std::string head(npy_magic);
  head +=
      {'\x01', '\x00', static_cast<char>(text.size() & 255U), static_cast<char>(text.size() >> 8U)};
  file_.write(head + text);
}

void NpyWriter::write(const void* data, std::size_t bytes) {
  if (bytes > left_) throw std::logic_error("more entries than the array has");
  left_ -= bytes;
  file_.write({static_cast<const char*>(data), bytes});
}

void NpyWriter::add_matrix(std::span<const double> by_columns) {
  const std::size_t rows = at(shape_[shape_.size() - 2]), columns = at(shape_.back());
  if (by_columns.size() != rows * columns || type_ == NpyType::int32) {
    throw std::invalid_argument("not a matrix of this array");
  }
  const std::size_t size = size_of(type_);
  row_major_.resize(by_columns.size() * size);
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < rows; ++i) {
      char* const to = row_major_.data() + (i * columns + j) * size;
      const double value = by_columns[j * rows + i];
      const auto narrow = static_cast<float>(value);
      type_ == NpyType::float64 ? std::memcpy(to, &value, size) : std::memcpy(to, &narrow, size);
    }
  }
  write(row_major_.data(), row_major_.size());
}

void NpyWriter::add_row(std::span<const std::int32_t> row) {
  if (row.size() != at(shape_.back()) || type_ != NpyType::int32) {
    throw std::invalid_argument("not a row of this array");
  }
  write(row.data(), row.size_bytes());
}

void NpyWriter::commit() {
  if (left_ != 0) throw std::logic_error("the array is not full");
  file_.commit();
}

}  // namespace lufact
