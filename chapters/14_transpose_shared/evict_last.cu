#include "evict_last.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lab/compute_capability.hpp"

namespace {

// The kernels are compiled again, with other loads.
#include "kernels.cuh"
#include "vector_words.cuh"

// As in chapter 07: what is written needs room in the L2, which what is read is to leave to it. No block reads a
// vector again, so the L1 keeps none.
struct EvictLastLoad {
    template <class T>
    __device__ Vector<T> operator()(const T* from) const {
        LoadedWords<T> loaded{};
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, "
            "%2, %3}, [%4], policy;\n"
            "}"
            : "=r"(loaded.words.x), "=r"(loaded.words.y), "=r"(loaded.words.z), "=r"(loaded.words.w)
            : "l"(from));
        return loaded.vector;
    }
};

// The same, and the 256 bytes around the address go to the L2 (PrefetchingLoad).
struct PrefetchingEvictLastLoad {
    template <class T>
    __device__ Vector<T> operator()(const T* from) const {
        LoadedWords<T> loaded{};
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "ld.global.L2::cache_hint.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4], policy;\n"
            "}"
            : "=r"(loaded.words.x), "=r"(loaded.words.y), "=r"(loaded.words.z), "=r"(loaded.words.w)
            : "l"(from));
        return loaded.vector;
    }

    // Single elements, of rows that begin anywhere. The load has a predicate; a branch around each of so many
    // would cost more.
    __device__ static float element(const float* from, bool is_inside) {
        float value = 0;
        asm volatile(
            "{\n"
            ".reg .b64 policy;\n"
            ".reg .pred is_inside;\n"
            "setp.ne.s32 is_inside, %2, 0;\n"
            "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n"
            "@is_inside ld.global.L2::cache_hint.L2::256B.f32 %0, [%1], policy;\n"
            "}"
            : "+f"(value)
            : "l"(from), "r"(int(is_inside)));
        return value;
    }
};

}  // namespace

template <class T>
TransposeKernel<T> evict_last_transpose(EvictLast which) {
    if (!has_cache_hints()) return nullptr;
    constexpr unsigned side = threads_a_side;
    switch (which) {
        case EvictLast::apart:
            return transpose_vectors<T, side, side, Order::apart, EvictLastLoad>;
        case EvictLast::prefetch:
            return transpose_vectors<T, side, side, Order::down, PrefetchingEvictLastLoad>;
        case EvictLast::sectors:
            if constexpr (std::is_same_v<T, float>) {
                return transpose_sectors<T, PrefetchingEvictLastLoad>;
            }
            return nullptr;
        case EvictLast::pairs:
            if constexpr (std::is_same_v<T, float>) {
                return transpose_sectors<T, PrefetchingEvictLastLoad, Order::pairs, rows_of_pairs>;
            }
            return nullptr;
        default:
            return transpose_vectors<T, side, side, Order::down, EvictLastLoad>;
    }
}

template TransposeKernel<std::uint16_t> evict_last_transpose(EvictLast);
template TransposeKernel<float> evict_last_transpose(EvictLast);
template TransposeKernel<double> evict_last_transpose(EvictLast);
