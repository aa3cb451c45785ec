// Launches: limits, errors that stick and errors that do not, symbols, occupancy, graphs of kernels. The
// test runs on an emulated H200 and, what begins with Fermi or Kepler, on an emulated M2090 or K40.
#include <cooperative_groups.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "emulator/runtime/report/counters.h"
#include "lab/device/driver_function.hpp"

namespace {

__device__ int offset_of_all = 5;
__constant__ float factors[4];
__managed__ int managed_counter = 7;

__global__ void add_offset(int* values, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += offset_of_all;
}
__global__ void multiply(float* values) { values[threadIdx.x] *= factors[threadIdx.x % 4]; }
__global__ void count_managed() { atomicAdd(&managed_counter, 1); }
__global__ void write_far(int* values) { values[std::size_t{1} << 34] = 1; }
__global__ void use_shared(float* out) {
    extern __shared__ float shared[];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void load_every_sixth(float* out) {
    __shared__ float shared[6 * 32];
    for (int i = 0; i < 6; ++i) shared[threadIdx.x + 32 * i] = i;
    __syncthreads();
    out[threadIdx.x] = shared[6 * threadIdx.x];
}
__global__ void static_shared_bytes_40960(int* out) {
    __shared__ int shared[10240];
    shared[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = shared[31 - threadIdx.x];
}
__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void run_into_trap() { __trap(); }
__global__ void wait_for_grid(int* out) {
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}
__global__ void print_number(int number) { printf("number %d\n", number); }

struct Pair {
    char first;
    double second;
};
__global__ void many_arguments(double* out, char a, Pair pair, short b, float c) {
    *out = a + pair.first + pair.second + b + c;
}

class OnGpu : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(cudaMalloc(&values_, 1 << 16), cudaSuccess); }
    void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
    int* values_ = nullptr;
};
class Launches : public OnGpu {};
class Fermi : public OnGpu {};
class Kepler : public OnGpu {};

int read(const int* device) {
    int value = 0;
    EXPECT_EQ(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
    return value;
}

TEST_F(Launches, SymbolsReachTheKernel) {
    int offset = 0;
    std::size_t bytes = 0;
    ASSERT_EQ(cudaMemcpyFromSymbol(&offset, offset_of_all, sizeof offset), cudaSuccess);
    EXPECT_EQ(offset, 5);
    offset = 11;
    ASSERT_EQ(cudaMemcpyToSymbol(offset_of_all, &offset, sizeof offset), cudaSuccess);
    ASSERT_EQ(cudaMemset(values_, 0, 400), cudaSuccess);
    add_offset<<<4, 32>>>(values_, 100);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(read(values_ + 99), 11);
    EXPECT_EQ(read(values_ + 100), 0);

    const float second[2] = {2, 3};
    ASSERT_EQ(cudaMemcpyToSymbol(factors, second, sizeof second, 4), cudaSuccess);
    EXPECT_EQ(cudaMemcpyToSymbol(factors, second, sizeof second, 12), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetSymbolSize(&bytes, factors), cudaSuccess);
    EXPECT_EQ(bytes, 16u);
    const float ones[4] = {1, 1, 1, 1};
    float products[4] = {};
    ASSERT_EQ(cudaMemcpy(values_, ones, sizeof ones, cudaMemcpyHostToDevice), cudaSuccess);
    multiply<<<1, 4>>>(reinterpret_cast<float*>(values_));
    ASSERT_EQ(cudaMemcpy(products, values_, sizeof ones, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(products[0], 0);
    EXPECT_EQ(products[1], 2);
    EXPECT_EQ(products[2], 3);
    int nothing = 0;
    EXPECT_EQ(cudaMemcpyToSymbol(nothing, &offset, 4), cudaErrorInvalidSymbol);
}

TEST_F(Launches, VariablesStartAnewAfterAReset) {
    int offset = 0;
    ASSERT_EQ(cudaMemcpyToSymbol(offset_of_all, &offset, sizeof offset), cudaSuccess);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaMemcpyFromSymbol(&offset, offset_of_all, sizeof offset), cudaSuccess);
    EXPECT_EQ(offset, 5);
}

TEST_F(Launches, ManagedVariablesAreTheHosts) {
    EXPECT_EQ(managed_counter, 7);
    managed_counter = 40;
    count_managed<<<1, 2>>>();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(managed_counter, 42);
}

TEST_F(Launches, HostMemoryIsReached) {
    std::vector<int> registered(64, 1);
    int* pinned = nullptr;
    ASSERT_EQ(cudaHostAlloc(&pinned, 64 * sizeof(int), cudaHostAllocMapped), cudaSuccess);
    std::fill(pinned, pinned + 64, 1);
    ASSERT_EQ(cudaHostRegister(registered.data(), 64 * sizeof(int), cudaHostRegisterMapped),
              cudaSuccess);
    add_offset<<<2, 32>>>(pinned, 64);
    add_offset<<<2, 32>>>(registered.data(), 64);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(pinned[63], 6);
    EXPECT_EQ(registered[63], 6);
    ASSERT_EQ(cudaHostUnregister(registered.data()), cudaSuccess);
}

TEST_F(Launches, ArgumentsOfEverySizeArrive) {
    many_arguments<<<1, 1>>>(reinterpret_cast<double*>(values_), 1, Pair{2, 3.5}, -4, 0.25f);
    double sum = 0;
    ASSERT_EQ(cudaMemcpy(&sum, values_, sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(sum, 2.75);
}

TEST_F(Launches, WrongConfigurationsDoNotStick) {
    const auto error_of = [&](dim3 grid, dim3 block, std::size_t shared = 0) {
        add_offset<<<grid, block, shared>>>(values_, 1);
        return cudaGetLastError();
    };
    EXPECT_EQ(error_of(0, 32), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(1, 0), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(1, 1025), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(1, dim3(1, 1, 65)), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(1, dim3(32, 32, 2)), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(dim3(1, 65536), 1), cudaErrorInvalidConfiguration);
    EXPECT_EQ(error_of(1, 32, 49153), cudaErrorInvalidValue);
    EXPECT_EQ(error_of(65536, 1), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    bounded<<<1, 129>>>(values_);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);  // as on an H200
    int host_function = 0;
    EXPECT_EQ(cudaLaunchKernel(&host_function, 1, 1, nullptr, 0, 0),
              cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Launches, ATrapIsALaunchFailure) {
    run_into_trap<<<1, 1>>>();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);  // as on an H200
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    (void)cudaGetLastError();
}

TEST_F(Launches, FaultsStickUntilTheReset) {
    write_far<<<1, 1>>>(values_);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);  // a launch does not wait for its kernel
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorIllegalAddress);
    add_offset<<<1, 1>>>(values_, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&pointer, 4), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Launches, LargeSharedMemoryNeedsOptingIn) {
    constexpr int bytes = 100 * 1024;
    float* const out = reinterpret_cast<float*>(values_);
    use_shared<<<1, 64, bytes>>>(out);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   227 * 1024 + 1),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
              cudaSuccess);
    use_shared<<<1, 64, bytes>>>(out);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    float first = 0;
    ASSERT_EQ(cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(first, 63);
    static_shared_bytes_40960<<<1, 32, 8193>>>(values_);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    static_shared_bytes_40960<<<1, 32, 8192>>>(values_);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(read(values_), 31);
    cudaFuncAttributes attributes{};
    ASSERT_EQ(cudaFuncGetAttributes(&attributes, static_shared_bytes_40960), cudaSuccess);
    EXPECT_EQ(attributes.sharedSizeBytes, 40960u);
    EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 8192);
    EXPECT_EQ(attributes.ptxVersion, 75);
    EXPECT_EQ(attributes.binaryVersion, 90);
}

// NVIDIA's occupancy calculator for compute capability 9.0: 64 warps, 32 blocks, 228 KB of shared
// memory an SM, of which each block takes 1 KB for the system.
TEST_F(Launches, OccupancyIsNvidias) {
    const auto blocks = [](auto* kernel, int threads, std::size_t shared) {
        int result = -1;
        EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&result, kernel, threads, shared),
                  cudaSuccess);
        return result;
    };
    EXPECT_EQ(blocks(add_offset, 256, 0), 8);
    EXPECT_EQ(blocks(add_offset, 1024, 0), 2);
    EXPECT_EQ(blocks(add_offset, 32, 0), 32);
    EXPECT_EQ(blocks(add_offset, 33, 0), 32);
    EXPECT_EQ(blocks(add_offset, 96, 0), 21);
    EXPECT_EQ(blocks(static_shared_bytes_40960, 32, 0), 5);     // 228 / 41
    EXPECT_EQ(blocks(static_shared_bytes_40960, 32, 8192), 4);  // 228 / 49
    EXPECT_EQ(blocks(add_offset, 2048, 0), 0);
    int grid = 0, block = 0;
    EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add_offset), cudaSuccess);
    EXPECT_EQ(block, 1024);
    EXPECT_EQ(grid, 2 * 132);
    std::size_t dynamic = 0;
    EXPECT_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, add_offset, 2, 128), cudaSuccess);
    EXPECT_EQ(dynamic, 49152u);  // not more without opting in
}

