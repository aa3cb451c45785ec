#include "emulator/runtime/memory/allocations.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <new>
#include <string>

#include "emulator/memory/device_memory.hpp"
#include "emulator/memory/mapped_memory.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/report/failures.hpp"

namespace emulator::runtime {
namespace {

struct Allocations {
    std::map<std::uintptr_t, Memory> by_address;
    std::map<std::uintptr_t, std::size_t> freed;  // sizes, by addresses that are not in use again
    std::size_t device_bytes = 0;
};
Allocations& allocations() {
    static Allocations& result = *new Allocations;
    return result;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

bool takes_device_memory(MemoryKind kind) {
    return kind == MemoryKind::device || kind == MemoryKind::managed;
}

// The memory that the kernel gives without swapping; free memory alone would leave out its page cache.
std::size_t available_host_bytes() {
    std::ifstream meminfo("/proc/meminfo");
    for (std::string key, rest; meminfo >> key; std::getline(meminfo, rest)) {
        std::size_t kilobytes = 0;
        if (key == "MemAvailable:" && meminfo >> kilobytes) return kilobytes * 1024;
    }
    struct sysinfo info;
    return sysinfo(&info) == 0 ? info.freeram * std::size_t{info.mem_unit} : std::size_t{4} << 30;
}

void remember(void* pointer, std::size_t bytes, MemoryKind kind, unsigned flags) {
    static unsigned long long last_id = 0;
    allocations().by_address[number(pointer)] = {pointer, bytes, kind, flags, ++last_id};
    allocations().freed.erase(number(pointer));
    if (takes_device_memory(kind)) allocations().device_bytes += bytes;
}

void forget(std::map<std::uintptr_t, Memory>::iterator entry) {
    if (takes_device_memory(entry->second.kind)) allocations().device_bytes -= entry->second.bytes;
    allocations().freed[entry->first] = entry->second.bytes;
    allocations().by_address.erase(entry);
}

const char* text(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device:
            return "device memory";
        case MemoryKind::managed:
            return "managed memory";
        case MemoryKind::host:
            return "page-locked host memory";
        case MemoryKind::registered:
            return "registered host memory";
    }
    return "";
}

std::string address_text(const void* pointer) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", pointer);
    return text;
}

// Why a pointer cannot be freed.
std::string not_allocated(const void* pointer) {
    const auto freed = allocations().freed.find(number(pointer));
    if (freed != allocations().freed.end()) {
        note_host_hazard("is called for memory that was freed before");
        return "the allocation of " + std::to_string(freed->second) + " bytes at " +
               address_text(pointer) + " was freed before";
    }
    const auto around = memory_at(pointer);
    if (!around) return address_text(pointer) + " is not an allocation";
    return address_text(pointer) + " is " +
           std::to_string(number(pointer) - number(around->begin)) +
           " bytes inside an allocation, which starts at " + address_text(around->begin);
}

}  // namespace

std::size_t total_device_bytes() {
    // The range of addresses leaves room for the gaps between allocations.
    static const std::size_t total =
        std::min(available_host_bytes(), std::size_t{192} << 30) / (1 << 20) * (1 << 20);
    return total;
}

std::size_t free_device_bytes() {
    return total_device_bytes() - std::min(total_device_bytes(), allocations().device_bytes);
}

void* allocate(std::size_t bytes, MemoryKind kind, unsigned flags) {
    if (bytes > free_device_bytes())
        refuse(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes asked for, " +
                                              std::to_string(free_device_bytes()) + " free");
    void* const pointer = allocate_device_memory(
        bytes, kind == MemoryKind::device ? HostAccess::none : HostAccess::allowed);
    remember(pointer, bytes, kind, flags);
    // The host writes these itself, which no check sees.
    if (kind != MemoryKind::device) mark_initialised(number(pointer), bytes);
    return pointer;
}

