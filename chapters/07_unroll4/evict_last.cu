#include "evict_last.hpp"

namespace {

// The kernels are compiled again, with other accesses.
#include "kernels.cuh"

struct KeepReads : Plain {
    __device__ static float4 load(const float4* from) {
        float4 value{};
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], policy;\n"
            "}"
            : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
            : "l"(from));
        return value;
    }
};

struct KeepWrites : Plain {
    __device__ static void store(float4* to, float4 value) {
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "st.global.L2::cache_hint.v4.f32 [%4], {%0, %1, %2, %3}, policy;\n"
            "}" ::"f"(value.x),
            "f"(value.y), "f"(value.z), "f"(value.w), "l"(to)
            : "memory");
    }
};

// The hints ask the L2 to evict what was read last of all, and what was written first. What is written needs
// room in the L2 (README.md): reads are to leave it to the writes.
struct EvictLast : KeepReads {
    __device__ static void store(float4* to, float4 value) {
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
            "st.global.L2::cache_hint.v4.f32 [%4], {%0, %1, %2, %3}, policy;\n"
            "}" ::"f"(value.x),
            "f"(value.y), "f"(value.z), "f"(value.w), "l"(to)
            : "memory");
    }
};

}  // namespace

lab::AddKernel wide_evict_last() { return read_offset_wide<EvictLast>; }

lab::AddKernel overlapping_evict_last(int shift) {
    constexpr lab::AddKernel kernels[] = {read_offset_overlapping<1, EvictLast>,
                                          read_offset_overlapping<2, EvictLast>,
                                          read_offset_overlapping<3, EvictLast>};
    return kernels[shift - 1];
}

void (*copy_evict_last())(const float4*, float4*) { return copy_wide<EvictLast>; }
void (*copy_keep_reads())(const float4*, float4*) { return copy_wide<KeepReads>; }
void (*copy_keep_writes())(const float4*, float4*) { return copy_wide<KeepWrites>; }
void (*scale_evict_last())(float, const float4*, float4*) { return scale_wide<EvictLast>; }
