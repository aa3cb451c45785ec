#include "lab/device/cublas.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include "lab/device/backend.hpp"

namespace lab::cublas {
namespace {

// As in cublas_v2.h, which not every toolkit has.
using Handle = struct cublasContext*;
using Status = int;
constexpr Status success = 0;
constexpr int default_math = 0, pedantic_math = 2;

void* library() {
    static void* const handle = [] {
        for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}) {
            if (void* const found = dlopen(name, RTLD_NOW)) return found;
        }
        return static_cast<void*>(nullptr);
    }();
    return handle;
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
    void* const function = library() == nullptr ? nullptr : dlsym(library(), name);
    if (function == nullptr) throw std::runtime_error(std::string(name) + ": no cuBLAS here");
    const Status status = reinterpret_cast<Status (*)(Arguments...)>(function)(arguments...);
    if (status != success) {
        throw std::runtime_error(std::string(name) + ": cublasStatus_t " + std::to_string(status));
    }
}

// Lives as long as the process: the driver may be gone when destructors of statics run.
Handle created(int math_mode) {
    Handle fresh = nullptr;
    call("cublasCreate_v2", &fresh);
    call("cublasSetMathMode", fresh, math_mode);
    return fresh;
}

Handle handle() {
    static const Handle pedantic = created(pedantic_math);
    return pedantic;
}

}  // namespace

bool is_available() { return !backend::description().emulated && library() != nullptr; }

void sgemm(int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb,
           float beta, float* c, int ldc) {
    const int none = static_cast<int>(Operation::none);
    const float* const alpha_at = &alpha;
    const float* const beta_at = &beta;
    call("cublasSgemm_v2", handle(), none, none, m, n, k, alpha_at, a, lda, b, ldb, beta_at, c,
         ldc);
}

void gemm(Type type, int m, int n, int k, float alpha, const void* a, int lda, const void* b,
          int ldb, float beta, float* c, int ldc) {
    // Constants of cublas_api.h and library_types.h.
    constexpr int real_32f = 0, real_16f = 2, real_16bf = 14, default_algorithm = -1;
    constexpr int compute_32f = 68, compute_32f_fast_tf32 = 77;
    static const Handle on_tensor_cores = created(default_math);
    const int of_inputs = type == Type::fp16 ? real_16f : type == Type::bf16 ? real_16bf : real_32f;
    const int computes = type == Type::tf32 ? compute_32f_fast_tf32 : compute_32f;
    const int none = static_cast<int>(Operation::none);
    const void* const alpha_at = &alpha;
    const void* const beta_at = &beta;
    void* const to = c;
    call("cublasGemmEx", on_tensor_cores, none, none, m, n, k, alpha_at, a, of_inputs, lda, b,
         of_inputs, ldb, beta_at, to, real_32f, ldc, computes, default_algorithm);
}

void sgeam(Operation of_a, Operation of_b, int m, int n, float alpha, const float* a, int lda,
           float beta, const float* b, int ldb, float* c, int ldc) {
    const float* const alpha_at = &alpha;
    const float* const beta_at = &beta;
    call("cublasSgeam", handle(), static_cast<int>(of_a), static_cast<int>(of_b), m, n, alpha_at, a,
         lda, beta_at, b, ldb, c, ldc);
}

}  // namespace lab::cublas