TEST_F(Launches, CooperativeGridsMustBeResident) {
    int per_sm = 0;
    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, wait_for_grid, 1024, 0),
              cudaSuccess);
    void* arguments[] = {&values_};
    const auto kernel = reinterpret_cast<const void*>(wait_for_grid);
    EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, per_sm * 132 + 1, 1024, arguments, 0, 0),
              cudaErrorCooperativeLaunchTooLarge);
    EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, 20, 64, arguments, 0, 0), cudaSuccess);
    EXPECT_EQ(read(values_ + 19), 1);
}

TEST_F(Launches, GraphsOfKernels) {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cudaGraphNode_t node = nullptr;
    int count = 1;
    void* arguments[] = {&values_, &count};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(add_offset);
    parameters.gridDim = parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    ASSERT_EQ(cudaMemset(values_, 0, 8), cudaSuccess);
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    count = 0;  // the node has its own copy
    EXPECT_EQ(cudaGraphLaunch(executable, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, 0), cudaSuccess);
    EXPECT_EQ(read(values_), 10);
    int* second = values_ + 1;
    arguments[0] = &second;
    count = 1;
    EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, 0), cudaSuccess);
    EXPECT_EQ(read(values_), 10);
    EXPECT_EQ(read(values_ + 1), 5);
}

