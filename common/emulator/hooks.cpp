// The entry points of ThreadSanitizer's instrumentation, in the place of its run-time library: g++
// calls one before every memory access of a kernel. The return address is the access's place.
#include <cstddef>

#include "emulator/recorder.hpp"

namespace emulator {
namespace {

// Structures that are no 1, 2, 4, 8 or 16 bytes, or are aligned to less than their size, arrive
// whole. The hardware accesses their members one by one, and members are 4 bytes here unless size
// or address forbid it. (Members of 8 bytes arrive as two of 4: the instrumentation does not tell.)
void record_range(Address address, std::size_t bytes, AccessKind kind, CacheOperator cache_operator,
                  const void* site) {
    const std::size_t both = address | bytes;
    const auto record_all = [&]<std::uint32_t member>() {
        for (std::size_t at = 0; at < bytes; at += member) {
            record<member>(address + at, kind, cache_operator, site);
        }
    };
    if (both % 4 == 0) {
        record_all.template operator()<4>();
    } else if (both % 2 == 0) {
        record_all.template operator()<2>();
    } else {
        record_all.template operator()<1>();
    }
}

void announce(const void* address, std::size_t bytes, AccessKind kind, CacheOperator cache_operator,
              const void* site) {
    const auto at = reinterpret_cast<Address>(address);
    switch (bytes) {
        case 1:
            return record<1>(at, kind, cache_operator, site);
        case 2:
            return record<2>(at, kind, cache_operator, site);
        case 4:
            return record<4>(at, kind, cache_operator, site);
        case 8:
            return record<8>(at, kind, cache_operator, site);
        case 16:
            return record<16>(at, kind, cache_operator, site);
        default:
            return record_range(at, bytes, kind, cache_operator, site);
    }
}

}  // namespace

void announce_load(const void* address, std::size_t bytes, CacheOperator cache_operator,
                   const void* site) {
    announce(address, bytes, AccessKind::load, cache_operator, site);
}

void announce_store(const void* address, std::size_t bytes, CacheOperator cache_operator,
                    const void* site) {
    announce(address, bytes, AccessKind::store, cache_operator, site);
}

void announce_atomic(const void* address, std::size_t bytes, const void* site) {
    announce(address, bytes, AccessKind::atomic, CacheOperator::standard, site);
}

}  // namespace emulator

#define LAB_HOOKS(bytes)                                                                        \
    void __tsan_read##bytes(void* address) {                                                    \
        emulator::record<bytes>(reinterpret_cast<emulator::Address>(address),                   \
                                emulator::AccessKind::load, emulator::CacheOperator::standard,  \
                                __builtin_return_address(0));                                   \
    }                                                                                           \
    void __tsan_write##bytes(void* address) {                                                   \
        emulator::record<bytes>(reinterpret_cast<emulator::Address>(address),                   \
                                emulator::AccessKind::store, emulator::CacheOperator::standard, \
                                __builtin_return_address(0));                                   \
    }
#define LAB_UNALIGNED_HOOKS(bytes)                                                          \
    void __tsan_unaligned_read##bytes(void* address) {                                      \
        emulator::announce(address, bytes, emulator::AccessKind::load,                      \
                           emulator::CacheOperator::standard, __builtin_return_address(0)); \
    }                                                                                       \
    void __tsan_unaligned_write##bytes(void* address) {                                     \
        emulator::announce(address, bytes, emulator::AccessKind::store,                     \
                           emulator::CacheOperator::standard, __builtin_return_address(0)); \
    }

extern "C" {
LAB_HOOKS(1)
LAB_HOOKS(2)
LAB_HOOKS(4)
LAB_HOOKS(8)
LAB_HOOKS(16)
LAB_UNALIGNED_HOOKS(2)
LAB_UNALIGNED_HOOKS(4)
LAB_UNALIGNED_HOOKS(8)
LAB_UNALIGNED_HOOKS(16)

void __tsan_read_range(void* address, unsigned long bytes) {
    emulator::record_range(reinterpret_cast<emulator::Address>(address), bytes,
                           emulator::AccessKind::load, emulator::CacheOperator::standard,
                           __builtin_return_address(0));
}

void __tsan_write_range(void* address, unsigned long bytes) {
    emulator::record_range(reinterpret_cast<emulator::Address>(address), bytes,
                           emulator::AccessKind::store, emulator::CacheOperator::standard,
                           __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
}
