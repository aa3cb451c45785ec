// Allocation, and questions about memory.
#include <cuda_runtime_api.h>

#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/memory/allocations.hpp"

using namespace emulator::runtime;

namespace {

// NVIDIA's GPUs align rows to 512 bytes.
constexpr std::size_t pitch_alignment = 512;

std::size_t pitch_of(std::size_t width) {
    return rounded_up(width, pitch_alignment, cudaErrorMemoryAllocation);
}

void* allocate_or_null(std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
    return bytes == 0 ? nullptr : allocate(bytes, kind, flags);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
    return call([&] {
        require(pointer != nullptr);
        *pointer = allocate_or_null(bytes, MemoryKind::device);
    });
}

cudaError_t cudaFree(void* pointer) {
    return call([&] {
        synchronise();
        if (pointer != nullptr) release(pointer, MemoryKind::device);
    });
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        require(pointer != nullptr);
        const bool is_captured = captured(stream, AllocateWork{});
        *pointer = allocate_or_null(bytes, MemoryKind::device, is_captured ? graph_memory : 0);
    });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        require(pointer != nullptr);
        if (!captured(stream, FreeWork{pointer})) release(pointer, MemoryKind::device);
    });
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
    return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
    return call([&] {
        constexpr unsigned known =
            cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
        require(pointer != nullptr && (flags & ~known) == 0);
        *pointer = allocate_or_null(bytes, MemoryKind::host, flags);
    });
}

cudaError_t cudaFreeHost(void* pointer) {
    return call([&] {
        synchronise();
        if (pointer != nullptr) release(pointer, MemoryKind::host);
    });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
    return call([&] {
        constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                   cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
        require(pointer != nullptr && bytes != 0 && (flags & ~known) == 0);
        register_host_memory(pointer, bytes, flags);
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return call([&] {
        require(pointer != nullptr);
        unregister_host_memory(pointer);
    });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
    return call([&] {
        require(device != nullptr && host != nullptr && flags == 0);
        const auto memory = memory_at(host);
        require(memory && memory->kind != MemoryKind::device);
        *device = host;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
    return call([&] {
        require(flags != nullptr);
        const auto memory = memory_at(host);
        require(memory &&
                (memory->kind == MemoryKind::host || memory->kind == MemoryKind::registered));
        // With unified addressing all page-locked memory is mapped.
        *flags = memory->flags | cudaHostAllocMapped;
    });
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
    return call([&] {
        require(pointer != nullptr && bytes != 0);
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
        *pointer = allocate(bytes, MemoryKind::managed, flags);
    });
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height) {
    return call([&] {
        require(pointer != nullptr && pitch != nullptr);
        const std::size_t row_bytes = pitch_of(width);
        *pointer = allocate_or_null(product(row_bytes, height, cudaErrorMemoryAllocation),
                                    MemoryKind::device);
        *pitch = row_bytes;
    });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
    return call([&] {
        require(pitched != nullptr);
        const std::size_t pitch = pitch_of(extent.width);
        const std::size_t slice = product(pitch, extent.height, cudaErrorMemoryAllocation);
        const std::size_t bytes = product(slice, extent.depth, cudaErrorMemoryAllocation);
        *pitched = {allocate_or_null(bytes, MemoryKind::device), pitch, extent.width,
                    extent.height};
    });
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    return call([&] {
        require(free != nullptr && total != nullptr);
        *free = free_device_bytes();
        *total = total_device_bytes();
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return call([&] {
        require(attributes != nullptr);
        *attributes = {};
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = cudaInvalidDeviceId;
        void* const address = const_cast<void*>(pointer);
        const auto memory = memory_at(pointer);
        const bool is_variable =
            !memory && emulator::in_device_memory(reinterpret_cast<emulator::Address>(pointer));
        if (!memory && !is_variable) {
            attributes->hostPointer = address;
            return;
        }
        const MemoryKind kind = memory ? memory->kind : MemoryKind::device;
        attributes->device = 0;
        attributes->devicePointer = address;
        if (kind != MemoryKind::device) attributes->hostPointer = address;
        attributes->type = kind == MemoryKind::device    ? cudaMemoryTypeDevice
                           : kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                         : cudaMemoryTypeHost;
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, std::size_t,
                                     unsigned flags) {
    return call([&] {
        require_stream(stream);
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                flags == cudaMemAttachSingle);
        attach_managed(pointer, flags);
    });
}
