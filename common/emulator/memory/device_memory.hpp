// The global memory of the emulated GPU: one reserved address range, so that an address tells where
// it belongs, and the same program gets the same addresses in every run (counts must not depend on
// where the system happens to map memory). The host cannot access it at these addresses, as with a discrete
// GPU; the emulator itself has the same memory mapped elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/memory/backed_range.hpp"

namespace emulator {

using Allocation = AddressRange;

// Device memory of `bytes` bytes, aligned to 512 bytes as cudaMalloc's is. What lies before and behind
// it belongs to no allocation. Throws std::bad_alloc when the reserved range is used up.
void* allocate_device_memory(std::size_t bytes, HostAccess access = HostAccess::none);

// Sets the access to an allocation, from now on.
void set_host_access(void* pointer, HostAccess access);

// Where the emulator accesses what kernels have at `address`: memory of the GPU, or added host memory.
std::byte* storage_of(Address address);
std::byte* storage_of(void* pointer);
const std::byte* storage_of(const void* pointer);

// Where no allocation has been before: accesses through pointers to freed memory do not meet it.
void* allocate_fresh_device_memory(std::size_t bytes);

// Throws std::invalid_argument for a pointer that allocate_device_memory did not return.
void release_device_memory(void* pointer);

// The heap of malloc() in kernels: null where its allocations would exceed `heap_bytes` together, or
// no memory is left.
void* allocate_on_heap(std::size_t bytes, std::size_t heap_bytes);
// Throws std::invalid_argument for a pointer that allocate_on_heap did not return.
void release_on_heap(void* pointer);
void release_heap();

// Host memory that kernels may access, at its own address (cudaHostRegister).
void add_host_memory(void* pointer, std::size_t bytes);
void remove_host_memory(void* pointer);

bool in_device_memory(Address address);

// All allocations and added host memory.
std::vector<Allocation> all_memory();

// The allocation (or added host memory) that holds `address`, or else the one nearest below it (to say how far past its end
// an access went); nothing when there is none below.
std::optional<Allocation> allocation_at_or_below(Address address);
// The allocation nearest above `address`.
std::optional<Allocation> allocation_above(Address address);

// An allocation that was there, if nothing is there now.
std::optional<Allocation> freed_at(Address address);

// ---- which bytes have been written, a byte of shadow memory each -------------------------------

// From now on; memory allocated before counts as not initialised. Costs as much memory again. Freed memory is not used
// again, as long as there is other memory.
void track_initialisation();
// Without tracking everything is initialised, and marking does nothing.
bool is_initialised(Address address, std::size_t bytes);
// A byte for each byte from `address` on; null without tracking, and for other memory.
std::byte* initialisation_of(Address address);
void mark_initialised(Address address, std::size_t bytes, bool initialised = true);
// A copy on the device is as initialised as its source.
void copy_initialisation(Address to, Address from, std::size_t bytes);
// The bytes among these that are not, and the first of them.
struct Uninitialised {
    std::size_t bytes = 0;
    Address first = 0;
};
Uninitialised uninitialised_in(Address address, std::size_t bytes);

}  // namespace emulator
