// SPDX-License-Identifier: BSD-3-Clause
// Finds the matrix in an archive of the SuiteSparse Matrix Collection.
#pragma once
#include <string>
#include <string_view>

namespace lufact::matrix_market {

struct TarMember {
  std::string path;
  std::string_view content;  // a part of the archive
};

// The member NAME/NAME.mtx of a ustar, pax or GNU archive: right-hand sides (NAME_b.mtx),
// coordinates (NAME_coord.mtx) and the like have other names. Where several directories hold such
// a file, the one called `preferred` wins, else the first. Throws Error{error, "bad_matrix"} where
// a header is damaged, the archive ends early or holds no such member.
TarMember find_matrix_in_tar(std::string_view archive, const std::string& name,
                             const std::string& preferred);

}  // namespace lufact::matrix_market
