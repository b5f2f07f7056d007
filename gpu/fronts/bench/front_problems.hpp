// SPDX-License-Identifier: BSD-3-Clause
// What benchmarks of gpu-multifrontal begin with: a matrix, matched, postordered and factored.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/matrix/pattern.hpp"
#include "core/measure/phase_recorder.hpp"
#include "core/permute/permute.hpp"
#include "core/pipeline/pivoting.hpp"
#include "core/pipeline/stage.hpp"
#include "gpu/runtime/session.hpp"

namespace lufact::gpu {

std::vector<std::string> split(const std::string& words, char separator);

struct NamedMatrix {
  std::string name;
  CsrMatrix matrix;
};
// A file, or a generator with sizes, as grid2d:nx=400,ny=400.
NamedMatrix load_matrix(const std::string& word);

struct FactoredFronts {
  std::shared_ptr<PermutedMatrix> b;
  ProductPtr graph, device_b;  // of the host, on the device
  std::shared_ptr<Factors> factors;
};

class FrontProblems {
 public:
  FrontProblems(DeviceSession& session, Pivoting pivoting);

  FactoredFronts factor(const CsrMatrix& matrix, const std::string& ordering);
  StageContext& context() noexcept { return context_; }

 private:
  Ordering order(const CsrPattern& matched, const std::string& name);
  ProductPtr to_device(const ProductPtr& product);

  SteadyClock clock_;
  PhaseRecorder phases_;
  StageOptions options_;
  StageNotes notes_;
  StageContext context_;
};

}  // namespace lufact::gpu
