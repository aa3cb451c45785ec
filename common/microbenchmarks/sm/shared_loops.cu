// Atomic operations of shared memory that the machine code has as loops (LDS, ATOMS.CAST.SPIN), by how many words of how
// many banks the lanes update, and by warps that may be faster. And loads of local memory that come again. Prints a line
// a launch: its name. The counters are a profiler's.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

namespace {

constexpr int words = 1024, local_words = 64;

// Lane i adds to word i % distinct * stride.
template <class T>
__global__ void add(T* out, int distinct, int stride) {
    __shared__ T sums[words];
    for (int i = threadIdx.x; i < words; i += blockDim.x) sums[i] = T(0);
    __syncthreads();
    atomicAdd(&sums[threadIdx.x % distinct * stride], T(1));
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// The first operation of each lane changes its word; the second one would not.
__global__ void max_twice(unsigned long long* out, int distinct) {
    __shared__ unsigned long long most[words];
    for (int i = threadIdx.x; i < words; i += blockDim.x) most[i] = 0;
    __syncthreads();
    atomicMax(&most[threadIdx.x % distinct], 7ull);
    __syncthreads();
    atomicMax(&most[threadIdx.x % distinct], 5ull);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = most[0];
}

__global__ void load_local(int* out, int rounds, int step) {
    int mine[local_words];
    for (int i = 0; i < local_words; ++i) mine[i] = i + step;
    int at = 0, sum = 0;
    for (int round = 0; round < rounds; ++round) {
        sum += mine[at];
        at = (at + step) % local_words;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

bool launched(const std::string& name) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s%s%s\n", name.c_str(), error == cudaSuccess ? "" : ": ",
                error == cudaSuccess ? "" : cudaGetErrorString(error));
    return error == cudaSuccess;
}

template <class T>
bool add_all(const char* type, void* out) {
    for (const int threads : {32, 64, 128, 256}) {
        for (const int distinct : {1, 2, 8, 16, 32}) {
            for (const int stride : {1, 2, 32}) {
                add<<<1, threads>>>(static_cast<T*>(out), distinct, stride);
                if (!launched(std::string("add_") + type + "/threads:" + std::to_string(threads) +
                              "/words:" + std::to_string(distinct) +
                              "/stride:" + std::to_string(stride)))
                    return false;
            }
        }
    }
    return true;
}

}  // namespace

int main() {
    void* out = nullptr;
    if (cudaMalloc(&out, 1 << 21) != cudaSuccess) return 1;
    bool is_good = add_all<float>("f32", out) && add_all<double>("f64", out) &&
                   add_all<unsigned long long>("u64", out);
    for (const int distinct : {1, 8, 32}) {
        max_twice<<<1, 32>>>(static_cast<unsigned long long*>(out), distinct);
        is_good = launched("max_twice/words:" + std::to_string(distinct)) && is_good;
    }
    for (const int blocks : {1, 132, 1056}) {
        for (const int step : {1, 7, 32}) {
            load_local<<<blocks, 256>>>(static_cast<int*>(out), 256, step);
            is_good = launched("load_local/blocks:" + std::to_string(blocks) +
                               "/step:" + std::to_string(step)) &&
                      is_good;
        }
    }
    return is_good ? 0 : 1;
}
