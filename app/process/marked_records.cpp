// SPDX-License-Identifier: BSD-3-Clause
#include "app/process/marked_records.hpp"

namespace lufact {

void MarkedRecords::add(std::string_view bytes) {
  buffer_.append(bytes);
}

bool MarkedRecords::take(std::string& record) {
  const std::size_t end = buffer_.find('\n', buffer_.find(record_separator));
  if (end == std::string::npos) {
    if (buffer_.find(record_separator) == std::string::npos) buffer_.clear();
    return false;
  }
  const std::size_t begin = buffer_.rfind(record_separator, end) + 1;
  record = buffer_.substr(begin, end - begin);
  buffer_.erase(0, end + 1);
  return true;
}

}  // namespace lufact
