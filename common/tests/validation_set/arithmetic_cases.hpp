// One case of arithmetic_outputs: an instruction, run over all inputs. Included by the table of
// instructions, whose lines make the kernels.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace arithmetic_outputs {

constexpr int elements = 4096;
constexpr int edge_elements = 1024;  // combinations of edge values; the others are random

inline void check(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// What a result is compared with: its magnitude or 1, whichever is larger (sine), or its magnitude.
enum class Scale { exact, relative, absolute };

struct Result {
    std::vector<std::uint64_t> bits;  // of each element
    double max_error = 0;             // in units of 2^-23 of the scale
};

struct Case {
    const char* name;
    Scale scale;
    Result (*run)();
};

inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}

struct Registration {
    Registration(const char* name, Scale scale, Result (*run)()) {
        cases().push_back({name, scale, run});
    }
};

// The inputs of a type, by the position of the operand; see arithmetic_inputs.hpp.
template <class T>
const std::vector<T>& host_inputs(int position);

template <class T>
const T* device_inputs(int position) {
    static T* copies[4] = {};
    T*& copy = copies[position];
    if (copy == nullptr) {
        check(cudaMalloc(&copy, elements * sizeof(T)), "cudaMalloc");
        check(cudaMemcpy(copy, host_inputs<T>(position).data(), elements * sizeof(T),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
    }
    return copy;
}

template <class Op, class R, class... A>
__global__ void apply(R* results, const A*... sources) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    results[i] = Op::run(sources[i]...);
}

template <class Op, class R, class... A>
std::vector<R> launch(const A*... sources) {
    R* results = nullptr;
    check(cudaMalloc(&results, elements * sizeof(R)), "cudaMalloc");
    apply<Op, R, A...><<<elements / 128, 128>>>(results, sources...);
    check(cudaGetLastError(), "launch");
    std::vector<R> host(elements);
    check(cudaMemcpy(host.data(), results, elements * sizeof(R), cudaMemcpyDeviceToHost), "kernel");
    check(cudaFree(results), "cudaFree");
    return host;
}

template <class R>
Result as_bits(const std::vector<R>& values) {
    Result result;
    for (const R& value : values) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        result.bits.push_back(bits);
    }
    return result;
}

template <class Op, class R, class A>
Result run_1() {
    return as_bits(launch<Op, R, A>(device_inputs<A>(0)));
}
template <class Op, class R, class A, class B>
Result run_2() {
    return as_bits(launch<Op, R, A, B>(device_inputs<A>(0), device_inputs<B>(1)));
}
template <class Op, class R, class A, class B, class C>
Result run_3() {
    return as_bits(
        launch<Op, R, A, B, C>(device_inputs<A>(0), device_inputs<B>(1), device_inputs<C>(2)));
}
template <class Op, class R, class A, class B, class C, class D>
Result run_4() {
    return as_bits(launch<Op, R, A, B, C, D>(device_inputs<A>(0), device_inputs<B>(1),
                                             device_inputs<C>(2), device_inputs<D>(3)));
}

// The largest error over inputs between 2^-20 and 8, in whose range the PTX ISA bounds it.
template <class Op, class T>
Result run_approximation(double (*reference)(double), bool is_absolute) {
    const std::vector<T>& inputs = host_inputs<T>(0);
    const std::vector<T> outputs = launch<Op, T, T>(device_inputs<T>(0));
    Result result = as_bits(outputs);
    for (int i = 0; i < elements; ++i) {
        const double magnitude = inputs[i] < 0 ? -double{inputs[i]} : double{inputs[i]};
        if (!(magnitude >= 0x1p-20 && magnitude <= 8)) continue;
        const double exact = reference(inputs[i]);
        if (exact != exact || double{outputs[i]} != double{outputs[i]}) continue;
        double scale = exact < 0 ? -exact : exact;
        if (is_absolute && scale < 1) scale = 1;
        const double difference = double{outputs[i]} - exact;
        const double error = (difference < 0 ? -difference : difference) / scale * 0x1p23;
        if (error > result.max_error) result.max_error = error;
    }
    return result;
}

}  // namespace arithmetic_outputs

// Types of operands by the letter of their constraint in inline assembly.
#define TYPE_H std::uint16_t
#define TYPE_R std::uint32_t
#define TYPE_L std::uint64_t
#define TYPE_F float
#define TYPE_D double
#define LETTER_H "h"
#define LETTER_R "r"
#define LETTER_L "l"
#define LETTER_F "f"
#define LETTER_D "d"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define REGISTER(id, name, scale, function) \
    const Registration JOIN(registration_, id)(name, scale, function);

