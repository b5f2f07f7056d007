// SPDX-License-Identifier: BSD-3-Clause
// The module in a build without CUDA: the same catalogue entries, which say why they cannot run.
#include "gpu/gpu.hpp"

#include "core/order/dissection_ordering.hpp"
#include "core/pipeline/front_products.hpp"
#include "gpu/stages.hpp"
#include "gpu/stub/absent.hpp"

namespace lufact::gpu {

std::string absent_reason() {
  return "this lufact has no GPU code: " LUFACT_CUDA_ABSENT_REASON
         "; install the CUDA toolkit 12.0 or newer, then configure and build again with "
         "-DLUFACT_CUDA=on";
}

void throw_absent(const std::string& what) {
  throw Error(Outcome::unsupported, "no_device", what + " needs a CUDA device: " + absent_reason());
}

namespace {

// Base is one of the interfaces of GPU stages that give a product.
template <class Base>
class AbsentStage final : public Base {
 public:
  using Base::Base;
  ProductPtr run(const ProductPtr&, StageContext&) const override {
    throw_absent(this->info().name);
  }
};

class AbsentScaling final : public GpuScaling {
 public:
  using GpuScaling::GpuScaling;
  Matching run(const CsrMatrix&, StageContext&) const override { throw_absent(info().name); }
};

class AbsentOrdering final : public GpuOrdering {
 public:
  using GpuOrdering::GpuOrdering;
  Ordering run(const CsrPattern&, StageContext&) const override { throw_absent(info().name); }
};

class AbsentNumeric final : public GpuNumeric {
 public:
  using GpuNumeric::GpuNumeric;
  std::shared_ptr<Factors> run(const ProductPtr&, const ProductPtr&, const ProductPtr&,
                               StageContext&) const override {
    throw_absent(info().name);
  }
};

class AbsentArrayStage final : public ArrayStage {
 public:
  explicit AbsentArrayStage(const ArrayStageFacts& facts) : facts_(facts) {}
  const ArrayStageFacts& facts() const noexcept override { return facts_; }
  std::unique_ptr<PreparedArrays> prepare(const ArrayProblem&, ArrayContext&) const override {
    throw_absent(facts_.name);
  }

 private:
  const ArrayStageFacts& facts_;
};

class AbsentSystems final : public SystemsStage {
 public:
  std::string_view numeric() const noexcept override { return "gpu-multifrontal"; }
  std::unique_ptr<SystemsEngine> make(const AnalysedPattern&, Index, StageContext&) const override {
    throw_absent("many systems on the device");
  }
};

// Present so that a chain of device stages is recognised as one that fits and cannot run here,
// rather than as one that does not fit.
class AbsentTransfer final : public Transfer {
 public:
  AbsentTransfer(ProductType type, Side from, Side to) : type_(type), from_(from), to_(to) {}
  ProductType type() const noexcept override { return type_; }
  Side from() const noexcept override { return from_; }
  Side to() const noexcept override { return to_; }
  ProductPtr run(const ProductPtr&, StageContext&) const override {
    throw_absent("the transfer of a " + std::string(type_.name));
  }

 private:
  ProductType type_;
  Side from_, to_;
};

}  // namespace

BuildFacts build_facts() {
  return {};
}

std::optional<DeviceFacts> query_device(int, std::string& reason) {
  reason = absent_reason();
  return std::nullopt;
}

int device_count() {
  return 0;
}
std::vector<DeviceLink> query_links() {
  return {};
}

std::shared_ptr<DeviceSession> open_session(const SessionOptions&) {
  throw_absent("a session");
}
std::shared_ptr<DeviceTeam> open_team(DeviceSession&, const std::vector<SessionOptions>&,
                                      TeamSharing) {
  throw_absent("a team of devices");
}
void join_ranks(DeviceTeam&, RankGroup&, ExchangeOption) {
  throw_absent("an exchange between devices");
}
NcclFinding find_nccl() {
  NcclFinding finding;
  finding.reason = absent_reason();
  return finding;
}
void return_memory(DeviceTeam&) {
  throw_absent("returning memory");
}
DeviceProbe& probe(DeviceSession&) {
  throw_absent("the probe of a session");
}
DeviceMemoryReport memory_report(const DeviceSession&) {
  throw_absent("a memory report");
}
std::uint64_t free_bytes(const DeviceSession&) {
  throw_absent("the free memory");
}
void reset_memory_peaks(DeviceSession&) {
  throw_absent("resetting memory peaks");
}
void return_memory(DeviceSession&) {
  throw_absent("returning memory");
}
void upload_batch(DeviceSession&, const ArrayProblem&, const ArrayOperands&, const ArrayOperands&,
                  bool) {
  throw_absent("copying a batch");
}
void download_batch(DeviceSession&, const ArrayProblem&, const ArrayOperands&, const ArrayOperands&,
                    bool) {
  throw_absent("copying a batch");
}
void* native_stream(DeviceSession&) {
  throw_absent("the stream of a session");
}
void require_resident(const DeviceSession&, std::uint64_t, const std::string& what) {
  throw_absent(what);
}
std::unique_ptr<PageFaultCounters> count_page_faults() {
  throw_absent("counting page faults");
}
std::unique_ptr<DriverMemoryWatch> watch_driver_memory(int, std::function<std::string()>) {
  throw_absent("counting device memory");
}
void keep_held_memory() {}
std::map<std::string, std::uint64_t> held_memory_at_peak() {
  return {};
}
std::shared_ptr<void> page_locked_memory(int, std::size_t) {
  return nullptr;
}
std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession&) {
  throw_absent("the vector backend");
}

