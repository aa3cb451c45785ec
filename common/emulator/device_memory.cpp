#include "emulator/device_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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

std::size_t pages_of(std::size_t bytes) {
    return (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
}

class DeviceMemory {
  public:
    // One file in memory, mapped twice: at the GPU's addresses, for the host's code, and for the emulator.
    DeviceMemory() : file_(memfd_create("emulated-gpu", MFD_CLOEXEC)) {
        if (file_ < 0 || ftruncate(file_, range_bytes) != 0) cannot_reserve();
        void* const wanted = reinterpret_cast<void*>(range_begin);
        constexpr int flags = MAP_SHARED | MAP_NORESERVE;
        if (mmap(wanted, range_bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, file_, 0) != wanted)
            cannot_reserve();
        void* const got = mmap(nullptr, range_bytes, PROT_READ | PROT_WRITE, flags, file_, 0);
        if (got == MAP_FAILED) cannot_reserve();
        storage_ = static_cast<std::byte*>(got);
    }

    std::byte* storage() const { return storage_; }

    void* allocate(std::size_t bytes, HostAccess access, bool is_fresh) {
        const std::lock_guard lock(mutex_);
        const std::size_t span = pages_of(bytes);
        const bool has_room = used_end_ + span + 2 * guard_bytes <= range_begin + range_bytes;
        const Address gap = is_fresh && has_room ? used_end_ : first_gap(span + 2 * guard_bytes);
        const Address begin = gap + guard_bytes;
        used_end_ = std::max(used_end_, begin + span + guard_bytes);
        std::erase_if(freed_, [&](const auto& entry) {
            return entry.first < begin + span && begin < entry.first + pages_of(entry.second.bytes);
        });
        void* const pointer = reinterpret_cast<void*>(begin);
        if (access == HostAccess::allowed) protect({begin, bytes}, access);
        allocations_.emplace(begin, Allocation{begin, bytes});
        return pointer;
    }

    void set_host_access(void* pointer, HostAccess access) {
        const std::lock_guard lock(mutex_);
        protect(find(pointer)->second, access);
    }

    void release(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = find(pointer);
        const auto span = static_cast<off_t>(pages_of(found->second.bytes));
        protect(found->second, HostAccess::none);
        const auto offset = static_cast<off_t>(found->first - range_begin);
        fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, span);
        if (shadow != nullptr)
            madvise(shadow_of(found->first), static_cast<std::size_t>(span), MADV_DONTNEED);
        freed_[found->first] = found->second;
        allocations_.erase(found);
    }

    std::optional<Allocation> freed_at(Address address) {
        const std::lock_guard lock(mutex_);
        const auto after = freed_.upper_bound(address);
        if (after == freed_.begin() || address >= std::prev(after)->second.end())
            return std::nullopt;
        return std::prev(after)->second;
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

    std::optional<Allocation> above(Address address) {
        const std::lock_guard lock(mutex_);
        const auto found = allocations_.upper_bound(address);
        return found == allocations_.end() ? std::nullopt : std::optional(found->second);
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
    [[noreturn]] static void cannot_reserve() {
        throw std::runtime_error(
            "emulated GPU: cannot reserve the address range of its memory "
            "(is the address space or the size of files limited? try `ulimit -v unlimited; "
            "ulimit -f unlimited`)");
    }

    std::map<Address, Allocation>::iterator find(void* pointer) {
        const auto found = allocations_.find(reinterpret_cast<Address>(pointer));
        if (found == allocations_.end())
            throw std::invalid_argument("emulated GPU: release of a pointer that is no allocation");
        return found;
    }

    static void protect(const Allocation& memory, HostAccess access) {
        const int allowed = access == HostAccess::allowed ? PROT_READ | PROT_WRITE : PROT_NONE;
        if (mprotect(reinterpret_cast<void*>(memory.begin), pages_of(memory.bytes), allowed) != 0)
            throw std::bad_alloc();
    }

    Address first_gap(std::size_t span) const {
        Address candidate = range_begin;
        for (const auto& [begin, allocation] : allocations_) {
            if (begin - guard_bytes >= candidate + span) break;
            candidate = begin + pages_of(allocation.bytes) + guard_bytes;
        }
        if (candidate + span > range_begin + range_bytes) throw std::bad_alloc();
        return candidate;
    }

    const int file_;
    std::byte* storage_ = nullptr;
    std::mutex mutex_;
    std::map<Address, Allocation> allocations_;
    std::map<Address, Allocation> freed_;  // and not used again yet
    Address used_end_ = range_begin;       // nothing has been allocated behind it
    std::map<Address, Allocation> host_memory_;
};

// Never destroyed: buffers with static storage may be released after this file's statics.
DeviceMemory& device_memory() {
    static DeviceMemory& memory = *new DeviceMemory;
    return memory;
}

}  // namespace

void* allocate_device_memory(std::size_t bytes, HostAccess access) {
    return device_memory().allocate(bytes, access, shadow != nullptr);
}

void* allocate_fresh_device_memory(std::size_t bytes) {
    return device_memory().allocate(bytes, HostAccess::none, true);
}

void set_host_access(void* pointer, HostAccess access) {
    device_memory().set_host_access(pointer, access);
}

std::byte* storage_of(Address address) {
    return in_device_memory(address) ? device_memory().storage() + (address - range_begin)
                                     : reinterpret_cast<std::byte*>(address);
}
std::byte* storage_of(void* pointer) { return storage_of(reinterpret_cast<Address>(pointer)); }
const std::byte* storage_of(const void* pointer) {
    return storage_of(reinterpret_cast<Address>(pointer));
}

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
        const std::byte* const begin = storage_of(place.begin);
        Piece& piece = copy.pieces_.emplace_back(place, std::vector(begin, begin + place.bytes));
        if (shadow == nullptr || !in_device_memory(place.begin)) continue;
        const auto* const marks = reinterpret_cast<const std::byte*>(shadow_of(place.begin));
        piece.initialised.assign(marks, marks + place.bytes);
    }
    return copy;
}

void MemoryCopy::restore() const {
    for (const Piece& piece : pieces_) {
        std::byte* const begin = storage_of(piece.place.begin);
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

std::optional<Allocation> allocation_above(Address address) {
    return device_memory().above(address);
}

std::optional<Allocation> freed_at(Address address) { return device_memory().freed_at(address); }

void track_initialisation() {
    if (shadow != nullptr) return;
    void* const memory = mmap(nullptr, range_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    shadow = static_cast<std::uint8_t*>(memory);
}

bool is_initialised(Address address, std::size_t bytes) {
    if (shadow == nullptr || !in_device_memory(address)) return true;
    return std::memchr(shadow_of(address), 0, bytes) == nullptr;
}

Uninitialised uninitialised_in(Address address, std::size_t bytes) {
    if (is_initialised(address, bytes)) return {};
    const std::uint8_t* const begin = shadow_of(address);
    return {static_cast<std::size_t>(std::count(begin, begin + bytes, 0)),
            address + static_cast<Address>(std::find(begin, begin + bytes, 0) - begin)};
}

void copy_initialisation(Address to, Address from, std::size_t bytes) {
    if (shadow == nullptr || !in_device_memory(to)) return;
    if (!in_device_memory(from)) return mark_initialised(to, bytes);
    std::memmove(shadow_of(to), shadow_of(from), bytes);
}

void mark_initialised(Address address, std::size_t bytes, bool initialised) {
    if (shadow == nullptr || !in_device_memory(address)) return;
    std::memset(shadow_of(address), initialised, bytes);
}

}  // namespace emulator
