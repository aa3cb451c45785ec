#include "emulator/runtime/memory/arrays.hpp"

#include <map>
#include <memory>

#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/device_properties.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/memory/allocations.hpp"

namespace emulator::runtime {
namespace {

std::map<cudaArray_const_t, std::unique_ptr<cudaArray>>& arrays() {
    static auto& result = *new std::map<cudaArray_const_t, std::unique_ptr<cudaArray>>;
    return result;
}

constexpr std::size_t pitch_alignment = 64;

bool is_known_format(cudaChannelFormatKind kind) {
    return kind == cudaChannelFormatKindSigned || kind == cudaChannelFormatKindUnsigned ||
           kind == cudaChannelFormatKindFloat;
}

std::size_t most(cudaDeviceAttr attribute) {
    return static_cast<std::size_t>(device_attribute(attribute));
}

bool fits_three_dimensions(const cudaExtent& extent) {
    const auto is_within = [&](cudaDeviceAttr width, cudaDeviceAttr height, cudaDeviceAttr depth) {
        return extent.width <= most(width) && extent.height <= most(height) &&
               extent.depth <= most(depth);
    };
    return is_within(cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
                     cudaDevAttrMaxTexture3DDepth) ||
           is_within(cudaDevAttrMaxTexture3DWidthAlt, cudaDevAttrMaxTexture3DHeightAlt,
                     cudaDevAttrMaxTexture3DDepthAlt);
}

bool fits_device(const cudaExtent& extent, unsigned flags) {
    if ((flags & cudaArrayCubemap) != 0)
        return extent.width <= most(cudaDevAttrMaxTextureCubemapWidth) &&
               extent.height == extent.width &&
               extent.depth <= 6 * most(cudaDevAttrMaxTextureCubemapLayeredLayers);
    if ((flags & cudaArrayLayered) != 0)
        return extent.width <= most(cudaDevAttrMaxTexture2DLayeredWidth) &&
               extent.height <= most(cudaDevAttrMaxTexture2DLayeredHeight) &&
               extent.depth <= most(cudaDevAttrMaxTexture2DLayeredLayers);
    if (extent.depth != 0) return fits_three_dimensions(extent);
    return extent.width <= most(cudaDevAttrMaxTexture2DWidth) &&
           extent.height <= most(cudaDevAttrMaxTexture2DHeight);
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
        require(fits_device(extent, flags));
        auto created = std::make_unique<cudaArray>();
        created->format = *format;
        created->extent = extent;
        created->flags = flags;
        created->element_bytes = element_bytes(*format);
        created->pitch = rounded_up(product(extent.width, created->element_bytes), pitch_alignment);
        const std::size_t bytes =
            product(product(created->pitch, created->rows()), created->slices());
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