std::unique_ptr<BatchArrays> make_batch_arrays(DeviceSession&, const BatchGroup&,
                                               const ArrayProblem&) {
  throw_absent("a batch in the memory of a device");
}
std::unique_ptr<DenseArrays> make_dense_arrays(DeviceSession&, const ArrayProblem&,
                                               const DenseMatrixSource&, int) {
  throw_absent("a matrix in the memory of a device");
}
std::unique_ptr<BatchStream> make_batch_stream(DeviceSession&, const ArrayProblem&, bool) {
  throw_absent("a batch that goes through a device");
}

std::vector<TunedCandidate> tune_batch(DeviceSession&, const ArrayStage&, BatchArrays&, int) {
  throw_absent("the measurement of kernels");
}

DevicePeaks measure_peaks(DeviceSession&) {
  throw_absent("the measurement of a card's peaks");
}

std::unique_ptr<PlacedSteps> dissection_steps(const CsrPattern&, StageContext&) {
  return nullptr;
}

std::vector<std::unique_ptr<ScalingStage>> scaling_stages() {
  std::vector<std::unique_ptr<ScalingStage>> stages;
#define LUFACT_GPU_SCALING(name) \
  stages.push_back(std::make_unique<AbsentScaling>(name##_scaling_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<OrderingStage>> ordering_stages() {
  std::vector<std::unique_ptr<OrderingStage>> stages;
#define LUFACT_GPU_ORDERING(name) \
  stages.push_back(std::make_unique<AbsentOrdering>(name##_ordering_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages() {
  std::vector<std::unique_ptr<SymbolicStage>> stages;
#define LUFACT_GPU_SYMBOLIC(name) \
  stages.push_back(std::make_unique<AbsentStage<GpuSymbolic>>(name##_symbolic_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<LevelizeStage>> levelize_stages() {
  std::vector<std::unique_ptr<LevelizeStage>> stages;
#define LUFACT_GPU_LEVELIZE(name) \
  stages.push_back(std::make_unique<AbsentStage<GpuLevelize>>(name##_levelize_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<NumericStage>> numeric_stages() {
  std::vector<std::unique_ptr<NumericStage>> stages;
#define LUFACT_GPU_NUMERIC(name) \
  stages.push_back(std::make_unique<AbsentNumeric>(name##_numeric_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<SystemsStage>> systems_stages() {
  std::vector<std::unique_ptr<SystemsStage>> all;
  all.push_back(std::make_unique<AbsentSystems>());
  return all;
}

std::vector<std::unique_ptr<SupernodeFinder>> supernode_finders() {
  return {};
}

std::vector<std::unique_ptr<ArrayStage>> array_stages() {
  std::vector<std::unique_ptr<ArrayStage>> stages;
#define LUFACT_GPU_ARRAY(name) \
  stages.push_back(std::make_unique<AbsentArrayStage>(name##_array_facts()));
#include "gpu/stages.def"
  return stages;
}

std::vector<std::unique_ptr<Transfer>> transfers() {
  std::vector<std::unique_ptr<Transfer>> list;
  const auto add = [&list](ProductType type, Side from, Side to) {
    list.push_back(std::make_unique<AbsentTransfer>(type, from, to));
  };
  add(product_types::permuted_matrix, Side::host, Side::device);
  for (const ProductType type : {product_types::column_pattern, product_types::column_schedule}) {
    add(type, Side::host, Side::device);
    add(type, Side::device, Side::host);
  }
  add(product_types::front_tree, Side::host, Side::device);
  add(product_types::front_tree, Side::device, Side::host);
  add(product_types::task_graph, Side::host, Side::device);
  return list;
}

}  // namespace lufact::gpu
