// SPDX-License-Identifier: BSD-3-Clause
// What a build without CUDA links: the same catalogue entries, which say why they cannot run.
#include "gpu/gpu.hpp"

#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/stage_infos.hpp"
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

// Base is one of the stage interfaces that give a product; Info names the catalogue entry.
template <class Base, const StageInfo& (*Info)()>
class AbsentStage final : public Base {
 public:
  const StageInfo& info() const noexcept override { return Info(); }
  ProductPtr run(const ProductPtr&, StageContext&) const override { throw_absent(Info().name); }
};

class AbsentNumeric final : public NumericStage {
 public:
  const StageInfo& info() const noexcept override { return binary_search_numeric_info(); }
  std::shared_ptr<Factors> run(const ProductPtr&, const ProductPtr&, const ProductPtr&,
                               StageContext&) const override {
    throw_absent(info().name);
  }
  std::uint64_t resident_bytes(Index n, Offset, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return column_resident_bytes(n, nnz_lu, rhs, precision);
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

template <class Base, class Stage>
std::vector<std::unique_ptr<Base>> only() {
  std::vector<std::unique_ptr<Base>> stages;
  stages.push_back(std::make_unique<Stage>());
  return stages;
}

}  // namespace

BuildFacts build_facts() {
  return {};
}

std::optional<DeviceFacts> query_device(int, std::string& reason) {
  reason = absent_reason();
  return std::nullopt;
}

std::shared_ptr<DeviceSession> open_session(const SessionOptions&) {
  throw_absent("a session");
}
DeviceProbe& probe(DeviceSession&) {
  throw_absent("the probe of a session");
}
DeviceMemoryReport memory_report(const DeviceSession&) {
  throw_absent("a memory report");
}
void reset_memory_peaks(DeviceSession&) {
  throw_absent("resetting memory peaks");
}
void require_resident(const DeviceSession&, std::uint64_t, const std::string& what) {
  throw_absent(what);
}
std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession&) {
  throw_absent("the vector backend");
}

std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages() {
  return only<SymbolicStage, AbsentStage<SymbolicStage, ooc_symbolic_info>>();
}
std::vector<std::unique_ptr<LevelizeStage>> levelize_stages() {
  return only<LevelizeStage, AbsentStage<LevelizeStage, host_loop_levelize_info>>();
}
std::vector<std::unique_ptr<NumericStage>> numeric_stages() {
  return only<NumericStage, AbsentNumeric>();
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
  return list;
}

}  // namespace lufact::gpu
