#include <cstdint>
#include <type_traits>

#include "inline_ptx.hpp"

namespace {

// The kernels are compiled again, with other loads.
#include "kernels.cuh"

// PTX loads 16 bytes as four words.
template <class T>
union LoadedWords {
    uint4 words;
    Vector<T> vector;
};

// The 256 bytes around the address go to the L2. A tile's row of 16 vectors needs all of them where
// it begins at a multiple of 256 bytes, and where it does not, the neighbouring tile the rest.
struct PrefetchingLoad {
    template <class T>
    __device__ Vector<T> operator()(const T* from) const {
        LoadedWords<T> loaded{};
        asm volatile("ld.global.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(loaded.words.x), "=r"(loaded.words.y), "=r"(loaded.words.z),
                       "=r"(loaded.words.w)
                     : "l"(from));
        return loaded.vector;
    }
};

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
TransposeKernel<T> hinted_transpose(Hints hints) {
    constexpr unsigned side = threads_a_side;
    if constexpr (std::is_same_v<T, float>) {
        if (hints == Hints::sectors) return transpose_sectors<T, PrefetchingEvictLastLoad>;
        if (hints == Hints::pairs) {
            return transpose_sectors<T, PrefetchingEvictLastLoad, Order::pairs, rows_of_pairs>;
        }
    }
    switch (hints) {
        case Hints::prefetch:
            return transpose_vectors<T, side, side, Order::down, PrefetchingLoad>;
        case Hints::evict_last:
            return transpose_vectors<T, side, side, Order::down, EvictLastLoad>;
        case Hints::evict_last_apart:
            return transpose_vectors<T, side, side, Order::apart, EvictLastLoad>;
        case Hints::prefetch_evict_last:
            return transpose_vectors<T, side, side, Order::down, PrefetchingEvictLastLoad>;
        default:
            return nullptr;
    }
}

template TransposeKernel<std::uint16_t> hinted_transpose(Hints);
template TransposeKernel<float> hinted_transpose(Hints);
template TransposeKernel<double> hinted_transpose(Hints);
