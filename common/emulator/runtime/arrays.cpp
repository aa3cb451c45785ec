#include "emulator/runtime/arrays.hpp"

#include <map>
#include <memory>

#include "emulator/device_memory.hpp"
#include "emulator/runtime/allocations.hpp"
#include "emulator/runtime/device.hpp"
#include "emulator/runtime/errors.hpp"

namespace emulator::runtime {
namespace {

std::map<cudaArray_const_t, std::unique_ptr<cudaArray>>& arrays() {
    static auto& result = *new std::map<cudaArray_const_t, std::unique_ptr<cudaArray>>;
    return result;
}

bool is_known_format(cudaChannelFormatKind kind) {
    return kind == cudaChannelFormatKindSigned || kind == cudaChannelFormatKindUnsigned ||
           kind == cudaChannelFormatKindFloat;
}

void refuse_flags(unsigned flags) {
    constexpr unsigned supported =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather | cudaArrayCubemap;
    if ((flags & ~supported) != 0) {
        throw ApiError(cudaErrorNotSupported, "sparse and deferred arrays are not supported");
    }
}

}  // namespace

cudaArray& require_array(cudaArray_const_t array) {
    const auto found = arrays().find(array);
    require(found != arrays().end(), cudaErrorInvalidResourceHandle);
    return *found->second;
}

std::size_t element_bytes(const cudaChannelFormatDesc& format) {
    require(is_known_format(format.f), cudaErrorInvalidChannelDescriptor);
    const int channels[] = {format.x, format.y, format.z, format.w};
    std::size_t count = 0;
    for (const int bits : channels) {
        if (bits == 0) continue;
        require(bits == format.x && (bits == 8 || bits == 16 || bits == 32),
                cudaErrorInvalidChannelDescriptor);
        ++count;
    }
    require(count == 1 || count == 2 || count == 4, cudaErrorInvalidChannelDescriptor);
    return count * static_cast<std::size_t>(format.x) / 8;
}

void release_arrays() {
    // Their memory goes with all other.
    arrays().clear();
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                            std::size_t width, std::size_t height, unsigned flags) {
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
    return call([&] {
        require(array != nullptr && format != nullptr && extent.width != 0);
        refuse_flags(flags);
        auto created = std::make_unique<cudaArray>();
        created->format = *format;
        created->extent = extent;
        created->flags = flags;
        created->element_bytes = element_bytes(*format);
        created->pitch = (extent.width * created->element_bytes + 63) / 64 * 64;
        const std::size_t bytes = created->slice() * created->slices();
        created->data = static_cast<char*>(allocate(bytes, MemoryKind::device));
        *array = created.get();
        arrays()[*array] = std::move(created);
    });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    return call([&] {
        synchronise();
        if (array == nullptr) return;
        release(require_array(array).data, MemoryKind::device);
        arrays().erase(array);
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
    return call([&] {
        const cudaArray& asked = require_array(array);
        if (format != nullptr) *format = asked.format;
        if (extent != nullptr) *extent = asked.extent;
        if (flags != nullptr) *flags = asked.flags;
    });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
    return call([&] {
        require(format != nullptr);
        *format = require_array(array).format;
    });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
