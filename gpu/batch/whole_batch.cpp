// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/batch/whole_batch.hpp"

#include <stdexcept>

#include "gpu/runtime/session.hpp"

namespace lufact::gpu {
namespace {

std::size_t entries_bytes(const ArrayProblem& problem, Offset entries_of_matrix) {
  if (problem.layout == ArrayLayout::pointers) {
    throw std::invalid_argument("matrices behind addresses are not copied as a whole");
  }
  const Offset entry_bytes = problem.precision == Precision::float64 ? 8 : 4;
  return checked_bytes(problem.count, at(entries_of_matrix * entry_bytes));
}

std::size_t matrices_bytes(const ArrayProblem& problem) {
  return entries_bytes(problem, Offset{problem.ld} * problem.columns);
}

std::size_t vectors_bytes(const ArrayProblem& problem) {
  return entries_bytes(problem, Offset{problem.rows} * problem.rhs);
}

class Copier {
 public:
  Copier(DeviceSession& session, CopyDirection direction, bool page_locked)
      : session_(session), direction_(direction), page_locked_(page_locked) {}

  void copy(void* to, const void* from, std::size_t bytes) {
    if (to == nullptr || from == nullptr) return;
    if (page_locked_) {
      session_.copy_rows(direction_, {.to = to,
                                      .to_pitch = bytes,
                                      .from = from,
                                      .from_pitch = bytes,
                                      .row_bytes = bytes,
                                      .rows = 1});
    } else if (direction_ == CopyDirection::to_device) {
      session_.copy_to_device(to, from, bytes);
    } else {
      session_.copy_to_host(to, from, bytes);
    }
  }

 private:
  DeviceSession& session_;
  const CopyDirection direction_;
  const bool page_locked_;
};

}  // namespace

void upload_batch(DeviceSession& session, const ArrayProblem& problem, const ArrayOperands& host,
                  const ArrayOperands& device, bool page_locked) {
  Copier copier(session, CopyDirection::to_device, page_locked);
  copier.copy(device.a, host.a, matrices_bytes(problem));
  if (problem.rhs > 0) copier.copy(device.b, host.b, vectors_bytes(problem));
  session.synchronize();  // copies have a stream of their own
}

void download_batch(DeviceSession& session, const ArrayProblem& problem,
                    const ArrayOperands& device, const ArrayOperands& host, bool page_locked) {
  session.synchronize();
  Copier copier(session, CopyDirection::to_host, page_locked);
  if (problem.rhs > 0) {
    copier.copy(host.b, device.b, vectors_bytes(problem));
  } else {
    copier.copy(host.result, device.result, matrices_bytes(problem));
  }
  constexpr std::size_t number = sizeof(std::int32_t);
  copier.copy(host.pivots, device.pivots,
              checked_bytes(problem.count, at(problem.order()) * number));
  copier.copy(host.info, device.info, checked_bytes(problem.count, number));
  session.synchronize();
}

}  // namespace lufact::gpu
