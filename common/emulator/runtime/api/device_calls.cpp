// The functions of the API about the device as a whole.
#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/programs.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/memory/arrays.hpp"

// All that cuda_profiler_api.h declares: a package of its own on PyPI.
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

namespace {

unsigned device_flags = cudaDeviceMapHost;
cudaFuncCache cache_config = cudaFuncCachePreferNone;

}  // namespace

using namespace emulator::runtime;

cudaError_t cudaGetDeviceCount(int* count) {
    return call([&] {
        require(count != nullptr);
        *count = 1;
    });
}

cudaError_t cudaGetDevice(int* device) {
    return call([&] {
        require(device != nullptr);
        *device = 0;
    });
}

cudaError_t cudaSetDevice(int device) {
    return call([&] { require_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return call([&] { require_device(device); });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return call([&] {
        require(count >= 0 && (devices != nullptr || count == 0));
        for (int i = 0; i < count; ++i) require_device(devices[i]);
    });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties) {
    return call([&] {
        require(device != nullptr && properties != nullptr);
        *device = 0;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return call([] {
        refuse_while_anything_is_captured();
        synchronise();
    });
}

cudaError_t cudaDeviceReset() {
    const std::lock_guard lock(api_mutex());
    flush_printed();
    clear_sticky_error();
    return call([] {
        release_streams();
        release_events();
        release_arrays();
        release_graphs();
        release_textures();
        release_allocations();
        emulator::release_heap();
        reset_device();
        unload_programs();
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return call([&] {
        require((flags & ~unsigned{cudaDeviceMask}) == 0);
        device_flags = flags | cudaDeviceMapHost;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return call([&] {
        require(flags != nullptr);
        *flags = device_flags;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
    return call([&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
        cache_config = config;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
    return call([&] {
        require(config != nullptr);
        *config = cache_config;
    });
}

// Nothing changes where the size of a bank is fixed.
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
    return call([&] {
        require_valid(config);
        shared_config() = config;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
    return call([&] {
        require(config != nullptr);
        const bool has_mode = architecture().banks.width_bytes == 8;
        *config = has_mode && has_widest_banks(cudaSharedMemBankSizeDefault)
                      ? cudaSharedMemBankSizeEightByte
                      : cudaSharedMemBankSizeFourByte;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
    return call([&] {
        switch (limit) {
            case cudaLimitStackSize:
                limits().stack_bytes = value;
                gpu().options().stack_bytes = value;
                return;
            case cudaLimitPrintfFifoSize:
                limits().printf_fifo_bytes = value;
                return;
            case cudaLimitMallocHeapSize:
                limits().heap_bytes = value;
                gpu().options().heap_bytes = value;
                return;
            case cudaLimitMaxL2FetchGranularity:
                return;  // a hint
            case cudaLimitPersistingL2CacheSize:
                return;
            default:
                throw ApiError(cudaErrorUnsupportedLimit);
        }
    });
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
    return call([&] {
        require(value != nullptr);
        switch (limit) {
            case cudaLimitStackSize:
                *value = limits().stack_bytes;
                return;
            case cudaLimitPrintfFifoSize:
                *value = limits().printf_fifo_bytes;
                return;
            case cudaLimitMallocHeapSize:
                *value = limits().heap_bytes;
                return;
            case cudaLimitMaxL2FetchGranularity:
                *value = 64;
                return;
            case cudaLimitPersistingL2CacheSize:
                *value = 0;
                return;
            default:
                throw ApiError(cudaErrorUnsupportedLimit);
        }
    });
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
    return call([&] {
        require(can_access != nullptr);
        require_device(device);
        require_device(peer);
        *can_access = 0;  // a device is not a peer of itself
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
    return call([] { throw ApiError(cudaErrorInvalidDevice); });
}

cudaError_t cudaDeviceDisablePeerAccess(int) {
    return call([] { throw ApiError(cudaErrorInvalidDevice); });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
    return call([&] {
        constexpr char id[] = "0000:00:00.0";
        require(text != nullptr && length >= static_cast<int>(sizeof id));
        require_device(device);
        std::copy(std::begin(id), std::end(id), text);
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    return call([&] {
        require(device != nullptr && id != nullptr);
        const std::string text = id;
        require(text == "0000:00:00.0" || text == "00:00.0" || text == "0000:00:00",
                cudaErrorInvalidDevice);
        *device = 0;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    return call([&] {
        require(version != nullptr);
        *version = CUDART_VERSION;
    });
}

cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget,
                                               cudaFlushGPUDirectRDMAWritesScope) {
    return call([] { throw ApiError(cudaErrorNotSupported); });
}
