// SPDX-License-Identifier: BSD-3-Clause
// What a build without CUDA links: the same catalogue entries, which say why they cannot run.
#include "gpu/gpu.hpp"

#include "core/order/dissection_ordering.hpp"
#include "core/pipeline/front_products.hpp"
#include "gpu/fronts/numeric/front_bytes.hpp"
#include "gpu/numeric/resident_bytes.hpp"
#include "gpu/stage_infos.hpp"
#include "gpu/stub/absent.hpp"
#include "gpu/symbolic/search/ooc_variant.hpp"

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
class AbsentStage : public Base {
 public:
  const StageInfo& info() const noexcept override { return Info(); }
  ProductPtr run(const ProductPtr&, StageContext&) const override { throw_absent(Info().name); }
};

template <const StageInfo& (*Info)()>
class AbsentOrdering final : public OrderingStage {
 public:
  const StageInfo& info() const noexcept override { return Info(); }
  Ordering run(const CsrPattern&, StageContext&) const override { throw_absent(Info().name); }
};

// The memory of the symbolic family is predicted all the same.
template <const StageInfo& (*Info)(), const OocVariant& variant>
class AbsentOocSymbolic final : public AbsentStage<SymbolicStage, Info> {
 public:
  std::optional<WorkBytes> work_bytes(Index n) const override {
    return gpu::work_bytes(variant, n);
  }
};

template <const StageInfo& (*Info)()>
class AbsentNumericStage : public NumericStage {
 public:
  const StageInfo& info() const noexcept override { return Info(); }
  std::shared_ptr<Factors> run(const ProductPtr&, const ProductPtr&, const ProductPtr&,
                               StageContext&) const override {
    throw_absent(Info().name);
  }
};

template <const StageInfo& (*Info)(), std::uint64_t (*EngineBytes)(Index, Offset, Precision)>
class AbsentNumeric final : public AbsentNumericStage<Info> {
 public:
  std::uint64_t resident_bytes(Index n, Offset, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return column_resident_bytes(n, nnz_lu, rhs, precision) + EngineBytes(n, nnz_lu, precision);
  }
};

class AbsentMultifrontal final : public AbsentNumericStage<multifrontal_numeric_info> {
 public:
  std::uint64_t resident_bytes(Index n, Offset nnz, Offset nnz_lu, Index rhs,
                               Precision precision) const override {
    return front_resident_bytes(n, nnz, nnz_lu, rhs, precision);
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

template <class Base, class... Stages>
std::vector<std::unique_ptr<Base>> make_all() {
  std::vector<std::unique_ptr<Base>> stages;
  (stages.push_back(std::make_unique<Stages>()), ...);
  return stages;
}

template <const StageInfo& (*... Infos)()>
std::vector<std::unique_ptr<LevelizeStage>> absent_levelize() {
  return make_all<LevelizeStage, AbsentStage<LevelizeStage, Infos>...>();
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
std::uint64_t free_bytes(const DeviceSession&) {
  throw_absent("the free memory");
}
void reset_memory_peaks(DeviceSession&) {
  throw_absent("resetting memory peaks");
}
void return_memory(DeviceSession&) {
  throw_absent("returning memory");
}
void require_resident(const DeviceSession&, std::uint64_t, const std::string& what) {
  throw_absent(what);
}
std::unique_ptr<PageFaultCounters> count_page_faults() {
  throw_absent("counting page faults");
}
std::shared_ptr<void> page_locked_memory(int, std::size_t) {
  return nullptr;
}
std::unique_ptr<VectorBackend> make_vector_backend(DeviceSession&) {
  throw_absent("the vector backend");
}

std::unique_ptr<PlacedSteps> dissection_steps(const CsrPattern&, StageContext&) {
  return nullptr;
}

std::vector<std::unique_ptr<OrderingStage>> ordering_stages() {
  return make_all<OrderingStage, AbsentOrdering<dissection_ordering_info>>();
}
std::vector<std::unique_ptr<SymbolicStage>> symbolic_stages() {
  return make_all<SymbolicStage, AbsentOocSymbolic<ooc_symbolic_info, ooc_variant>,
                  AbsentOocSymbolic<ooc_naive_symbolic_info, ooc_naive_variant>,
                  AbsentOocSymbolic<um_symbolic_info, um_variant>,
                  AbsentOocSymbolic<um_prefetch_symbolic_info, um_prefetch_variant>,
                  AbsentOocSymbolic<in_core_symbolic_info, in_core_variant>,
                  AbsentStage<SymbolicStage, fill2_symbolic_info>,
                  AbsentStage<SymbolicStage, panel_symbolic_info>,
                  AbsentStage<SymbolicStage, front_symbolic_info>>();
}
std::vector<std::unique_ptr<LevelizeStage>> levelize_stages() {
  return absent_levelize<host_loop_levelize_info, cdp_levelize_info, cooperative_levelize_info,
                         sync_free_levelize_info>();
}
std::vector<std::unique_ptr<NumericStage>> numeric_stages() {
  return make_all<NumericStage, AbsentNumeric<dense_numeric_info, dense_engine_bytes>,
                  AbsentNumeric<dense_fixed_numeric_info, dense_engine_bytes>,
                  AbsentNumeric<binary_search_numeric_info, binary_search_engine_bytes>,
                  AbsentNumeric<auto_numeric_info, auto_engine_bytes>,
                  AbsentNumeric<persistent_numeric_info, persistent_engine_bytes>,
                  AbsentMultifrontal>();
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
