#include "emulator/memory/device_memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>

#include "emulator/memory/allocation_places.hpp"
#include "emulator/memory/mapped_memory.hpp"

namespace emulator {
namespace {

constexpr std::size_t range_bytes = std::size_t{256} << 30;
// malloc() in kernels rounds sizes up to this.
constexpr std::size_t heap_unit = 16;
std::uint8_t* shadow = nullptr;

class DeviceMemory {
  public:
    DeviceMemory()
        : memory_(reserve_addresses(range_bytes)),
          page_bytes_(system_page_bytes()),
          places_(range(), page_bytes_) {}

    const AddressRange& range() const { return memory_.addresses(); }
    std::byte* storage() const { return memory_.storage(); }

    void* allocate(std::size_t bytes, HostAccess access) {
        const std::lock_guard lock(mutex_);
        void* const pointer = add(bytes, AllocationPlaces::max_own_of_host);
        const auto begin = reinterpret_cast<Address>(pointer);
        if (access == HostAccess::allowed && !memory_.set_host_access(pages_of(begin), access)) {
            remove(begin);
            throw std::bad_alloc();
        }
        return pointer;
    }

    void* allocate_fresh(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        std::vector<Allocation> passed_over;
        for (;;) {
            const AllocationPlaces::Taken taken = take(bytes, AllocationPlaces::max_own_of_host);
            const AddressRange place{taken.begin, bytes};
            if (first_freed_in(place) == freed_.lower_bound(place.end())) {
                for (const Allocation& freed : passed_over) places_.give_back(freed);
                allocations_.emplace(taken.begin, Allocation{taken.begin, bytes});
                return reinterpret_cast<void*>(taken.begin);
            }
            passed_over.push_back({taken.begin, bytes});
        }
    }

    void set_host_access(void* pointer, HostAccess access) {
        const std::lock_guard lock(mutex_);
        const auto begin = reinterpret_cast<Address>(pointer);
        // Neighbours in a page keep what they have.
        if (access == HostAccess::none && places_.shares_pages(begin)) return;
        if (!memory_.set_host_access(pages_of(begin), access)) throw std::bad_alloc();
    }

    void release(void* pointer) {
        const std::lock_guard lock(mutex_);
        remove(reinterpret_cast<Address>(pointer));
    }

    void* allocate_on_heap(std::size_t bytes, std::size_t limit) {
        const std::lock_guard lock(mutex_);
        const std::size_t left = limit - std::min(limit, heap_bytes_);
        if (bytes > left || heap_size(bytes) > left) return nullptr;
        void* const pointer = add(bytes, AllocationPlaces::max_own_on_heap);
        heap_.insert(reinterpret_cast<Address>(pointer));
        heap_bytes_ += heap_size(bytes);
        return pointer;
    }

    void release_on_heap(void* pointer) {
        const std::lock_guard lock(mutex_);
        const auto found = heap_.find(reinterpret_cast<Address>(pointer));
        if (found == heap_.end()) refuse_release();
        heap_bytes_ -= heap_size(allocations_.at(*found).bytes);
        remove(*found);
        heap_.erase(found);
    }

