// SPDX-License-Identifier: BSD-3-Clause
#include "core/matrix/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "core/matrix/source_text.hpp"

namespace lufact::matrix_market {
namespace {

constexpr std::size_t block = 512;

struct RawField {
  std::size_t offset, length;
};
// POSIX.1-1988 header, byte positions.
constexpr RawField name_field{0, 100}, size_field{124, 12}, checksum_field{148, 8},
    prefix_field{345, 155};
constexpr std::size_t type_position = 156;

std::string_view raw(std::string_view header, RawField field) noexcept {
  return header.substr(field.offset, field.length);
}

std::string text_of(std::string_view header, RawField field) {
  const std::string_view bytes = raw(header, field);
  return std::string(bytes.substr(0, bytes.find('\0')));
}

// Octal digits between blanks; GNU tar writes numbers beyond 8 GiB in base 256, marked by the top
// bit of the first byte.
std::optional<std::uint64_t> number_of(std::string_view header, RawField field) {
  std::string_view bytes = raw(header, field);
  std::uint64_t value = 0;
  if ((static_cast<unsigned char>(bytes[0]) & 0x80U) != 0) {
    for (std::size_t k = 1; k < bytes.size(); ++k) {
      if ((value >> 55) != 0) return std::nullopt;
      value = (value << 8) | static_cast<unsigned char>(bytes[k]);
    }
    return value;
  }
  const std::size_t first = bytes.find_first_not_of(' ');
  if (first == std::string_view::npos) return std::nullopt;
  bytes.remove_prefix(first);
  const auto [end, status] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), value, 8);
  if (status != std::errc()) return std::nullopt;
  const std::string_view rest(end, static_cast<std::size_t>(bytes.data() + bytes.size() - end));
  if (rest.find_first_not_of(std::string_view(" \0", 2)) != std::string_view::npos) {
    return std::nullopt;
  }
  return value;
}

// The sum of the header's bytes, those of the checksum itself taken as blanks.
bool checksum_holds(std::string_view header) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < block; ++k) {
    const bool own =
        k >= checksum_field.offset && k < checksum_field.offset + checksum_field.length;
    sum += own ? std::uint64_t{' '} : static_cast<unsigned char>(header[k]);
  }
  return number_of(header, checksum_field) == sum;
}

// What headers of their own say of the member behind them, in place of what is in its header: GNU
// tar's long names, and pax, which has sizes beyond 8 GiB there.
struct Extended {
  std::string path;
  std::optional<std::string_view> size;  // digits
};

// The records "LENGTH KEY=VALUE\n" of a pax header that are of use here.
Extended pax_records(std::string_view records) {
  constexpr std::string_view path_key = "path=", size_key = "size=";
  Extended found;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, status] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (status != std::errc() || length <= digits + 1 || length > records.size()) break;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    if (record.starts_with(path_key)) found.path = std::string(record.substr(path_key.size()));
    if (record.starts_with(size_key)) found.size = record.substr(size_key.size());
    records.remove_prefix(length);
  }
  return found;
}

std::optional<std::uint64_t> decimal(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const behind = digits.data() + digits.size();
  const auto [end, status] = std::from_chars(digits.data(), behind, value);
  if (status != std::errc() || end != behind) return std::nullopt;
  return value;
}

// NAME where `path` is NAME/NAME.mtx, whatever directories stand before it; else empty.
std::string_view matrix_name(std::string_view path) noexcept {
  constexpr std::string_view ending = ".mtx";
  if (!path.ends_with(ending)) return {};
  path.remove_suffix(ending.size());
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view file = path.substr(slash + 1);
  std::string_view directory = path.substr(0, slash);
  directory = directory.substr(directory.rfind('/') + 1);  // npos + 1 is 0: the whole of it
  return file == directory ? file : std::string_view{};
}

class TarWalk {
 public:
  TarWalk(std::string_view archive, const std::string& name) : archive_(archive), name_(name) {}

  // The next regular file; nothing at the end of the archive.
  std::optional<TarMember> next() {
    Extended extended;
    while (position_ + block <= archive_.size()) {
      const std::string_view header = archive_.substr(position_, block);
      if (header.find_first_not_of('\0') == std::string_view::npos) return std::nullopt;
      const char type = header[type_position];
      if (type == 'L') {
        const std::string_view content = take_content(header, {});
        extended.path = std::string(content.substr(0, content.find('\0')));
      } else if (type == 'x') {
        extended = pax_records(take_content(header, {}));
      } else if (type == 'g') {
        take_content(header, {});
      } else {
        const std::string_view content = take_content(header, extended.size);
        if (type == '0' || type == '\0') {
          return TarMember{extended.path.empty() ? header_path(header) : extended.path, content};
        }
        extended = {};
      }
    }
    if (position_ < archive_.size()) fail(name_, "the tar archive ends inside a header");
    return std::nullopt;
  }

 private:
  // `said` is the size where a header before this one has it.
  std::string_view take_content(std::string_view header, std::optional<std::string_view> said) {
    const std::optional<std::uint64_t> size = said ? decimal(*said) : number_of(header, size_field);
    if (!checksum_holds(header) || !size) {
      fail(name_, fmt::format("the tar header at byte {} is corrupt", position_));
    }
    const std::size_t begin = position_ + block;
    if (*size > archive_.size() - begin) {
      fail(name_, fmt::format("the tar archive ends inside its member {} (truncated file?)",
                              quoted(header_path(header))));
    }
    const std::size_t padded = (*size + block - 1) / block * block;
    position_ = begin + std::min(padded, archive_.size() - begin);
    return archive_.substr(begin, *size);
  }

  static std::string header_path(std::string_view header) {
    const std::string prefix = text_of(header, prefix_field);
    const std::string name = text_of(header, name_field);
    const bool posix = header.substr(257).starts_with(std::string_view("ustar\0", 6));
    return posix && !prefix.empty() ? prefix + "/" + name : name;
  }

  std::string_view archive_;
  const std::string& name_;
  std::size_t position_ = 0;
};

}  // namespace

TarMember find_matrix_in_tar(std::string_view archive, const std::string& name,
                             const std::string& preferred) {
  TarWalk walk(archive, name);
  std::optional<TarMember> found;
  std::string others;
  std::size_t members = 0;
  while (const std::optional<TarMember> member = walk.next()) {
    const std::string_view matrix = matrix_name(member->path);
    if (!matrix.empty() && matrix == preferred) return *member;
    if (!matrix.empty() && !found) found = member;
    if (++members <= 5) others += (others.empty() ? "" : ", ") + quoted(member->path);
  }
  if (found) return *found;
  if (members == 0) fail(name, "the tar archive is empty");
  fail(name, fmt::format("the tar archive has no NAME/NAME.mtx; it holds {}{}", others,
                         members > 5 ? ", ..." : ""));
}

}  // namespace lufact::matrix_market
