#include "emulator/runtime/allocations.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <new>
#include <string>

#include "emulator/device_memory.hpp"
#include "emulator/mapped_memory.hpp"
#include "emulator/runtime/errors.hpp"

namespace emulator::runtime {
namespace {

struct Allocations {
    std::map<std::uintptr_t, Memory> by_address;
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

// What the kernel says can be had without swapping; free memory alone would leave out its page cache.
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
    if (takes_device_memory(kind)) allocations().device_bytes += bytes;
}

void forget(std::map<std::uintptr_t, Memory>::iterator entry) {
    if (takes_device_memory(entry->second.kind)) allocations().device_bytes -= entry->second.bytes;
    allocations().by_address.erase(entry);
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
    if (bytes > free_device_bytes()) throw ApiError(cudaErrorMemoryAllocation);
    void* const pointer = allocate_device_memory(bytes);
    remember(pointer, bytes, kind, flags);
    // The host writes these itself, which no check sees.
    if (kind != MemoryKind::device) mark_initialised(number(pointer), bytes);
    return pointer;
}

void release(void* pointer, MemoryKind kind) {
    const auto found = allocations().by_address.find(number(pointer));
    require(found != allocations().by_address.end());
    const MemoryKind actual = found->second.kind;
    require(actual == kind || (kind == MemoryKind::device && actual == MemoryKind::managed));
    if (actual == MemoryKind::device && found->second.flags == graph_memory) return;
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
        require(!must_be_device || memory_at(pointer).has_value());
        require(is_mapped(pointer, bytes));
        return;
    }
    // Variables of modules lie there, too.
    const auto allocation = allocation_at_or_below(number(pointer));
    require(allocation.has_value() && number(pointer) + bytes <= allocation->end());
}

}  // namespace emulator::runtime