TEST_F(Launches, PrintsAppearWhenTheHostWaits) {
    testing::internal::CaptureStdout();
    print_number<<<1, 1>>>(1);
    printf("host\n");
    print_number<<<1, 1>>>(2);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "host\nnumber 1\nnumber 2\n");
}

// The functions that set it are deprecated, as all GPUs of today have banks of 4 bytes.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaSharedMemConfig shared_config_after(cudaSharedMemConfig wanted) {
    cudaSharedMemConfig config{};
    EXPECT_EQ(cudaDeviceSetSharedMemConfig(wanted), cudaSuccess);
    EXPECT_EQ(cudaDeviceGetSharedMemConfig(&config), cudaSuccess);
    return config;
}

double passes_of_every_sixth(float* out) {
    const auto visit = [](void* found, const char* name, double value) {
        if (std::string(name) == "shared_load_wavefronts") *static_cast<double*>(found) = value;
    };
    double passes = 0;
    emulatedGpuResetCounters();
    load_every_sixth<<<1, 32>>>(out);
    emulatedGpuVisitCounters(visit, &passes);
    return passes;
}

TEST_F(Launches, BanksHaveFourBytes) {
    EXPECT_EQ(shared_config_after(cudaSharedMemBankSizeEightByte), cudaSharedMemBankSizeFourByte);
    EXPECT_EQ(passes_of_every_sixth(reinterpret_cast<float*>(values_)), 2);
    EXPECT_EQ(cudaDeviceSetSharedMemConfig(cudaSharedMemConfig(3)), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFuncSetSharedMemConfig(load_every_sixth, cudaSharedMemConfig(3)),
              cudaErrorInvalidValue);
}

