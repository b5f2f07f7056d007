// SPDX-License-Identifier: BSD-3-Clause
#include "core/batch/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/matrix/file_bytes.hpp"

namespace lufact {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are taken as they lie in files");

constexpr std::size_t largest_header = 1 << 16;  // an array of three dimensions needs some 80 bytes

struct NpyHeader {
  std::string descr;
  std::size_t descr_byte = 0, shape_byte = 0;  // where their values are
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
  std::size_t end = 0;  // where the data begin
};

// The head of a file: a dictionary as Python writes it.
class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  NpyHeader parse() {
    NpyHeader header;
    header.end = find_end();
    expect('{');
    while (!take('}')) {
      read_item(header);
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ != header.end) fail(at_, "the header goes on behind its dictionary");
    if (header.descr.empty()) fail(at_, "the header has no 'descr'");
    if (!header.fortran_order) fail(at_, "the header has no 'fortran_order'");
    if (!header.shape) fail(at_, "the header has no 'shape'");
    return header;
  }

  [[noreturn]] void fail(std::size_t byte, const std::string& why) const {
    throw Error(Outcome::error, "bad_matrix", fmt::format("{}: byte {}: {}", name_, byte, why));
  }

 private:
  // Reads what comes before the dictionary.
  std::size_t find_end() {
    if (!bytes_.starts_with(npy_magic)) fail(0, "not an array of NumPy: no \\x93NUMPY");
    if (bytes_.size() < npy_magic.size() + 2) fail(bytes_.size(), "cut in its version");
    const int version = static_cast<unsigned char>(bytes_[npy_magic.size()]);
    if (version < 1 || version > 3) {
      fail(npy_magic.size(), fmt::format("version {} of the format; accepted: 1, 2, 3", version));
    }
    at_ = npy_magic.size() + 2;
    const std::size_t digits = version == 1 ? 2 : 4;
    if (bytes_.size() < at_ + digits) fail(bytes_.size(), "cut in the length of its header");
    std::size_t length = 0;
    for (std::size_t d = 0; d < digits; ++d) {
      length |= std::size_t{static_cast<unsigned char>(bytes_[at_ + d])} << (8 * d);
    }
    if (length > largest_header) {
      fail(at_, fmt::format("a header of {} bytes; at most {}", length, largest_header));
    }
    at_ += digits;
    if (bytes_.size() < at_ + length) {
      fail(bytes_.size(), fmt::format("cut in its header of {} bytes", length));
    }
    bytes_end_ = at_ + length;
    return bytes_end_;
  }

  void read_item(NpyHeader& header) {
    skip_spaces();
    const std::size_t key_byte = at_;
    const std::string key = read_text();
    expect(':');
    skip_spaces();
    if (key == "descr") {
      header.descr_byte = at_;
      if (at_ < bytes_end_ && bytes_[at_] == '[') fail(at_, "a structured type");
      header.descr = read_text();
    } else if (key == "fortran_order") {
      header.fortran_order = read_truth();
    } else if (key == "shape") {
      header.shape_byte = at_;
      header.shape = read_shape();
    } else {
      fail(key_byte, fmt::format("the header has a key '{}'", key));
    }
  }

  std::string read_text() {
    skip_spaces();
    const char quote = at_ < bytes_end_ ? bytes_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail(at_, "expected a text in quotes");
    const std::size_t end = bytes_.find(quote, at_ + 1);
    if (end >= bytes_end_) fail(at_, "a text without its closing quote");
    std::string text(bytes_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }

  bool read_truth() {
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      const std::string_view expected = word;
      if (bytes_.substr(at_, expected.size()) == expected) {
        at_ += expected.size();
        return value;
      }
    }
    fail(at_, "expected True or False");
  }

