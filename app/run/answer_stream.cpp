// SPDX-License-Identifier: BSD-3-Clause
#include "app/run/answer_stream.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

#include "app/process/marked_records.hpp"
#include "core/report/record_json.hpp"

namespace lufact {

void AnswerStream::send(const nlohmann::ordered_json& message) const {
  std::string text = dump_json(message) + "\n";
  if (form_ == Form::marked_records) text.insert(text.begin(), record_separator);
  const std::lock_guard lock(mutex_);
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t wrote = write(descriptor_, text.data() + sent, text.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) _exit(1);  // the supervisor is gone
    sent += static_cast<std::size_t>(wrote);
  }
}

}  // namespace lufact
