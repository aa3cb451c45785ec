// Functions of the driver API that programs ask the runtime for, to avoid linking with libcuda.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstring>
#include <string_view>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/simt/memory/tensor_map.hpp"

using namespace emulator::runtime;
using emulator::simt::TensorMap;

namespace {

// 0: the packed types of less than a byte, which are not supported.
unsigned element_bytes(CUtensorMapDataType type) {
    switch (type) {
        case CU_TENSOR_MAP_DATA_TYPE_UINT8:
            return 1;
        case CU_TENSOR_MAP_DATA_TYPE_UINT16:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
        case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
            return 2;
        case CU_TENSOR_MAP_DATA_TYPE_UINT32:
        case CU_TENSOR_MAP_DATA_TYPE_INT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
        case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ:
            return 4;
        case CU_TENSOR_MAP_DATA_TYPE_UINT64:
        case CU_TENSOR_MAP_DATA_TYPE_INT64:
        case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
            return 8;
        default:
            return 0;
    }
}

// The span within which 16-byte pieces change places; 0: no limit.
unsigned swizzle_bytes(CUtensorMapSwizzle swizzle) {
    switch (swizzle) {
        case CU_TENSOR_MAP_SWIZZLE_NONE:
            return 0;
        case CU_TENSOR_MAP_SWIZZLE_32B:
            return 32;
        case CU_TENSOR_MAP_SWIZZLE_64B:
            return 64;
        default:
            return 128;
    }
}

// The requirements that cuda.h states for cuTensorMapEncodeTiled.
bool is_valid(const TensorMap& map) {
    if (map.address == 0 || map.address % 16 != 0) return false;
    const unsigned stride_unit =
        map.interleave == emulator::simt::TensorInterleave::bytes_32 ? 32 : 16;
    if (map.address % stride_unit != 0) return false;
    for (int i = 0; i < map.rank; ++i) {
        if (map.size[i] == 0 || map.size[i] > std::uint64_t{1} << 32) return false;
        if (map.box[i] == 0 || map.box[i] > 256) return false;
        if (map.element_stride[i] == 0 || map.element_stride[i] > 8) return false;
        if (i + 1 == map.rank) continue;
        if (map.stride[i] % stride_unit != 0 || map.stride[i] >= std::uint64_t{1} << 40)
            return false;
    }
    const unsigned row_bytes = unsigned{map.box[0]} * map.element_bytes;
    if (map.interleave != emulator::simt::TensorInterleave::none) return map.rank >= 3;
    const unsigned span = swizzle_bytes(static_cast<CUtensorMapSwizzle>(map.swizzle));
    return row_bytes % 16 == 0 && (span == 0 || row_bytes <= span);
}

CUresult encode_tiled(CUtensorMap* result, CUtensorMapDataType type, cuuint32_t rank, void* address,
                      const cuuint64_t* size, const cuuint64_t* stride, const cuuint32_t* box,
                      const cuuint32_t* element_stride, CUtensorMapInterleave interleave,
                      CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                      CUtensorMapFloatOOBfill fill) {
    if (architecture().compute_number() < 90) return CUDA_ERROR_NOT_SUPPORTED;
    if (result == nullptr || size == nullptr || box == nullptr || element_stride == nullptr ||
        rank == 0 || rank > TensorMap::max_rank || (stride == nullptr && rank > 1)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (element_bytes(type) == 0) return CUDA_ERROR_NOT_SUPPORTED;
    TensorMap map;
    map.mark = TensorMap::expected_mark;
    map.rank = static_cast<std::uint8_t>(rank);
    map.data_type = static_cast<std::uint8_t>(type);
    map.element_bytes = static_cast<std::uint8_t>(element_bytes(type));
    map.interleave = static_cast<emulator::simt::TensorInterleave>(interleave);
    map.swizzle = static_cast<emulator::simt::TensorSwizzle>(swizzle);
    map.fill = static_cast<emulator::simt::TensorFill>(fill);
    map.address = reinterpret_cast<std::uint64_t>(address);
    for (cuuint32_t i = 0; i < rank; ++i) {
        if (box[i] > 256 || element_stride[i] > 8) return CUDA_ERROR_INVALID_VALUE;
        map.size[i] = size[i];
        map.box[i] = static_cast<std::uint16_t>(box[i]);
        map.element_stride[i] = static_cast<std::uint8_t>(element_stride[i]);
        if (i + 1 < rank) map.stride[i] = stride[i];
    }
    if (!is_valid(map)) return CUDA_ERROR_INVALID_VALUE;
    std::memset(result, 0, sizeof *result);
    std::memcpy(result, &map, sizeof map);
    return CUDA_SUCCESS;
}

CUresult replace_address(CUtensorMap* result, void* address) {
    TensorMap map;
    if (result == nullptr || address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(static_cast<void*>(&map), result, sizeof map);
    if (map.mark != TensorMap::expected_mark) return CUDA_ERROR_INVALID_VALUE;
    map.address = reinterpret_cast<std::uint64_t>(address);
    if (!is_valid(map)) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(result, &map, sizeof map);
    return CUDA_SUCCESS;
}

// The runtime's errors have the driver's numbers where both have them.
CUresult initialise(unsigned) { return CUDA_SUCCESS; }
CUresult get_device_count(int* count) { return static_cast<CUresult>(cudaGetDeviceCount(count)); }
CUresult get_device(CUdevice* device, int ordinal) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (ordinal != 0) return CUDA_ERROR_INVALID_DEVICE;
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult get_attribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return static_cast<CUresult>(
        cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
CUresult get_driver_version(int* version) {
    return static_cast<CUresult>(cudaDriverGetVersion(version));
}
CUresult get_error_name(CUresult error, const char** name) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = cudaGetErrorName(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}
CUresult get_error_string(CUresult error, const char** text) {
    if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}

struct EntryPoint {
    std::string_view name;
    void* function;
};
template <class Function>
void* pointer(Function* function) {
    return reinterpret_cast<void*>(function);
}

void* find_entry_point(std::string_view name) {
    const EntryPoint entry_points[] = {
        {"cuTensorMapEncodeTiled", pointer(encode_tiled)},
        {"cuTensorMapReplaceAddress", pointer(replace_address)},
        {"cuInit", pointer(initialise)},
        {"cuDeviceGet", pointer(get_device)},
        {"cuDeviceGetCount", pointer(get_device_count)},
        {"cuDeviceGetAttribute", pointer(get_attribute)},
        {"cuDriverGetVersion", pointer(get_driver_version)},
        {"cuGetErrorName", pointer(get_error_name)},
        {"cuGetErrorString", pointer(get_error_string)},
    };
    for (const EntryPoint& entry : entry_points) {
        if (entry.name == name) return entry.function;
    }
    return nullptr;
}

}  // namespace

// extern "C" as the headers of CUDA 12.4 do not declare it.
extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                                        unsigned, unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult* status) {
    return call([&] {
        require(symbol != nullptr && function != nullptr);
        require(flags <= cudaEnablePerThreadDefaultStream);
        *function = find_entry_point(symbol);
        if (status != nullptr) {
            *status = *function != nullptr ? cudaDriverEntryPointSuccess
                                           : cudaDriverEntryPointSymbolNotFound;
            return cudaSuccess;
        }
        return *function != nullptr ? cudaSuccess : cudaErrorSymbolNotFound;
    });
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
    return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}
