// Which addresses this process has.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace emulator {

// The unit of mmap and mprotect.
inline std::size_t system_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Whether all of [pointer, pointer + bytes) is mapped, accessible or not.
inline bool is_mapped(const void* pointer, std::size_t bytes) {
    const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
    const std::uintptr_t first = begin / system_page_bytes() * system_page_bytes();
    std::uintptr_t end = 0;
    if (__builtin_add_overflow(begin, bytes, &end)) return false;
    // Writes nothing: since Linux 2.6.19 the kernel itself keeps track of what has to be written.
    return msync(reinterpret_cast<void*>(first), end - first, MS_ASYNC) == 0;
}

}  // namespace emulator