  std::vector<std::uint64_t> read_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!take(')')) {
      shape.push_back(read_number());
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::uint64_t read_number() {
    skip_spaces();
    std::uint64_t number = 0;
    const char* const begin = bytes_.data() + at_;
    const auto [end, error] = std::from_chars(begin, bytes_.data() + bytes_end_, number);
    if (error == std::errc::result_out_of_range) fail(at_, "a dimension beyond 64 bits");
    if (error != std::errc{}) fail(at_, "expected a dimension");
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  void skip_spaces() {
    while (at_ < bytes_end_ && (bytes_[at_] == ' ' || bytes_[at_] == '\n')) ++at_;
  }

  bool take(char expected) {
    skip_spaces();
    if (at_ >= bytes_end_ || bytes_[at_] != expected) return false;
    ++at_;
    return true;
  }

  void expect(char expected) {
    if (!take(expected)) fail(at_, fmt::format("expected '{}' in the header", expected));
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0, bytes_end_ = 0;
};

std::size_t size_of_type(const HeaderParser& parser, const NpyHeader& header) {
  const std::string_view descr = header.descr;
  if (descr == "<f8" || descr == "=f8") return sizeof(double);
  if (descr == "<f4" || descr == "=f4") return sizeof(float);
  if (descr == ">f8" || descr == ">f4") {
    parser.fail(header.descr_byte, fmt::format("type {}: the bytes are big-endian", descr));
  }
  parser.fail(header.descr_byte, fmt::format("type {}; accepted: <f8, <f4", descr));
}

void require_bytes(const HeaderParser& parser, const NpyHeader& header, std::uint64_t matrices,
                   std::uint64_t matrix_bytes, std::size_t bytes_left) {
  const std::uint64_t whole = bytes_left / matrix_bytes;
  if (matrices > whole) {
    parser.fail(header.end + bytes_left,
                fmt::format("cut: of {} matrices there are {}", matrices, whole));
  }
  if (matrices * matrix_bytes != bytes_left) {
    parser.fail(header.end + matrices * matrix_bytes, "more bytes than the array has");
  }
}

// The matrices without their values; checks the shape, and against it the bytes that are left.
GivenMatrices sized(const HeaderParser& parser, const NpyHeader& header, std::size_t bytes_left,
                    std::size_t value_size) {
  std::vector<std::uint64_t> shape = *header.shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3 || shape[1] != shape[2]) {
    parser.fail(
        header.shape_byte,
        fmt::format("an array of {} dimensions{}; accepted: shapes (count, n, n), (n, n)",
                    header.shape->size(), shape.size() == 3 ? ", the last two not equal" : ""));
  }
  if (shape[1] < 1 || shape[1] > static_cast<std::uint64_t>(largest_npy_order)) {
    parser.fail(header.shape_byte, fmt::format("matrices of order {}; accepted: 1 to {}", shape[1],
                                               largest_npy_order));
  }
  if (shape[0] < 1) parser.fail(header.shape_byte, "no matrices");
  require_bytes(parser, header, shape[0], shape[1] * shape[1] * value_size, bytes_left);
  return {.n = static_cast<Index>(shape[1]), .count = static_cast<Offset>(shape[0])};
}

NpyMatrix sized_matrix(const HeaderParser& parser, const NpyHeader& header, std::size_t bytes_left,
                       std::size_t value_size) {
  const std::vector<std::uint64_t>& shape = *header.shape;
  constexpr std::uint64_t most = std::numeric_limits<Index>::max();
  const bool fits =
      shape.size() == 2 && std::ranges::all_of(shape, [](auto s) { return s >= 1 && s <= most; });
  if (!fits) {
    parser.fail(header.shape_byte,
                fmt::format("an array of shape ({}); accepted: (m, n) of 1 to {}",
                            fmt::join(shape, ", "), most));
  }
  require_bytes(parser, header, 1,
                checked_bytes(static_cast<Offset>(shape[0] * shape[1]), value_size), bytes_left);
  return {.rows = static_cast<Index>(shape[0]), .columns = static_cast<Index>(shape[1])};
}

template <class T>
double value_at(std::string_view data, Offset position) {
  T value = 0;
  std::memcpy(&value, data.data() + at(position) * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

// Position in the file of entry (i, j) of matrix k.
Offset position_of(const GivenMatrices& given, bool fortran_order, Offset k, Index i, Index j) {
  if (fortran_order) return k + given.count * (i + Offset{given.n} * j);
  return (k * given.n + i) * given.n + j;
}

template <class T>
void take_values(GivenMatrices& given, std::string_view data, bool fortran_order) {
  std::size_t place = 0;
  for (Offset k = 0; k < given.count; ++k) {
    for (Index j = 0; j < given.n; ++j) {
      for (Index i = 0; i < given.n; ++i) {
        given.values[place++] = value_at<T>(data, position_of(given, fortran_order, k, i, j));
      }
    }
  }
}

template <class T>
void take_values(NpyMatrix& matrix, std::string_view data, bool fortran_order) {
  const Offset rows = matrix.rows, columns = matrix.columns;
  for (Offset j = 0; j < columns; ++j) {
    for (Offset i = 0; i < rows; ++i) {
      const Offset place = fortran_order ? j * rows + i : i * columns + j;
      matrix.values[at(j * rows + i)] = value_at<T>(data, place);
    }
  }
}

template <class Read>
auto read_array(const std::string& path, const Read& read) {
  const matrix_market::MappedFile file(path);
  try {
    return read(file.bytes(), path);
  } catch (const std::bad_alloc&) {
    throw Error(Outcome::oom_host, "host_memory",
                fmt::format("{}: its matrices do not fit in memory", path));
  }
}

}  // namespace

GivenMatrices parse_npy(std::string_view bytes, const std::string& name) {
  HeaderParser parser(bytes, name);
  const NpyHeader header = parser.parse();
  const std::size_t value_size = size_of_type(parser, header);
  const std::string_view data = bytes.substr(header.end);
  GivenMatrices given = sized(parser, header, data.size(), value_size);
  const Offset entries = given.count * given.n * given.n;
  checked_bytes(entries, sizeof(double));
  given.values.resize(at(entries));
  value_size == sizeof(double) ? take_values<double>(given, data, *header.fortran_order)
                               : take_values<float>(given, data, *header.fortran_order);
  return given;
}

GivenMatrices read_npy(const std::string& path) {
  return read_array(path, parse_npy);
}

NpyMatrix parse_npy_matrix(std::string_view bytes, const std::string& name) {
  HeaderParser parser(bytes, name);
  const NpyHeader header = parser.parse();
  const std::size_t value_size = size_of_type(parser, header);
  const std::string_view data = bytes.substr(header.end);
  NpyMatrix matrix = sized_matrix(parser, header, data.size(), value_size);
  const Offset entries = Offset{matrix.rows} * matrix.columns;
  matrix.values.resize(checked_bytes(entries, sizeof(double)) / sizeof(double));
  value_size == sizeof(double) ? take_values<double>(matrix, data, *header.fortran_order)
                               : take_values<float>(matrix, data, *header.fortran_order);
  return matrix;
}

NpyMatrix read_npy_matrix(const std::string& path) {
  return read_array(path, parse_npy_matrix);
}

struct NpyRows::Mapped {
  explicit Mapped(const std::string& path) : file(path) {
    HeaderParser parser(file.bytes(), path);
    const NpyHeader header = parser.parse();
    value_size = size_of_type(parser, header);
    fortran_order = *header.fortran_order;
    data = file.bytes().substr(header.end);
    const NpyMatrix shape = sized_matrix(parser, header, data.size(), value_size);
    rows = shape.rows;
    columns = shape.columns;
  }

  const matrix_market::MappedFile file;
  std::string_view data;
  std::size_t value_size = 0;
  bool fortran_order = false;
  Index rows = 0, columns = 0;
};

NpyRows::NpyRows(const std::string& path) : mapped_(std::make_unique<const Mapped>(path)) {}
NpyRows::~NpyRows() = default;
NpyRows::NpyRows(NpyRows&&) noexcept = default;

Index NpyRows::rows() const noexcept {
  return mapped_->rows;
}

Index NpyRows::columns() const noexcept {
  return mapped_->columns;
}

std::vector<double> NpyRows::row(Index k) const {
  const Offset rows = mapped_->rows, columns = mapped_->columns;
  std::vector<double> values(at(columns));
  for (Offset j = 0; j < columns; ++j) {
    const Offset place = mapped_->fortran_order ? j * rows + k : k * columns + j;
    values[at(j)] = mapped_->value_size == sizeof(double) ? value_at<double>(mapped_->data, place)
                                                          : value_at<float>(mapped_->data, place);
  }
  return values;
}

}  // namespace lufact