// A function's own setting comes before the device's. Words 6 apart are free in banks of 8 bytes alone.
TEST_F(Kepler, BanksOfEightBytesAreAskedFor) {
    float* const out = reinterpret_cast<float*>(values_);
    EXPECT_EQ(passes_of_every_sixth(out), 2);
    EXPECT_EQ(shared_config_after(cudaSharedMemBankSizeEightByte), cudaSharedMemBankSizeEightByte);
    EXPECT_EQ(passes_of_every_sixth(out), 1);
    const auto set = [](cudaSharedMemConfig config) {
        EXPECT_EQ(cudaFuncSetSharedMemConfig(load_every_sixth, config), cudaSuccess);
    };
    set(cudaSharedMemBankSizeFourByte);
    EXPECT_EQ(passes_of_every_sixth(out), 2);
    EXPECT_EQ(shared_config_after(cudaSharedMemBankSizeDefault), cudaSharedMemBankSizeFourByte);
    set(cudaSharedMemBankSizeEightByte);
    EXPECT_EQ(passes_of_every_sixth(out), 1);
    set(cudaSharedMemBankSizeDefault);
    EXPECT_EQ(passes_of_every_sixth(out), 2);
}

TEST_F(Launches, CountersAreExported) {
    std::map<std::string, double> counters;
    const auto visit = [](void* context, const char* name, double value) {
        (*static_cast<std::map<std::string, double>*>(context))[name] = value;
    };
    ASSERT_NE(dlsym(RTLD_DEFAULT, "emulatedGpuVisitCounters"), nullptr);
    emulatedGpuResetCounters();
    add_offset<<<4, 32>>>(values_, 128);
    emulatedGpuVisitCounters(visit, &counters);
    EXPECT_EQ(counters["load_requests"], 8);  // the value and the variable
    EXPECT_EQ(counters["store_requests"], 4);
    EXPECT_EQ(counters["store_sectors"], 16);  // 4 x 128 bytes
    EXPECT_EQ(counters["store_efficiency"], 100);
    EXPECT_EQ(counters["theoretical_occupancy"], 50);  // 32 blocks of one warp, of 64 warps
    EXPECT_STREQ(emulatedGpuProperty("architecture"), "hopper");
    EXPECT_EQ(emulatedGpuProperty("colour"), nullptr);
}

TEST_F(Launches, PropertiesAreTheGpus) {
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_EQ(std::string(properties.name).rfind("Emulated H200", 0), 0u);
    EXPECT_EQ(properties.major, 9);
    EXPECT_EQ(properties.multiProcessorCount, 132);
    EXPECT_EQ(properties.warpSize, 32);
    EXPECT_EQ(properties.sharedMemPerBlock, 49152u);
    EXPECT_EQ(properties.sharedMemPerBlockOptin, 227u * 1024);
    EXPECT_EQ(properties.maxGridSize[0], 2147483647);
    EXPECT_EQ(properties.maxGridSize[1], 65535);
    EXPECT_EQ(properties.maxThreadsPerMultiProcessor, 2048);
    int clock = 0;
    EXPECT_EQ(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0), cudaSuccess);
    EXPECT_EQ(clock, 1980000);
    EXPECT_EQ(cudaDeviceGetAttribute(&clock, static_cast<cudaDeviceAttr>(9999), 0),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
}

int has_clusters() {
    int answer = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&answer, cudaDevAttrClusterLaunch, 0), cudaSuccess);
    return answer;
}

// Launches `blocks` blocks of one thread in clusters.
cudaError_t launch_in_clusters(int* values, unsigned blocks, unsigned cluster) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    const cudaError_t error = cudaLaunchKernelEx(&config, add_offset, values, 64);
    int clusters = 0;
    EXPECT_EQ(cudaOccupancyMaxActiveClusters(&clusters, add_offset, &config), error);
    return error;
}

