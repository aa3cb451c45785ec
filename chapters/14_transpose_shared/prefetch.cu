#include "prefetch.hpp"

#include <cstddef>
#include <cstdint>

#include "lab/compute_capability.hpp"

namespace {

// The kernels are compiled again, with another load.
#include "kernels.cuh"
#include "vector_words.cuh"

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

}  // namespace

template <class T>
TransposeKernel<T> prefetching_transpose() {
    if (!has_cache_hints()) return nullptr;
    constexpr unsigned side = threads_a_side;
    return transpose_vectors<T, side, side, Order::down, PrefetchingLoad>;
}

template TransposeKernel<std::uint16_t> prefetching_transpose();
template TransposeKernel<float> prefetching_transpose();
template TransposeKernel<double> prefetching_transpose();
