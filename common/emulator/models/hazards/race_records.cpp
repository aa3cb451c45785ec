#include "emulator/models/hazards/race_records.hpp"

#include <sys/mman.h>

#include <new>

namespace emulator {

std::unique_ptr<void, ReleaseChunk> allocate_chunk(std::size_t bytes) {
    const bool is_large = bytes % large_page_bytes == 0;
    constexpr std::size_t cpu_line_bytes = 64;
    std::unique_ptr<void, ReleaseChunk> chunk(
        std::aligned_alloc(is_large ? large_page_bytes : cpu_line_bytes, bytes));
    if (!chunk) throw std::bad_alloc();
    if (is_large) (void)madvise(chunk.get(), bytes, MADV_HUGEPAGE);
    return chunk;
}

}  // namespace emulator