// The programming guide: grids are multiples of a cluster's blocks, of which every GPU has 8, and some have more by an attribute.
TEST_F(Launches, ClustersHaveAtMost8BlocksUnlessTheKernelAllowsMore) {
    ASSERT_EQ(cudaMemset(values_, 0, 256), cudaSuccess);
    EXPECT_EQ(has_clusters(), 1);
    EXPECT_EQ(launch_in_clusters(values_, 24, 8), cudaSuccess);
    EXPECT_EQ(read(values_ + 23), 5);
    EXPECT_EQ(read(values_ + 24), 0);
    EXPECT_EQ(launch_in_clusters(values_, 20, 8), cudaErrorInvalidClusterSize);
    EXPECT_EQ(launch_in_clusters(values_, 32, 16), cudaErrorInvalidClusterSize);
    ASSERT_EQ(cudaFuncSetAttribute(add_offset, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
              cudaSuccess);
    EXPECT_EQ(launch_in_clusters(values_, 32, 16), cudaSuccess);
    EXPECT_EQ(read(values_ + 31), 5);
}

TEST_F(Kepler, LaunchesHaveNoClusters) {
    EXPECT_EQ(has_clusters(), 0);
    EXPECT_EQ(launch_in_clusters(values_, 2, 2), cudaErrorNotSupported);
    EXPECT_EQ(launch_in_clusters(values_, 2, 1), cudaSuccess);
}

TEST_F(Launches, TensorMapsAreChecked) {
    PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
    cudaDriverEntryPointQueryResult found{};
    ASSERT_EQ(lab::find_driver_function("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode),
                                        &found),
              cudaSuccess);
    ASSERT_EQ(found, cudaDriverEntryPointSuccess);
    CUtensorMap map{};
    const cuuint64_t size[] = {64, 16}, stride[] = {256}, odd_stride[] = {250};
    const cuuint32_t box[] = {32, 4}, steps[] = {1, 1};
    const auto result = [&](const cuuint64_t* strides, CUtensorMapSwizzle swizzle) {
        return encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, values_, size, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    EXPECT_EQ(result(stride, CU_TENSOR_MAP_SWIZZLE_128B), CUDA_SUCCESS);
    EXPECT_EQ(result(odd_stride, CU_TENSOR_MAP_SWIZZLE_NONE), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(result(stride, CU_TENSOR_MAP_SWIZZLE_64B),
              CUDA_ERROR_INVALID_VALUE);  // rows of 128 bytes
    EXPECT_EQ(lab::find_driver_function("cuNothing", reinterpret_cast<void**>(&encode), &found),
              cudaSuccess);
    EXPECT_EQ(found, cudaDriverEntryPointSymbolNotFound);
}

TEST_F(Fermi, GridsAreAtMost65535Wide) {
    add_offset<<<65536, 1>>>(values_, 1);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
    add_offset<<<65535, 1>>>(values_, 1);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    use_shared<<<1, 32, 49153>>>(reinterpret_cast<float*>(values_));
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_NE(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536),
              cudaSuccess);
}

TEST_F(Fermi, PropertiesAreThoseOfTheM2090) {
    cudaDeviceProp properties{};
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_EQ(properties.major, 2);
    EXPECT_EQ(properties.minor, 0);
    EXPECT_EQ(properties.multiProcessorCount, 16);
    EXPECT_EQ(properties.maxGridSize[0], 65535);
    EXPECT_EQ(properties.regsPerBlock, 32768);
    EXPECT_EQ(properties.maxThreadsPerMultiProcessor, 1536);
    int blocks = 0;
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 32, 0), cudaSuccess);
    EXPECT_EQ(blocks, 8);
    void* arguments[] = {&values_};
    EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(wait_for_grid), 1, 1,
                                          arguments, 0, 0),
              cudaErrorNotSupported);
}

}  // namespace
