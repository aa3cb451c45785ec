// The bits of one wgmma, m64n8 and 32 bytes of k deep, as an H200 gave them (2026-11-29): hashes of four warpgroups' sums.
//
// Mode 0: exponents near each other; 1: of the whole range; 2: with zeros and subnormal numbers; 3: with infinities and NaNs. s8: four seeds.
//
// flags: --architecture h100
// nvcc: -gencode=arch=compute_90a,code=compute_90a
// expect: f16 95d6b3823c42515e d3d0971bdba21053 307dbf4260f48c9c 1cb25c5c2186f0db
// expect: bf16 e3d7a2f86d220636 4e8d7471376ca1e8 2d361cf9f95c3d44 ad1f7063025ef40f
// expect: tf32 7745936ea1ee15ad f897eb727f5cf716 a1d84f7df3697397 699247e9cbf93ae8
// expect: e4m3 b887d9d49c378b25 132d76a1e166bf25 f94815690f45ef25 6dc10e419d5ef70d
// expect: e5m2 40fffa924e0ae725 871bc8e46adbf725 1e794cf15ba93725 a9b46c14c55fe73b
// expect: s8 8abe09be6c60ed09 6d7f9b002c7a0e05 1fed56c52c0ea4af 14b2683bff5fb2f1
// expect: f16_f16 4c248ff4f49772be 0359cb7356a26122 eb82c13b80bacd5f 47cf1d0b64095aaa
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int threads = 128, sums = 4;
constexpr int a_words = 64 * 8, b_words = 8 * 8, tile_words = a_words + b_words;

enum class Type { f16, bf16, tf32, e4m3, e5m2, s8, f16_f16 };

// Bytes in units of 16: the halves of k lie `leading` apart, groups of eight rows `stride`.
__device__ std::uint64_t descriptor(const void* start, std::uint64_t leading,
                                    std::uint64_t stride) {
    return __cvta_generic_to_shared(start) / 16 | leading / 16 << 16 | stride / 16 << 32;
}

#define FLOAT_SUMS(shape)                                                                        \
    asm volatile("wgmma.mma_async.sync.aligned." shape " {%0, %1, %2, %3}, %4, %5, 1, 1, 1" TAIL \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                \
                 : "l"(a), "l"(b))

template <Type type>
__global__ void multiply(const std::uint32_t* tiles, std::uint32_t* results) {
    __shared__ __align__(128) std::uint32_t tile[tile_words];
    for (int i = threadIdx.x; i < tile_words; i += threads) tile[i] = tiles[i];
    std::uint32_t words[sums];
    for (int i = 0; i < sums; ++i) words[i] = tiles[tile_words + sums * threadIdx.x + i];
    asm volatile("fence.proxy.async;");
    __syncthreads();
    const std::uint64_t a = descriptor(tile, 1024, 128), b = descriptor(tile + a_words, 128, 128);
    asm volatile("wgmma.fence.sync.aligned;");
    if constexpr (type == Type::s8) {
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0, %1, %2, %3}, %4, %5, 1;"
                     : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
                     : "l"(a), "l"(b));
    } else if constexpr (type == Type::f16_f16) {
        asm volatile(
            "wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0, %1}, %2, %3, 1, 1, 1, 0, 0;"
            : "+r"(words[0]), "+r"(words[1])
            : "l"(a), "l"(b));
    } else {
        float d[sums];
        for (int i = 0; i < sums; ++i) d[i] = __uint_as_float(words[i]);
#define TAIL ", 0, 0;"
        if constexpr (type == Type::f16) FLOAT_SUMS("m64n8k16.f32.f16.f16");
        if constexpr (type == Type::bf16) FLOAT_SUMS("m64n8k16.f32.bf16.bf16");
#undef TAIL
#define TAIL ";"
        if constexpr (type == Type::tf32) FLOAT_SUMS("m64n8k8.f32.tf32.tf32");
        if constexpr (type == Type::e4m3) FLOAT_SUMS("m64n8k32.f32.e4m3.e4m3");
        if constexpr (type == Type::e5m2) FLOAT_SUMS("m64n8k32.f32.e5m2.e4m3");
#undef TAIL
        asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
        for (int i = 0; i < sums; ++i) words[i] = __float_as_uint(d[i]);
    }
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    for (int i = 0; i < sums; ++i) results[sums * threadIdx.x + i] = words[i];
}

