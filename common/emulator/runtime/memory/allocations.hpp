// The program's allocations: device, managed and page-locked host memory. All of it lies in the
// emulated GPU's memory, so kernels and the host (where it may access it) have the same address.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/memory/device_memory.hpp"

namespace emulator::runtime {

enum class MemoryKind { device, managed, host, registered };

// `flags` of device memory that a graph allocates: it stays when the program frees it, for the next launch
// of the graph uses the same address.
constexpr unsigned graph_memory = 1;

struct Memory {
    void* begin = nullptr;
    std::size_t bytes = 0;
    MemoryKind kind{};
    unsigned flags = 0;         // of cudaHostAlloc, cudaMallocManaged, cudaHostRegister
    unsigned long long id = 0;  // no other allocation of the program has it
};

// Throws ApiError (cudaErrorMemoryAllocation) where no memory is left.
void* allocate(std::size_t bytes, MemoryKind kind, unsigned flags = 0);
// Throws ApiError (cudaErrorInvalidValue) for anything but an allocation of that kind.
void release(void* pointer, MemoryKind kind);
void register_host_memory(void* pointer, std::size_t bytes, unsigned flags);
void unregister_host_memory(void* pointer);
void release_allocations();

std::vector<Memory> managed_memory();
// Managed memory that belongs to all streams (cudaMemAttachGlobal): whether the host may access it.
void set_managed_access(HostAccess access);
// cudaStreamAttachMemAsync. Throws ApiError (cudaErrorInvalidValue) for what is not managed.
void attach_managed(void* pointer, unsigned flags);

// All that are there, by address.
std::vector<Memory> all_allocations();
// The allocation that holds `address`; nothing for other memory of the host.
std::optional<Memory> memory_at(const void* address);

std::size_t total_device_bytes();
std::size_t free_device_bytes();

// Throws ApiError (cudaErrorInvalidValue) where [pointer, pointer + bytes) begins in memory of the GPU
// but does not lie in one allocation or variable. `must_be_device`: nor may it be pageable memory.
void require_accessible(const void* pointer, std::size_t bytes, bool must_be_device);

}  // namespace emulator::runtime
