// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/matrix/matrix_ahead.hpp"

#include <exception>

#include "core/matrix/pattern.hpp"

namespace lufact::gpu {
namespace {

template <class T>
Buffer<T> room_for(DeviceSession& session, const std::vector<T>& array, std::string_view what) {
  return {session, MemoryRole::scratch, static_cast<Offset>(array.size()), what};
}

template <class T>
BackgroundUploads::Array upload(const std::vector<T>& from, Buffer<T>& to) {
  return {to.data(), from.data(), to.bytes()};
}

}  // namespace

DeviceMatrixAhead::DeviceMatrixAhead(DeviceSession& session, const CsrMatrix& a)
    : session_(session),
      row_ptr_(room_for(session, a.pattern.row_ptr, "the row pointers of A")),
      col_idx_(room_for(session, a.pattern.col_idx, "the columns of A")),
      values_(room_for(session, a.values, "the values of A")) {
  session_.start_uploads({upload(a.pattern.row_ptr, row_ptr_), upload(a.pattern.col_idx, col_idx_),
                          upload(a.values, values_)});
}

// An error of the device shows in what is next done with it.
DeviceMatrixAhead::~DeviceMatrixAhead() {
  try {
    finish();
  } catch (const std::exception&) {
  }
}

}  // namespace lufact::gpu