// Numbers of one format in one mode, the same everywhere.
class Numbers {
  public:
    Numbers(unsigned mode, unsigned type)
        : mode_(mode), state_(mode * 7919u + type * 104729u + 1) {}

    std::uint32_t next(std::uint32_t below) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state_ >> 33) % below;
    }
    // Of a format with so many bits of exponent and fraction; IEEE's infinities and NaNs at the highest exponent.
    std::uint32_t number(unsigned exponent_bits, unsigned fraction_bits) {
        const std::uint32_t top = (1u << exponent_bits) - 1, middle = top / 2;
        std::uint32_t exponent = middle - 3 + next(6), fraction = next(1u << fraction_bits);
        if (mode_ == 1) exponent = 1 + next(top - 1);
        if (mode_ >= 2) exponent = next(4) == 0 ? 0 : 1 + next(top - 1);
        if (mode_ >= 2 && next(8) == 0) exponent = fraction = 0;
        if (mode_ == 3 && next(40) == 0) {
            exponent = top;
            fraction = next(3) != 0 ? 0 : fraction;
        }
        return next(2) << (exponent_bits + fraction_bits) | exponent << fraction_bits | fraction;
    }
    std::uint32_t word(Type type) {
        switch (type) {
            case Type::f16:
            case Type::f16_f16: {
                const std::uint32_t low = number(5, 10);
                return low | number(5, 10) << 16;
            }
            case Type::bf16: {
                const std::uint32_t low = number(8, 7);
                return low | number(8, 7) << 16;
            }
            case Type::tf32:
                return number(8, 23);
            case Type::e4m3:
            case Type::e5m2: {
                std::uint32_t bytes = 0;
                for (int i = 0; i < 4; ++i)
                    bytes = bytes << 8 | (type == Type::e4m3 ? number(4, 3) : number(5, 2));
                return bytes;
            }
            default:
                return next(1u << 16) << 16 | next(1u << 16);
        }
    }

  private:
    unsigned mode_;
    std::uint64_t state_;
};

template <Type type>
void print(const char* name) {
    constexpr int warpgroups = 4, in_words = tile_words + sums * threads;
    std::uint32_t *in = nullptr, *out = nullptr;
    cudaMalloc(&in, in_words * sizeof *in);
    cudaMalloc(&out, sums * threads * sizeof *out);
    std::printf("%s", name);
    for (unsigned mode = 0; mode < 4; ++mode) {
        Numbers numbers(mode, static_cast<unsigned>(type));
        std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
        for (int i = 0; i < warpgroups; ++i) {
            std::vector<std::uint32_t> words(in_words), results(sums * threads);
            constexpr Type of_sums = type == Type::s8 || type == Type::f16_f16 ? type : Type::tf32;
            for (int j = 0; j < in_words; ++j)
                words[j] = numbers.word(j < tile_words ? type : of_sums);
            cudaMemcpy(in, words.data(), in_words * sizeof *in, cudaMemcpyHostToDevice);
            multiply<type><<<1, threads>>>(in, out);
            cudaMemcpy(results.data(), out, sums * threads * sizeof *out, cudaMemcpyDeviceToHost);
            for (const std::uint32_t word : results) hash = (hash ^ word) * 0x100000001b3u;
        }
        std::printf(" %016llx", static_cast<unsigned long long>(hash));
    }
    std::printf("\n");
    cudaFree(in);
    cudaFree(out);
}

int main() {
    print<Type::f16>("f16");
    print<Type::bf16>("bf16");
    print<Type::tf32>("tf32");
    print<Type::e4m3>("e4m3");
    print<Type::e5m2>("e5m2");
    print<Type::s8>("s8");
    print<Type::f16_f16>("f16_f16");
}