// Cases whose assembly is spelled out: %0 is the result, %1, %2, ... are the sources.
#define CASE_1_(id, name, assembly, D, A)                      \
    struct JOIN(Case_, id) {                                   \
        static __device__ TYPE_##D run(TYPE_##A a) {           \
            TYPE_##D d;                                        \
            asm(assembly : "=" LETTER_##D(d) : LETTER_##A(a)); \
            return d;                                          \
        }                                                      \
    };                                                         \
    REGISTER(id, name, Scale::exact, (run_1<JOIN(Case_, id), TYPE_##D, TYPE_##A>))
#define CASE_2_(id, name, assembly, D, A, B)                                  \
    struct JOIN(Case_, id) {                                                  \
        static __device__ TYPE_##D run(TYPE_##A a, TYPE_##B b) {              \
            TYPE_##D d;                                                       \
            asm(assembly : "=" LETTER_##D(d) : LETTER_##A(a), LETTER_##B(b)); \
            return d;                                                         \
        }                                                                     \
    };                                                                        \
    REGISTER(id, name, Scale::exact, (run_2<JOIN(Case_, id), TYPE_##D, TYPE_##A, TYPE_##B>))
#define CASE_3_(id, name, assembly, D, A, B, C)                                              \
    struct JOIN(Case_, id) {                                                                 \
        static __device__ TYPE_##D run(TYPE_##A a, TYPE_##B b, TYPE_##C c) {                 \
            TYPE_##D d;                                                                      \
            asm(assembly : "=" LETTER_##D(d) : LETTER_##A(a), LETTER_##B(b), LETTER_##C(c)); \
            return d;                                                                        \
        }                                                                                    \
    };                                                                                       \
    REGISTER(id, name, Scale::exact,                                                         \
             (run_3<JOIN(Case_, id), TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C>))
#define CASE_4_(id, name, assembly, D, A, B, C, E)                                       \
    struct JOIN(Case_, id) {                                                             \
        static __device__ TYPE_##D run(TYPE_##A a, TYPE_##B b, TYPE_##C c, TYPE_##E e) { \
            TYPE_##D d;                                                                  \
            asm(assembly                                                                 \
                : "=" LETTER_##D(d)                                                      \
                : LETTER_##A(a), LETTER_##B(b), LETTER_##C(c), LETTER_##E(e));           \
            return d;                                                                    \
        }                                                                                \
    };                                                                                   \
    REGISTER(id, name, Scale::exact,                                                     \
             (run_4<JOIN(Case_, id), TYPE_##D, TYPE_##A, TYPE_##B, TYPE_##C, TYPE_##E>))
#define APPROXIMATION_(id, name, T, scale, reference)                                             \
    struct JOIN(Case_, id) {                                                                      \
        static __device__ TYPE_##T run(TYPE_##T a) {                                              \
            TYPE_##T d;                                                                           \
            asm(name " %0, %1;" : "=" LETTER_##T(d) : LETTER_##T(a));                             \
            return d;                                                                             \
        }                                                                                         \
        static double exact(double x) { return reference; }                                       \
        static Result run_all() {                                                                 \
            return run_approximation<JOIN(Case_, id), TYPE_##T>(exact, scale == Scale::absolute); \
        }                                                                                         \
    };                                                                                            \
    REGISTER(id, name, scale, JOIN(Case_, id)::run_all)

#define CASE_1(name, assembly, D, A) CASE_1_(__COUNTER__, name, assembly, D, A)
#define CASE_2(name, assembly, D, A, B) CASE_2_(__COUNTER__, name, assembly, D, A, B)
#define CASE_3(name, assembly, D, A, B, C) CASE_3_(__COUNTER__, name, assembly, D, A, B, C)
#define UNARY(name, D, A) CASE_1_(__COUNTER__, name, name " %0, %1;", D, A)
#define BINARY(name, D, A, B) CASE_2_(__COUNTER__, name, name " %0, %1, %2;", D, A, B)
#define TERNARY(name, D, A, B, C) CASE_3_(__COUNTER__, name, name " %0, %1, %2, %3;", D, A, B, C)
#define QUATERNARY(name, D, A, B, C, E) \
    CASE_4_(__COUNTER__, name, name " %0, %1, %2, %3, %4;", D, A, B, C, E)
#define APPROXIMATION(name, T, scale, reference) \
    APPROXIMATION_(__COUNTER__, name, T, Scale::scale, reference)
// A comparison to a predicate, as 0 or 1.
#define COMPARISON(name, A) \
    CASE_2(name, "{ .reg .pred p; " name " p, %1, %2; selp.u32 %0, 1, 0, p; }", R, A, A)
