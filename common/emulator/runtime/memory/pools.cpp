// Memory pools: allocations from them are ordinary ones; sizes are counted, thresholds remembered.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/memory/allocations.hpp"

using namespace emulator::runtime;

struct CUmemPoolHandle_st {
    std::uint64_t release_threshold = 0;
    bool flags[3] = {true, true, true};  // cudaMemPoolReuse...
};

namespace {

std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>>& pools() {
    static auto& result = *new std::map<cudaMemPool_t, std::unique_ptr<CUmemPoolHandle_st>>;
    return result;
}

cudaMemPool_t create_pool() {
    auto pool = std::make_unique<CUmemPoolHandle_st>();
    const cudaMemPool_t handle = pool.get();
    pools()[handle] = std::move(pool);
    return handle;
}

cudaMemPool_t default_pool() {
    static const cudaMemPool_t pool = create_pool();
    return pool;
}

cudaMemPool_t& current_pool() {
    static cudaMemPool_t pool = default_pool();
    return pool;
}

CUmemPoolHandle_st& require_pool(cudaMemPool_t pool) {
    default_pool();
    require(pools().count(pool) != 0, cudaErrorInvalidResourceHandle);
    return *pool;
}

cudaError_t give_pool(cudaMemPool_t* result, int device, cudaMemPool_t pool) {
    return call([&] {
        require(result != nullptr);
        require_device(device);
        *result = pool;
    });
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
    return give_pool(pool, device, default_pool());
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
    return give_pool(pool, device, current_pool());
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return call([&] {
        require_device(device);
        require_pool(pool);
        current_pool() = pool;
    });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
    return call([&] {
        require(pool != nullptr && properties != nullptr);
        require(properties->allocType == cudaMemAllocationTypePinned);
        if (properties->handleTypes != cudaMemHandleTypeNone) {
            throw ApiError(cudaErrorNotSupported,
                           "cudaMemPoolCreate: sharing between processes is not supported");
        }
        *pool = create_pool();
    });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
    return call([&] {
        require_pool(pool);
        require(pool != default_pool());
        if (current_pool() == pool) current_pool() = default_pool();
        pools().erase(pool);
    });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call([&] {
        CUmemPoolHandle_st& state = require_pool(pool);
        require(value != nullptr);
        switch (attribute) {
            case cudaMemPoolReuseFollowEventDependencies:
            case cudaMemPoolReuseAllowOpportunistic:
            case cudaMemPoolReuseAllowInternalDependencies:
                state.flags[attribute - cudaMemPoolReuseFollowEventDependencies] =
                    *static_cast<int*>(value) != 0;
                return;
            case cudaMemPoolAttrReleaseThreshold:
                state.release_threshold = *static_cast<std::uint64_t*>(value);
                return;
            case cudaMemPoolAttrReservedMemHigh:
            case cudaMemPoolAttrUsedMemHigh:
                require(*static_cast<std::uint64_t*>(value) == 0);
                return;
            default:
                throw ApiError(cudaErrorInvalidValue);
        }
    });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
    return call([&] {
        const CUmemPoolHandle_st& state = require_pool(pool);
        require(value != nullptr);
        switch (attribute) {
            case cudaMemPoolReuseFollowEventDependencies:
            case cudaMemPoolReuseAllowOpportunistic:
            case cudaMemPoolReuseAllowInternalDependencies:
                *static_cast<int*>(value) =
                    state.flags[attribute - cudaMemPoolReuseFollowEventDependencies];
                return;
            case cudaMemPoolAttrReleaseThreshold:
                *static_cast<std::uint64_t*>(value) = state.release_threshold;
                return;
            case cudaMemPoolAttrReservedMemCurrent:
            case cudaMemPoolAttrReservedMemHigh:
            case cudaMemPoolAttrUsedMemCurrent:
            case cudaMemPoolAttrUsedMemHigh:
                *static_cast<std::uint64_t*>(value) = total_device_bytes() - free_device_bytes();
                return;
            default:
                throw ApiError(cudaErrorInvalidValue);
        }
    });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t) {
    return call([&] { require_pool(pool); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptors,
                                 std::size_t count) {
    return call([&] {
        require_pool(pool);
        require(descriptors != nullptr || count == 0);
        for (std::size_t i = 0; i < count; ++i) require_device(descriptors[i].location.id);
    });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
    return call([&] {
        require_pool(pool);
        require(flags != nullptr && location != nullptr);
        *flags = cudaMemAccessFlagsProtReadWrite;
    });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
    return call([&] {
        require_pool(pool);
        return cudaMallocAsync(pointer, bytes, stream);
    });
}
