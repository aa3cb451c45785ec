#include "emulator/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

namespace emulator {
namespace {

#ifdef __SANITIZE_THREAD__
constexpr Address range_begin = 0x0040'0000'0000;  // elsewhere lies what ThreadSanitizer notes
#elif defined(__SANITIZE_ADDRESS__)
constexpr Address range_begin = 0x2000'0000'0000;  // its allocator has 0x5000… or 0x6000…
#else
constexpr Address range_begin = 0x6000'0000'0000;
#endif
constexpr std::size_t range_bytes = std::size_t{256} << 30;
constexpr std::size_t page = 4096;
// Wide enough that an index some thousand elements past the end still meets no neighbour.
constexpr std::size_t guard_bytes = 16 * page;

std::uint8_t* shadow = nullptr;
std::uint8_t* shadow_of(Address address) { return shadow + (address - range_begin); }

std::size_t pages_of(std::size_t bytes) { return (bytes + page - 1) / page * page; }

class DeviceMemory {
  public:
    DeviceMemory() {
        void* const wanted = reinterpret_cast<void*>(range_begin);
        void* const got =
            mmap(wanted, range_bytes, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got != wanted) {
            throw std::runtime_error(
                "emulated GPU: cannot reserve the address range of its memory "
                "(is the address space limited? try `ulimit -v unlimited`)");
        }
    }

    void* allocate(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        const std::size_t span = pages_of(bytes == 0 ? 1 : bytes);
        const Address begin = first_gap(span + 2 * guard_bytes) + guard_bytes;
        if (mprotect(reinterpret_cast<void*>(begin), span, PROT_READ | PROT_WRITE) != 0) {
            throw std::bad_alloc();
        }
        allocations_.emplace(begin, Allocation{begin, bytes});
        return reinterpret_cast<void*>(begin);
    }

    void release(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = allocations_.find(reinterpret_cast<Address>(pointer));
        if (found == allocations_.end()) {
            throw std::invalid_argument("emulated GPU: release of a pointer that is no allocation");
        }
        const std::size_t span = pages_of(found->second.bytes == 0 ? 1 : found->second.bytes);
        madvise(pointer, span, MADV_DONTNEED);
        if (shadow != nullptr) madvise(shadow_of(found->first), span, MADV_DONTNEED);
        mprotect(pointer, span, PROT_NONE);
        allocations_.erase(found);
    }

    void add_host(Allocation memory) {
        const std::lock_guard lock(mutex_);
        host_memory_[memory.begin] = memory;
    }

    void remove_host(Address begin) {
        const std::lock_guard lock(mutex_);
        host_memory_.erase(begin);
    }

    std::optional<Allocation> at_or_below(Address address) {
        const std::lock_guard lock(mutex_);
        const auto after_host = host_memory_.upper_bound(address);
        if (after_host != host_memory_.begin() && address < std::prev(after_host)->second.end()) {
            return std::prev(after_host)->second;
        }
        auto after = allocations_.upper_bound(address);
        if (after == allocations_.begin()) return std::nullopt;
        return std::prev(after)->second;
    }

    std::vector<Allocation> all() {
        const std::lock_guard lock(mutex_);
        std::vector<Allocation> result;
        for (const auto* const memories : {&allocations_, &host_memory_}) {
            for (const auto& [begin, memory] : *memories) result.push_back(memory);
        }
        return result;
    }

  private:
    Address first_gap(std::size_t span) const {
        Address candidate = range_begin;
        for (const auto& [begin, allocation] : allocations_) {
            if (begin - guard_bytes >= candidate + span) break;
            candidate =
                begin + pages_of(allocation.bytes == 0 ? 1 : allocation.bytes) + guard_bytes;
        }
        if (candidate + span > range_begin + range_bytes) throw std::bad_alloc();
        return candidate;
    }

    std::mutex mutex_;
    std::map<Address, Allocation> allocations_;
    std::map<Address, Allocation> host_memory_;
};

// Never destroyed: buffers with static storage may be released after this file's statics.
DeviceMemory& device_memory() {
    static DeviceMemory& memory = *new DeviceMemory;
    return memory;
}

}  // namespace

void* allocate_device_memory(std::size_t bytes) { return device_memory().allocate(bytes); }

void release_device_memory(void* pointer) { device_memory().release(pointer); }

void add_host_memory(void* pointer, std::size_t bytes) {
    device_memory().add_host({reinterpret_cast<Address>(pointer), bytes});
}

void remove_host_memory(void* pointer) {
    device_memory().remove_host(reinterpret_cast<Address>(pointer));
}

std::optional<MemoryCopy> MemoryCopy::of_all(std::size_t max_bytes) {
    const std::vector<Allocation> all = device_memory().all();
    std::size_t bytes = 0;
    for (const Allocation& place : all) bytes += place.bytes;
    if (bytes > max_bytes) return std::nullopt;
    MemoryCopy copy;
    for (const Allocation& place : all) {
        const auto* const begin = reinterpret_cast<const std::byte*>(place.begin);
        Piece& piece = copy.pieces_.emplace_back(place, std::vector(begin, begin + place.bytes));
        if (shadow == nullptr || !in_device_memory(place.begin)) continue;
        const auto* const marks = reinterpret_cast<const std::byte*>(shadow_of(place.begin));
        piece.initialised.assign(marks, marks + place.bytes);
    }
    return copy;
}

void MemoryCopy::restore() const {
    for (const Piece& piece : pieces_) {
        auto* const begin = reinterpret_cast<std::byte*>(piece.place.begin);
        // Host memory may be registered to be read alone.
        if (!std::equal(piece.bytes.begin(), piece.bytes.end(), begin))
            std::ranges::copy(piece.bytes, begin);
        if (!piece.initialised.empty())
            std::ranges::copy(piece.initialised,
                              reinterpret_cast<std::byte*>(shadow_of(piece.place.begin)));
    }
}

bool in_device_memory(Address address) { return address - range_begin < range_bytes; }

std::optional<Allocation> allocation_at_or_below(Address address) {
    return device_memory().at_or_below(address);
}

void track_initialisation() {
    if (shadow != nullptr) return;
    void* const memory = mmap(nullptr, range_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shadow = static_cast<std::uint8_t*>(memory);
}

bool is_initialised(Address address, std::size_t bytes) {
    if (shadow == nullptr || !in_device_memory(address)) return true;
    const std::uint8_t* const begin = shadow_of(address);
    return std::all_of(begin, begin + bytes, [](std::uint8_t byte) { return byte != 0; });
}

void mark_initialised(Address address, std::size_t bytes, bool initialised) {
    if (shadow == nullptr || !in_device_memory(address)) return;
    std::memset(shadow_of(address), initialised, bytes);
}

}  // namespace emulator
