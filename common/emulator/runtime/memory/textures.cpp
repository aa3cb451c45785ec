// Texture and surface objects: entries of the GPU's table of descriptors.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/memory/arrays.hpp"

using namespace emulator::runtime;
using emulator::simt::AddressMode;
using emulator::simt::TextureDescriptor;

namespace emulator::runtime {
namespace {

struct Object {
    cudaResourceDesc resource{};
    cudaTextureDesc texture{};
    bool is_surface = false;
};
std::map<unsigned long long, Object>& objects() {
    static auto& result = *new std::map<unsigned long long, Object>;
    return result;
}

void set_format(TextureDescriptor& descriptor, const cudaChannelFormatDesc& format) {
    descriptor.channels = static_cast<std::uint32_t>(element_bytes(format) /
                                                     (static_cast<std::size_t>(format.x) / 8));
    descriptor.bytes_per_channel = static_cast<std::uint32_t>(format.x) / 8;
    descriptor.format =
        format.f == cudaChannelFormatKindFloat    ? TextureDescriptor::Format::floating_point
        : format.f == cudaChannelFormatKindSigned ? TextureDescriptor::Format::signed_integer
                                                  : TextureDescriptor::Format::unsigned_integer;
}

void set_array(TextureDescriptor& descriptor, const cudaArray& array) {
    if ((array.flags & cudaArrayCubemap) != 0) {
        throw ApiError(cudaErrorNotSupported, "cubemap textures are not supported");
    }
    descriptor.data = reinterpret_cast<const std::byte*>(array.data);
    descriptor.width = static_cast<std::uint32_t>(array.extent.width);
    descriptor.height = static_cast<std::uint32_t>(array.extent.height);
    descriptor.depth = static_cast<std::uint32_t>(array.extent.depth);
    descriptor.pitch_bytes = array.pitch;
    descriptor.slice_bytes = array.slice();
    descriptor.is_array = true;
    descriptor.is_layered = (array.flags & cudaArrayLayered) != 0;
    set_format(descriptor, array.format);
}

void set_linear(TextureDescriptor& descriptor, const cudaResourceDesc& resource) {
    const auto& linear = resource.res.linear;
    require_accessible(linear.devPtr, linear.sizeInBytes, true);
    set_format(descriptor, linear.desc);
    const std::size_t elements = linear.sizeInBytes / element_bytes(linear.desc);
    require(elements <= static_cast<std::size_t>(1) << 28);
    descriptor.data = static_cast<const std::byte*>(linear.devPtr);
    descriptor.width = static_cast<std::uint32_t>(elements);
    descriptor.pitch_bytes = descriptor.slice_bytes = linear.sizeInBytes;
}

void set_pitched(TextureDescriptor& descriptor, const cudaResourceDesc& resource) {
    const auto& pitched = resource.res.pitch2D;
    require(pitched.height != 0 && pitched.width != 0);
    require(pitched.pitchInBytes % 32 == 0);  // cudaDevAttrTexturePitchAlignment
    require_accessible(pitched.devPtr,
                       span_of(product(pitched.width, element_bytes(pitched.desc)), pitched.height,
                               pitched.pitchInBytes, 1, 0),
                       true);
    set_format(descriptor, pitched.desc);
    descriptor.data = static_cast<const std::byte*>(pitched.devPtr);
    descriptor.width = static_cast<std::uint32_t>(pitched.width);
    descriptor.height = static_cast<std::uint32_t>(pitched.height);
    descriptor.pitch_bytes = pitched.pitchInBytes;
    descriptor.slice_bytes = pitched.pitchInBytes * pitched.height;
}

TextureDescriptor descriptor_of(const cudaResourceDesc& resource) {
    TextureDescriptor descriptor;
    switch (resource.resType) {
        case cudaResourceTypeArray:
            set_array(descriptor, require_array(resource.res.array.array));
            break;
        case cudaResourceTypeLinear:
            set_linear(descriptor, resource);
            break;
        case cudaResourceTypePitch2D:
            set_pitched(descriptor, resource);
            break;
        case cudaResourceTypeMipmappedArray:
            throw ApiError(cudaErrorNotSupported, "mipmapped textures are not supported");
        default:
            throw ApiError(cudaErrorInvalidValue);
    }
    return descriptor;
}

AddressMode address_mode(cudaTextureAddressMode mode, bool normalised) {
    switch (mode) {
        // Wrap and mirror need normalised coordinates; without them the hardware clamps.
        case cudaAddressModeWrap:
            return normalised ? AddressMode::wrap : AddressMode::clamp;
        case cudaAddressModeMirror:
            return normalised ? AddressMode::mirror : AddressMode::clamp;
        case cudaAddressModeClamp:
            return AddressMode::clamp;
        case cudaAddressModeBorder:
            return AddressMode::border;
    }
    throw ApiError(cudaErrorInvalidValue);
}

void set_sampling(TextureDescriptor& descriptor, const cudaTextureDesc& texture) {
    const bool is_float = descriptor.format == TextureDescriptor::Format::floating_point;
    descriptor.normalised_coordinates = texture.normalizedCoords != 0;
    descriptor.linear_filter = texture.filterMode == cudaFilterModeLinear;
    descriptor.read_normalised_float = texture.readMode == cudaReadModeNormalizedFloat && !is_float;
    require(!descriptor.read_normalised_float || descriptor.bytes_per_channel < 4,
            cudaErrorInvalidNormSetting);
    require(!descriptor.linear_filter || is_float || descriptor.read_normalised_float,
            cudaErrorInvalidFilterSetting);
    if (texture.sRGB != 0) throw ApiError(cudaErrorNotSupported, "sRGB textures are not supported");
    for (int i = 0; i < 3; ++i) {
        descriptor.address_mode[i] =
            address_mode(texture.addressMode[i], descriptor.normalised_coordinates);
    }
    std::copy(std::begin(texture.borderColor), std::end(texture.borderColor), descriptor.border);
}

unsigned long long add(const TextureDescriptor& descriptor, const Object& object) {
    auto& table = gpu().textures();
    std::size_t slot = 0;
    while (slot < table.size() && objects().count(slot + 1) != 0) ++slot;
    if (slot == table.size()) table.emplace_back();
    table[slot] = descriptor;
    objects()[slot + 1] = object;
    return slot + 1;
}

Object& require_object(unsigned long long handle, bool is_surface) {
    const auto found = objects().find(handle);
    require(found != objects().end() && found->second.is_surface == is_surface);
    return found->second;
}

void remove(unsigned long long handle, bool is_surface) {
    require_object(handle, is_surface);
    objects().erase(handle);
    gpu().textures()[handle - 1] = TextureDescriptor();
}

}  // namespace

void release_textures() { objects().clear(); }

}  // namespace emulator::runtime

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
    return call([&] {
        require(object != nullptr && resource != nullptr && texture != nullptr);
        if (view != nullptr && view->format != cudaResViewFormatNone) {
            throw ApiError(cudaErrorNotSupported, "resource views of textures are not supported");
        }
        TextureDescriptor descriptor = descriptor_of(*resource);
        set_sampling(descriptor, *texture);
        *object = add(descriptor, {*resource, *texture, false});
    });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return call([&] { remove(object, false); });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t object) {
    return call([&] {
        require(resource != nullptr);
        *resource = require_object(object, false).resource;
    });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
    return call([&] {
        require(texture != nullptr);
        *texture = require_object(object, false).texture;
    });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
    return call([&] {
        require(object != nullptr && resource != nullptr);
        require(resource->resType == cudaResourceTypeArray, cudaErrorInvalidChannelDescriptor);
        const cudaArray& array = require_array(resource->res.array.array);
        require((array.flags & cudaArraySurfaceLoadStore) != 0);
        *object = add(descriptor_of(*resource), {*resource, {}, true});
    });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    return call([&] { remove(object, true); });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t object) {
    return call([&] {
        require(resource != nullptr);
        *resource = require_object(object, true).resource;
    });
}