void release(void* pointer, MemoryKind kind) {
    const auto found = allocations().by_address.find(number(pointer));
    if (found == allocations().by_address.end())
        refuse(cudaErrorInvalidValue, not_allocated(pointer));
    const MemoryKind actual = found->second.kind;
    if (actual != kind && !(kind == MemoryKind::device && actual == MemoryKind::managed))
        refuse(cudaErrorInvalidValue, address_text(pointer) + " is " + text(actual));
    if (actual == MemoryKind::device && found->second.flags == graph_memory) return;
    for (simt::TextureDescriptor& texture : gpu().textures()) {
        const auto at = reinterpret_cast<std::uintptr_t>(texture.data) - number(pointer);
        texture.is_freed |= at < found->second.bytes;
    }
    forget(found);
    release_device_memory(pointer);
}

void register_host_memory(void* pointer, std::size_t bytes, unsigned flags) {
    require(is_mapped(pointer, bytes));
    require(!memory_at(pointer) && !memory_at(static_cast<char*>(pointer) + bytes - 1),
            cudaErrorHostMemoryAlreadyRegistered);
    remember(pointer, bytes, MemoryKind::registered, flags);
    add_host_memory(pointer, bytes);
}

void unregister_host_memory(void* pointer) {
    const auto found = allocations().by_address.find(number(pointer));
    require(found != allocations().by_address.end() && found->second.kind == MemoryKind::registered,
            cudaErrorHostMemoryNotRegistered);
    forget(found);
    remove_host_memory(pointer);
}

std::vector<Memory> managed_memory() {
    std::vector<Memory> result;
    for (const auto& [address, memory] : allocations().by_address) {
        if (memory.kind == MemoryKind::managed) result.push_back(memory);
    }
    return result;
}

void set_managed_access(HostAccess access) {
    for (const Memory& memory : managed_memory()) {
        if (memory.flags == cudaMemAttachGlobal) set_host_access(memory.begin, access);
    }
}

void attach_managed(void* pointer, unsigned flags) {
    const auto found = allocations().by_address.find(number(pointer));
    require(found != allocations().by_address.end() && found->second.kind == MemoryKind::managed);
    found->second.flags = flags;
    set_host_access(pointer, HostAccess::allowed);
}

void release_allocations() {
    for (const auto& [address, memory] : allocations().by_address) {
        if (memory.kind == MemoryKind::registered) {
            remove_host_memory(memory.begin);
        } else {
            release_device_memory(memory.begin);
        }
    }
    allocations() = Allocations();
}

std::vector<Memory> all_allocations() {
    std::vector<Memory> result;
    for (const auto& [address, memory] : allocations().by_address) result.push_back(memory);
    return result;
}

std::optional<Memory> memory_at(const void* address) {
    const auto after = allocations().by_address.upper_bound(number(address));
    if (after == allocations().by_address.begin()) return std::nullopt;
    const Memory& below = std::prev(after)->second;
    const bool inside =
        number(address) - number(below.begin) < std::max<std::size_t>(below.bytes, 1);
    return inside ? std::optional(below) : std::nullopt;
}

void require_accessible(const void* pointer, std::size_t bytes, bool must_be_device) {
    if (bytes == 0) return;
    require(pointer != nullptr && number(pointer) + bytes > number(pointer));
    if (!in_device_memory(number(pointer))) {
        if (must_be_device && !memory_at(pointer))
            refuse(cudaErrorInvalidValue,
                   "a host pointer, where the direction asks for device memory");
        require(is_mapped(pointer, bytes));
        return;
    }
    // Variables of modules lie there, too.
    const auto allocation = allocation_at_or_below(number(pointer));
    if (!allocation || number(pointer) >= allocation->end())
        refuse(cudaErrorInvalidValue, not_allocated(pointer));
    if (number(pointer) + bytes > allocation->end())
        refuse(cudaErrorInvalidValue, std::to_string(bytes) + " bytes, but " +
                                          std::to_string(allocation->end() - number(pointer)) +
                                          " are left of the allocation of " +
                                          std::to_string(allocation->bytes) + " bytes at " +
                                          address_text(reinterpret_cast<void*>(allocation->begin)));
}

}  // namespace emulator::runtime
