// Memory of the CUDA runtime: what NVIDIA's documentation says of allocation and copies.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "forms_of_13.hpp"

namespace {

class Memory : public testing::Test {
  protected:
    void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
};

TEST_F(Memory, CopiesReturnWhatWasWritten) {
    std::vector<int> in(1000), out(1000);
    std::iota(in.begin(), in.end(), 7);
    int* a = nullptr;
    int* b = nullptr;
    ASSERT_EQ(cudaMalloc(&a, 4000), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&b, 4000), cudaSuccess);
    EXPECT_EQ(reinterpret_cast<std::size_t>(a) % 256, 0u);
    EXPECT_EQ(cudaMemcpy(a, in.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(b, a, 4000, cudaMemcpyDeviceToDevice), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(out.data(), b, 4000, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(in, out);
    EXPECT_EQ(cudaFree(a), cudaSuccess);
    EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST_F(Memory, WrongArgumentsAreInvalid) {
    char* device = nullptr;
    char host[64] = {};
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(device + 1, host, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(host, device, 64, static_cast<cudaMemcpyKind>(9)),
              cudaErrorInvalidMemcpyDirection);
    EXPECT_EQ(cudaMemcpy(host, host + 32, 16, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(device, 0, 65), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(device + 4), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(host), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeHost(device), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault), cudaSuccess);
    EXPECT_EQ(cudaFree(device), cudaSuccess);
    EXPECT_EQ(cudaFree(device), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(device, 0, 4), cudaErrorInvalidValue);
}

// Sums and products of which 64 bits hold the lower part alone.
TEST_F(Memory, SizesThatOverflowAreInvalid) {
    constexpr std::size_t huge = std::size_t{1} << 63, most = SIZE_MAX;
    char* device = nullptr;
    char host[64] = {};
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    // (huge - 1 + 1) * 2 + 16 = 16: all 16 bytes of the only row, it seems.
    EXPECT_EQ(cudaMemset2D(device, 2, 0, 2, huge + 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset2D(device, most, 0, 1, 3), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset2D(device, huge, 0, 16, 3), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy2D(device, huge, host, 16, 16, 3, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy2D(host, 16, device, huge, 16, 3, cudaMemcpyDeviceToHost),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset3D({device, huge, 1, 2}, 0, {16, 1, 2}), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemcpy(device, host, most, cudaMemcpyHostToDevice), cudaErrorInvalidValue);

    cudaMemcpy3DParms copy{};
    copy.srcPtr = {host, 16, 16, 1};
    copy.dstPtr = {device, huge, 16, 2};
    copy.dstPos = {0, 0, 1};
    copy.extent = {16, 1, 1};
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
}

TEST_F(Memory, AllocationsThatOverflowRunOut) {
    void* pointer = nullptr;
    std::size_t pitch = 0;
    EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, SIZE_MAX, 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMallocPitch(&pointer, &pitch, 512, SIZE_MAX / 256), cudaErrorMemoryAllocation);
    EXPECT_EQ(pitch, 0u);
    cudaPitchedPtr pitched{};
    EXPECT_EQ(cudaMalloc3D(&pitched, {SIZE_MAX, 1, 1}), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc3D(&pitched, {512, SIZE_MAX / 256, 1}), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc(&pointer, SIZE_MAX), cudaErrorMemoryAllocation);
}

// The largest extents are attributes of the device.
TEST_F(Memory, ArraysBeyondTheDeviceAreInvalid) {
    constexpr std::size_t huge = std::size_t{1} << 40;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMallocArray(&array, &format, huge, huge), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMallocArray(&array, &format, huge, 1), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, {1, 1, huge}), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, {1, 1, huge}, cudaArrayLayered),
              cudaErrorInvalidValue);
    int width = 0;
    ASSERT_EQ(cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture2DWidth, 0), cudaSuccess);
    const auto widest = static_cast<std::size_t>(width);
    EXPECT_EQ(cudaMallocArray(&array, &format, widest + 1, 1), cudaErrorInvalidValue);
    ASSERT_EQ(cudaMallocArray(&array, &format, widest, 1), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    int depth = 0;
    ASSERT_EQ(cudaDeviceGetAttribute(&depth, cudaDevAttrMaxTexture3DDepthAlt, 0), cudaSuccess);
    ASSERT_EQ(cudaMalloc3DArray(&array, &format, {1, 1, static_cast<std::size_t>(depth)}),
              cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
}

TEST_F(Memory, OnlyMemoryThatIsThereCanBeRegistered) {
    static char host[64];
    EXPECT_EQ(cudaHostRegister(host, SIZE_MAX, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(host, std::size_t{1} << 46, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(reinterpret_cast<void*>(8), 8, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaHostRegister(host, sizeof host, 0), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(host), cudaSuccess);
}

TEST_F(Memory, WrongPointersAreInvalid) {
    char* device = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 64), cudaSuccess);
    auto* const nowhere = reinterpret_cast<void*>(8);
    EXPECT_EQ(cudaMemcpy(device, nowhere, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMalloc(static_cast<void**>(nowhere), 4), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemset(device, 1, 64), cudaSuccess);
    const auto into_nowhere = reinterpret_cast<cudaHostFn_t>(nowhere);
    EXPECT_EQ(cudaLaunchHostFunc(nullptr, into_nowhere, nullptr), cudaErrorInvalidValue);
}

// What the host function does wrong is the program's own fault, and ends it.
TEST_F(Memory, FaultsOfHostFunctionsEndTheProgram) {
    const cudaHostFn_t write = [](void* to) { *static_cast<volatile int*>(to) = 1; };
    EXPECT_EXIT((void)cudaLaunchHostFunc(nullptr, write, reinterpret_cast<void*>(8)),
                testing::KilledBySignal(SIGSEGV), "");
}

// Linux grants a process 65,530 mappings.
TEST_F(Memory, ThereCanBeMoreAllocationsThanMappings) {
    std::vector<char*> pointers(70000);
    for (char*& pointer : pointers) {
        ASSERT_EQ(cudaMalloc(&pointer, 16), cudaSuccess);
        ASSERT_EQ(cudaMemset(pointer, 1, 16), cudaSuccess);
        ASSERT_EQ(cudaMemset(pointer, 1, 17), cudaErrorInvalidValue);
        ASSERT_EQ(cudaMemset(pointer - 1, 1, 1), cudaErrorInvalidValue);
    }
    for (char* const pointer : pointers) ASSERT_EQ(cudaFree(pointer), cudaSuccess);
}

TEST_F(Memory, RunsOut) {
    std::size_t free = 0, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    ASSERT_LE(free, total);
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, total + 1), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaMalloc(&pointer, SIZE_MAX / 2), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&pointer, 1 << 20), cudaSuccess);
    std::size_t left = 0;
    ASSERT_EQ(cudaMemGetInfo(&left, &total), cudaSuccess);
    EXPECT_EQ(free - left, 1u << 20);
}

TEST_F(Memory, PitchedRowsDoNotTouchTheirPadding) {
    char* device = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&device, &pitch, 100, 3), cudaSuccess);
    ASSERT_GE(pitch, 100u);
    EXPECT_EQ(pitch % 32, 0u);  // texturePitchAlignment
    ASSERT_EQ(cudaMemset(device, 0x55, 3 * pitch), cudaSuccess);
    std::vector<char> in(3 * 120), out(3 * pitch);
    std::iota(in.begin(), in.end(), 0);
    ASSERT_EQ(cudaMemcpy2D(device, pitch, in.data(), 120, 100, 3, cudaMemcpyHostToDevice),
              cudaSuccess);
    ASSERT_EQ(cudaMemcpy(out.data(), device, 3 * pitch, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int row = 0; row < 3; ++row) {
        EXPECT_EQ(std::memcmp(&out[row * pitch], &in[row * 120], 100), 0) << row;
        for (std::size_t i = 100; i < pitch; ++i) ASSERT_EQ(out[row * pitch + i], 0x55);
    }
    ASSERT_EQ(cudaMemset2D(device, pitch, 1, 2, 2), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(out.data(), device, 3 * pitch, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[pitch + 1], 1);
    EXPECT_EQ(out[2], in[2]);
    EXPECT_EQ(out[2 * pitch], in[240]);
    EXPECT_EQ(cudaMemcpy2D(device, 99, in.data(), 120, 100, 3, cudaMemcpyHostToDevice),
              cudaErrorInvalidPitchValue);
}

TEST_F(Memory, BoxesOfThreeDimensions) {
    // 4 x 3 x 2 bytes out of the middle of 8 x 5 x 3.
    std::vector<unsigned char> in(8 * 5 * 3), out(4 * 3 * 2, 0xff);
    std::iota(in.begin(), in.end(), 0);
    cudaPitchedPtr device{};
    ASSERT_EQ(cudaMalloc3D(&device, make_cudaExtent(8, 5, 3)), cudaSuccess);
    EXPECT_EQ(device.xsize, 8u);
    EXPECT_EQ(device.ysize, 5u);
    cudaMemcpy3DParms up{};
    up.srcPtr = make_cudaPitchedPtr(in.data(), 8, 8, 5);
    up.dstPtr = device;
    up.extent = make_cudaExtent(8, 5, 3);
    up.kind = cudaMemcpyHostToDevice;
    ASSERT_EQ(cudaMemcpy3D(&up), cudaSuccess);
    cudaMemcpy3DParms down{};
    down.srcPtr = device;
    down.srcPos = make_cudaPos(2, 1, 1);
    down.dstPtr = make_cudaPitchedPtr(out.data(), 4, 4, 3);
    down.extent = make_cudaExtent(4, 3, 2);
    down.kind = cudaMemcpyDeviceToHost;
    ASSERT_EQ(cudaMemcpy3D(&down), cudaSuccess);
    for (int z = 0; z < 2; ++z) {
        for (int y = 0; y < 3; ++y) {
            for (int x = 0; x < 4; ++x) {
                ASSERT_EQ(out[(z * 3 + y) * 4 + x], in[((z + 1) * 5 + y + 1) * 8 + x + 2]);
            }
        }
    }
}

TEST_F(Memory, ArraysCountTheirElements) {
    const auto format = cudaCreateChannelDesc<float2>();
    EXPECT_EQ(format.x, 32);
    EXPECT_EQ(format.y, 32);
    EXPECT_EQ(format.z, 0);
    EXPECT_EQ(format.f, cudaChannelFormatKindFloat);
    cudaArray_t array = nullptr;
    ASSERT_EQ(cudaMallocArray(&array, &format, 5, 4), cudaSuccess);
    std::vector<float2> in(20), out(6);
    for (int i = 0; i < 20; ++i) in[i] = {float(i), -float(i)};
    ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, in.data(), 40, 40, 4, cudaMemcpyHostToDevice),
              cudaSuccess);
    // Columns 1 to 3 of rows 2 and 3.
    ASSERT_EQ(cudaMemcpy2DFromArray(out.data(), 24, array, 8, 2, 24, 2, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(out[0].x, 11);
    EXPECT_EQ(out[2].y, -13);
    EXPECT_EQ(out[3].x, 16);
    EXPECT_EQ(cudaMemcpy2DToArray(array, 8, 0, in.data(), 40, 40, 4, cudaMemcpyHostToDevice),
              cudaErrorInvalidValue);  // past the end of the rows
    cudaExtent extent{};
    ASSERT_EQ(cudaArrayGetInfo(nullptr, &extent, nullptr, array), cudaSuccess);
    EXPECT_EQ(extent.width, 5u);
    EXPECT_EQ(extent.height, 4u);
    EXPECT_EQ(extent.depth, 0u);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

TEST_F(Memory, PointersSayWhatTheyAre) {
    void *device = nullptr, *pinned = nullptr, *managed = nullptr;
    ASSERT_EQ(cudaMalloc(&device, 16), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
    ASSERT_EQ(cudaMallocManaged(&managed, 16), cudaSuccess);
    int ordinary = 0;
    const auto attributes = [](const void* pointer) {
        cudaPointerAttributes result{};
        EXPECT_EQ(cudaPointerGetAttributes(&result, pointer), cudaSuccess);
        return result;
    };
    EXPECT_EQ(attributes(device).type, cudaMemoryTypeDevice);
    EXPECT_EQ(attributes(static_cast<char*>(device) + 15).devicePointer,
              static_cast<char*>(device) + 15);
    EXPECT_EQ(attributes(device).hostPointer, nullptr);
    EXPECT_EQ(attributes(pinned).type, cudaMemoryTypeHost);
    EXPECT_EQ(attributes(pinned).hostPointer, pinned);
    EXPECT_EQ(attributes(managed).type, cudaMemoryTypeManaged);
    EXPECT_EQ(attributes(&ordinary).type, cudaMemoryTypeUnregistered);
    EXPECT_EQ(attributes(&ordinary).devicePointer, nullptr);
    EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
    EXPECT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Memory, HostMemoryIsRegisteredOnce) {
    std::vector<char> memory(8192);
    void* device = nullptr;
    EXPECT_EQ(cudaHostGetDevicePointer(&device, memory.data(), 0), cudaErrorInvalidValue);
    ASSERT_EQ(cudaHostRegister(memory.data(), 8192, cudaHostRegisterMapped), cudaSuccess);
    EXPECT_EQ(cudaHostRegister(memory.data(), 8192, cudaHostRegisterMapped),
              cudaErrorHostMemoryAlreadyRegistered);
    EXPECT_EQ(cudaHostGetDevicePointer(&device, memory.data(), 0), cudaSuccess);
    unsigned flags = 0;
    EXPECT_EQ(cudaHostGetFlags(&flags, memory.data()), cudaSuccess);
    EXPECT_NE(flags & cudaHostRegisterMapped, 0u);
    EXPECT_EQ(cudaHostUnregister(memory.data()), cudaSuccess);
    EXPECT_EQ(cudaHostUnregister(memory.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(Memory, HintsAreForManagedMemoryAlone) {
    int *managed = nullptr, *device = nullptr;
    ASSERT_EQ(cudaMallocManaged(&managed, 4096), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&device, 4096), cudaSuccess);
    const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
    EXPECT_EQ(cudaMemPrefetchAsync(managed, 4096, gpu, 0, 0), cudaSuccess);
    EXPECT_EQ(cudaMemPrefetchAsync(device, 4096, gpu, 0, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaMemPrefetchAsync(managed, 4096, {cudaMemLocationTypeDevice, 5}, 0, 0),
              cudaErrorInvalidDevice);
    EXPECT_EQ(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, host), cudaSuccess);
    int where = 0;
    EXPECT_EQ(
        cudaMemRangeGetAttribute(&where, 4, cudaMemRangeAttributePreferredLocation, managed, 4096),
        cudaSuccess);
    EXPECT_EQ(where, cudaCpuDeviceId);
    EXPECT_EQ(
        cudaMemRangeGetAttribute(&where, 4, cudaMemRangeAttributeLastPrefetchLocation, managed, 64),
        cudaSuccess);
    EXPECT_EQ(where, 0);
    EXPECT_EQ(cudaMallocManaged(&managed, 0), cudaErrorInvalidValue);
}

TEST_F(Memory, PoolsAllocateInStreams) {
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
    unsigned long long threshold = ~0ull, read = 0;
    EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
              cudaSuccess);
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &read), cudaSuccess);
    EXPECT_EQ(read, threshold);
    void* pointer = nullptr;
    ASSERT_EQ(cudaMallocFromPoolAsync(&pointer, 100, pool, 0), cudaSuccess);
    EXPECT_EQ(cudaMemsetAsync(pointer, 1, 100, 0), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(pointer, 0), cudaSuccess);
    EXPECT_EQ(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);  // the default one stays
}

}  // namespace