    void release_heap() {
        const std::lock_guard lock(mutex_);
        for (const Address begin : heap_) remove(begin);
        heap_.clear();
        heap_bytes_ = 0;
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
    static std::size_t heap_size(std::size_t bytes) {
        return (bytes + heap_unit - 1) / heap_unit * heap_unit;
    }

    [[noreturn]] static void refuse_release() {
        throw std::invalid_argument("emulated GPU: free of a pointer that was never allocated");
    }

    void* add(std::size_t bytes, std::size_t own_limit) {
        const AllocationPlaces::Taken taken = take(bytes, own_limit);
        forget_freed({taken.begin, bytes});
        allocations_.emplace(taken.begin, Allocation{taken.begin, bytes});
        return reinterpret_cast<void*>(taken.begin);
    }

    void remove(Address begin) {
        const auto found = allocations_.find(begin);
        if (found == allocations_.end()) refuse_release();
        freed_[begin] = found->second;
        // Where hazards are checked, its place is not used again while others are left.
        if (shadow != nullptr) kept_.push_back(found->second);
        const AddressRange closed =
            shadow != nullptr ? own_pages_of(begin) : places_.give_back(found->second);
        if (closed.bytes != 0) {
            clear(closed);
            // Where this fails the host keeps the access that it had.
            (void)memory_.set_host_access(closed, HostAccess::none);
        } else {
            clear(found->second);
        }
        allocations_.erase(found);
    }

    // A place for an allocation; freed ones are used again where nothing else is left.
    AllocationPlaces::Taken take(std::size_t bytes, std::size_t own_limit) {
        try {
            return places_.take(bytes, own_limit);
        } catch (const std::bad_alloc&) {
            if (kept_.empty()) throw;
        }
        for (const Allocation& freed : kept_) places_.give_back(freed);
        kept_.clear();
        return places_.take(bytes, own_limit);
    }

    std::map<Address, Allocation>::iterator first_freed_in(AddressRange used) {
        auto first = freed_.lower_bound(used.begin);
        if (first != freed_.begin() && std::prev(first)->second.end() > used.begin) --first;
        return first;
    }

    void forget_freed(AddressRange used) {
        freed_.erase(first_freed_in(used), freed_.lower_bound(used.end()));
    }

    // The pages that no other allocation shares; may be none.
    AddressRange own_pages_of(Address begin) const {
        return places_.shares_pages(begin) ? AddressRange{begin, 0} : pages_of(begin);
    }

    // The pages of an allocation.
    AddressRange pages_of(Address begin) const {
        const Allocation& allocation = allocations_.at(begin);
        const Address first = begin / page_bytes_ * page_bytes_;
        const Address end = begin + std::max<std::size_t>(allocation.bytes, 1);
        return {first, (end + page_bytes_ - 1) / page_bytes_ * page_bytes_ - first};
    }

    // Its next owner finds zeros that count as uninitialised. Gives whole pages back to the system.
    void clear(AddressRange memory) const {
        const Address first =
            std::min((memory.begin + page_bytes_ - 1) / page_bytes_ * page_bytes_, memory.end());
        const Address last = std::max(memory.end() / page_bytes_ * page_bytes_, first);
        for (auto* const base : {reinterpret_cast<std::uint8_t*>(storage()), shadow}) {
            if (base == nullptr) continue;
            std::uint8_t* const begin = base + (memory.begin - range().begin);
            std::memset(begin, 0, first - memory.begin);
            std::memset(begin + (last - memory.begin), 0, memory.end() - last);
        }
        if (first == last) return;
        memory_.discard({first, last - first});
        if (shadow != nullptr)
            madvise(shadow + (first - range().begin), last - first, MADV_DONTNEED);
    }

    const BackedRange memory_;
    const std::size_t page_bytes_;
    std::mutex mutex_;
    AllocationPlaces places_;
    std::map<Address, Allocation> allocations_;
    std::map<Address, Allocation> freed_;  // and not used again yet
    std::vector<Allocation> kept_;         // of freed_, those whose places are not used again yet
    std::map<Address, Allocation> host_memory_;
    std::set<Address> heap_;
    std::size_t heap_bytes_ = 0;  // of all allocations in heap_
};

// Never destroyed: buffers with static storage may be released after this file's statics.
DeviceMemory& device_memory() {
    static DeviceMemory& memory = *new DeviceMemory;
    return memory;
}

std::uint8_t* shadow_of(Address address) {
    return shadow + (address - device_memory().range().begin);
}

}  // namespace

void* allocate_device_memory(std::size_t bytes, HostAccess access) {
    return device_memory().allocate(bytes, access);
}

void* allocate_fresh_device_memory(std::size_t bytes) {
    return device_memory().allocate_fresh(bytes);
}

void set_host_access(void* pointer, HostAccess access) {
    device_memory().set_host_access(pointer, access);
}

std::byte* storage_of(Address address) {
    return in_device_memory(address)
               ? device_memory().storage() + (address - device_memory().range().begin)
               : reinterpret_cast<std::byte*>(address);
}
std::byte* storage_of(void* pointer) { return storage_of(reinterpret_cast<Address>(pointer)); }
const std::byte* storage_of(const void* pointer) {
    return storage_of(reinterpret_cast<Address>(pointer));
}

void release_device_memory(void* pointer) { device_memory().release(pointer); }

void* allocate_on_heap(std::size_t bytes, std::size_t heap_bytes) {
    try {
        return device_memory().allocate_on_heap(bytes, heap_bytes);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void release_on_heap(void* pointer) { device_memory().release_on_heap(pointer); }

void release_heap() { device_memory().release_heap(); }

void add_host_memory(void* pointer, std::size_t bytes) {
    device_memory().add_host({reinterpret_cast<Address>(pointer), bytes});
}

void remove_host_memory(void* pointer) {
    device_memory().remove_host(reinterpret_cast<Address>(pointer));
}

std::vector<Allocation> all_memory() { return device_memory().all(); }

bool in_device_memory(Address address) {
    return address - device_memory().range().begin < range_bytes;
}

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
    (void)madvise(memory, range_bytes, MADV_HUGEPAGE);  // it is accessed at random
    shadow = static_cast<std::uint8_t*>(memory);
}

std::byte* initialisation_of(Address address) {
    if (shadow == nullptr || !in_device_memory(address)) return nullptr;
    return reinterpret_cast<std::byte*>(shadow_of(address));
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
