// SPDX-License-Identifier: BSD-3-Clause
// JSON text sequences (RFC 7464): each record stands between a record separator and a line feed, so
// that it can be told from what else a program writes to the same stream.
#pragma once
#include <string>
#include <string_view>

namespace lufact {

inline constexpr char record_separator = '\x1e';

class MarkedRecords {
 public:
  void add(std::string_view bytes);
  // The next whole record, without its marks. A record in which another one begins was cut off, and
  // is dropped as is what stands outside of records.
  bool take(std::string& record);

 private:
  std::string buffer_;
};

}  // namespace lufact
