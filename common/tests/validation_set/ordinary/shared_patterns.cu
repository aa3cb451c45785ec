// Shared memory: bank conflicts with words, doubles, structures and bytes; dynamic arrays; transposes.
#include "launches.hpp"
#include "themes.hpp"

namespace ordinary {
namespace {

template <class T>
__global__ void shared_stride(const T* in, T* out, int stride) {
    __shared__ T tile[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = in[i];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[(threadIdx.x * stride + blockIdx.x) % 1024];
}

struct Pair {
    float a, b;
};
struct Triple {
    float a, b, c;
};
struct alignas(16) Quadruple {
    float a, b, c, d;
};
struct Quintuple {
    float a, b, c, d, e;
};

// Writes whole structures, reads one member and then all.
template <class T>
__global__ void shared_structures(const T* in, T* out, float* members) {
    __shared__ T tile[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    members[i] = tile[127 - threadIdx.x].b;
    out[i] = tile[threadIdx.x ^ 3];
}

template <int padding>
__global__ void transpose_tile(const float* in, float* out, int width, int height) {
    __shared__ float tile[32][32 + padding];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) {
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

__global__ void transpose_doubles(const double* in, double* out, int width) {
    __shared__ double tile[16][17];
    tile[threadIdx.y][threadIdx.x] =
        in[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * width + blockIdx.y * 16 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int width) {
    __shared__ unsigned char tile[32][32];
    const int x = blockIdx.x * 32, y = blockIdx.y * 32;
    tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * width + x + threadIdx.x];
    __syncthreads();
    out[(x + threadIdx.y) * width + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// One dynamic allocation for arrays of three types.
__global__ void dynamic_arrays(const float* in, float* out, int n) {
    extern __shared__ double memory[];
    double* doubles = memory;
    float* floats = reinterpret_cast<float*>(doubles + n);
    short* shorts = reinterpret_cast<short*>(floats + n);
    const int i = threadIdx.x;
    doubles[i] = in[blockIdx.x * n + i] * 2.0;
    floats[i] = in[blockIdx.x * n + i] + 1.0f;
    shorts[i] = static_cast<short>(n - 1 - i);
    __syncthreads();
    const int other = shorts[i];
    out[blockIdx.x * n + i] = static_cast<float>(doubles[other]) + floats[(i * 5) % n];
}

__global__ void broadcast(const float* in, float* out) {
    __shared__ float tile[64];
    if (threadIdx.x < 64) tile[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += tile[k] * (k & 3);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + tile[threadIdx.x / 32];
}

// Shuffles the block's elements by an index array: conflicts that the data decide.
__global__ void permute_in_block(const int* in, const int* order, int* out) {
    __shared__ int tile[256];
    const int base = blockIdx.x * 256;
    tile[order[base + threadIdx.x]] = in[base + threadIdx.x];
    __syncthreads();
    out[base + threadIdx.x] = tile[threadIdx.x];
}

__global__ void reverse_in_place(float4* data, int n) {
    __shared__ float4 tile[128];
    const int base = blockIdx.x * 128;
    tile[threadIdx.x] = data[base + threadIdx.x];
    __syncthreads();
    data[base + threadIdx.x] = tile[127 - threadIdx.x];
}

template <class T>
void add_stride(Launches& launches, const char* name, int stride) {
    launches.add(name, [=](Outcome& outcome) {
        const auto in = values<T>(1024);
        const Array<T> input(in), out(4 * 256);
        shared_stride<T><<<4, 256>>>(input, out, stride);
        std::vector<T> expected(4 * 256);
        for (int i = 0; i < 4 * 256; ++i) expected[i] = in[(i % 256 * stride + i / 256) % 1024];
        outcome.equal(out, expected);
    });
}

template <class T>
void add_structure(Launches& launches, const char* name) {
    launches.add(name, [](Outcome& outcome) {
        const int n = 1024;
        const auto words = values<float>(n * sizeof(T) / 4);
        std::vector<T> in(n), expected(n);
        std::memcpy(in.data(), words.data(), n * sizeof(T));
        const Array<T> input(in), out(n);
        const Array<float> members(n);
        shared_structures<T><<<8, 128>>>(input, out, members);
        std::vector<float> expected_members(n);
        for (int i = 0; i < n; ++i) {
            expected[i] = in[i ^ 3];
            expected_members[i] = in[i / 128 * 128 + 127 - i % 128].b;
        }
        outcome.equal(out, expected);
        outcome.equal(members, expected_members);
    });
}

void add_patterns(Launches& launches) {
    add_stride<float>(launches, "shared_stride/type:float/stride:2", 2);
    add_stride<float>(launches, "shared_stride/type:float/stride:32", 32);
    add_stride<float>(launches, "shared_stride/type:float/stride:33", 33);
    add_stride<double>(launches, "shared_stride/type:double/stride:1", 1);
    add_stride<double>(launches, "shared_stride/type:double/stride:3", 3);
    add_stride<double>(launches, "shared_stride/type:double/stride:16", 16);
    add_stride<short>(launches, "shared_stride/type:short/stride:5", 5);
    add_stride<unsigned char>(launches, "shared_stride/type:byte/stride:7", 7);
    add_structure<Pair>(launches, "shared_structures/bytes:8");
    add_structure<Triple>(launches, "shared_structures/bytes:12");
    add_structure<Quadruple>(launches, "shared_structures/bytes:16");
    add_structure<Quintuple>(launches, "shared_structures/bytes:20");
}

template <class T>
std::vector<T> transposed(const std::vector<T>& in, int width) {
    const int height = static_cast<int>(in.size()) / width;
    std::vector<T> out(in.size());
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) out[x * height + y] = in[y * width + x];
    }
    return out;
}

void add_transposes(Launches& launches) {
    const auto add = [&](const char* name, void (*kernel)(const float*, float*, int, int)) {
        launches.add(name, [=](Outcome& outcome) {
            const auto in = values<float>(100 * 75);
            const Array<float> input(in), out(100 * 75);
            kernel<<<dim3(4, 3), dim3(32, 8)>>>(input, out, 100, 75);
            outcome.equal(out, transposed(in, 100));
        });
    };
    add("transpose_tile/padding:0", transpose_tile<0>);
    add("transpose_tile/padding:1", transpose_tile<1>);
    launches.add("transpose_doubles", [](Outcome& outcome) {
        const auto in = values<double>(64 * 64);
        const Array<double> input(in), out(64 * 64);
        transpose_doubles<<<dim3(4, 4), dim3(16, 16)>>>(input, out, 64);
        outcome.equal(out, transposed(in, 64));
    });
    launches.add("transpose_bytes", [](Outcome& outcome) {
        const auto in = values<unsigned char>(96 * 96, 256);
        const Array<unsigned char> input(in), out(96 * 96);
        transpose_bytes<<<dim3(3, 3), dim3(32, 32)>>>(input, out, 96);
        outcome.equal(out, transposed(in, 96));
    });
}

void add_other_patterns(Launches& launches) {
    launches.add("dynamic_arrays", [](Outcome& outcome) {
        const auto in = values<float>(8 * 192);
        const Array<float> input(in), out(8 * 192);
        dynamic_arrays<<<8, 192, 192 * (8 + 4 + 2)>>>(input, out, 192);
        std::vector<float> expected(8 * 192);
        for (int i = 0; i < 8 * 192; ++i) {
            const int base = i / 192 * 192, t = i % 192;
            expected[i] = 2 * in[base + 191 - t] + in[base + t * 5 % 192] + 1;
        }
        outcome.equal(out, expected);
    });
    launches.add("broadcast", [](Outcome& outcome) {
        const auto in = values<float>(8 * 64);
        const Array<float> input(in), out(8 * 128);
        broadcast<<<8, 128>>>(input, out);
        std::vector<float> expected(8 * 128);
        for (int i = 0; i < 8 * 128; ++i) {
            for (int k = 0; k < 64; ++k) expected[i] += in[i / 128 * 64 + k] * (k & 3);
            expected[i] += in[i / 128 * 64 + i % 128 / 32];
        }
        outcome.equal(out, expected);
    });
    launches.add("permute_in_block", [](Outcome& outcome) {
        const auto in = values<int>(8 * 256);
        auto order = std::vector<int>(8 * 256);
        for (int i = 0; i < 8 * 256; ++i) order[i] = (i % 256 * (2 * (i / 256) + 37) + 11) % 256;
        const Array<int> input(in), places(order), out(8 * 256);
        permute_in_block<<<8, 256>>>(input, places, out);
        std::vector<int> expected(8 * 256);
        for (int i = 0; i < 8 * 256; ++i) expected[i / 256 * 256 + order[i]] = in[i];
        outcome.equal(out, expected);
    });
    launches.add("reverse_in_place", [](Outcome& outcome) {
        const auto numbers = values<float>(4 * 1024);
        std::vector<float4> data(1024);
        std::memcpy(data.data(), numbers.data(), 1024 * sizeof(float4));
        const Array<float4> device(data);
        reverse_in_place<<<8, 128>>>(device, 1024);
        for (int i = 0; i < 1024; i += 128) std::reverse(data.begin() + i, data.begin() + i + 128);
        outcome.equal(device, data);
    });
}

}  // namespace

void add_shared_patterns(Launches& launches) {
    add_patterns(launches);
    add_transposes(launches);
    add_other_patterns(launches);
}

}  // namespace ordinary
