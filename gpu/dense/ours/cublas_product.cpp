// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/dense/ours/cublas_product.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <type_traits>

#include "core/base/error.hpp"
#include "gpu/runtime/check.hpp"

namespace lufact::gpu::blocked {
namespace {

// The parts of cuBLAS's stable C interface that are used here.
using Handle = void*;
constexpr int success = 0, not_transposed = 0;
template <class T>
using Gemm = int(Handle, int, int, int, int, int, const T*, const T*, int, const T*, int, const T*,
                 T*, int);

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Outcome::unsupported, "no_cublas",
              "--product cublas: " + why +
                  "; it comes with the CUDA toolkit, or with the package nvidia-cublas, to whose "
                  "folder of libraries LUFACT_CUBLAS_ROOT may be set");
}
void require(int status, const char* what) {
  if (status == success) return;
  throw Error(Outcome::error, "cublas", std::string(what) + " failed: " + std::to_string(status));
}

std::string fault_of_loader() {
  const char* const fault = dlerror();
  return fault != nullptr ? fault : "the library cannot be loaded";
}

void* load_library() {
  const std::string name = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
  if (const char* const root = std::getenv("LUFACT_CUBLAS_ROOT")) {
    for (const char* const folder : {"/", "/lib/"}) {
      if (void* found = dlopen((root + (folder + name)).c_str(), RTLD_NOW)) return found;
    }
  }
  if (void* found = dlopen(name.c_str(), RTLD_NOW)) return found;
  refuse(fault_of_loader());
}

template <class Signature>
Signature* function(const char* name) {
  static void* const library = load_library();
  void* const found = dlsym(library, name);
  if (found == nullptr) refuse(fault_of_loader());
  return reinterpret_cast<Signature*>(found);
}

template <class T>
Gemm<T>* gemm() {
  static Gemm<T>* const found =
      function<Gemm<T>>(std::is_same_v<T, double> ? "cublasDgemm_v2" : "cublasSgemm_v2");
  return found;
}

constexpr Offset workspace_bytes = Offset{32} << 20;  // what cuBLAS advises from 9.0 on

Handle make_handle() {
  Handle handle = nullptr;
  require(function<int(Handle*)>("cublasCreate_v2")(&handle), "cublasCreate");
  return handle;
}
void destroy(Handle handle) {
  function<int(Handle)>("cublasDestroy_v2")(handle);
}

}  // namespace

CublasProduct::CublasProduct(DeviceSession& session, cudaStream_t stream)
    : workspace_(session, MemoryRole::scratch, workspace_bytes, "workspace of cuBLAS"),
      handle_(make_handle()) {
  try {
    require(function<int(Handle, cudaStream_t)>("cublasSetStream_v2")(handle_, stream),
            "cublasSetStream");
    require(function<int(Handle, void*, std::size_t)>("cublasSetWorkspace_v2")(
                handle_, workspace_.data(), workspace_.bytes()),
            "cublasSetWorkspace");
  } catch (...) {
    destroy(handle_);
    throw;
  }
}
CublasProduct::~CublasProduct() {
  destroy(handle_);
}

template <class T>
void CublasProduct::subtract(const Product<T>& product) const {
  if (product.rows == 0 || product.columns == 0 || product.depth == 0) return;
  const T minus = -1, one = 1;
  require(gemm<T>()(handle_, not_transposed, not_transposed, product.rows, product.columns,
                    product.depth, &minus, product.left, checked_index(product.ld_left, "ld"),
                    product.right, checked_index(product.ld_right, "ld"), &one, product.target,
                    checked_index(product.ld_target, "ld")),
          "cublas gemm");
}

template void CublasProduct::subtract(const Product<float>&) const;
template void CublasProduct::subtract(const Product<double>&) const;

}  // namespace lufact::gpu::blocked
