#include "emulator/simt/state/local_memory.hpp"

#include <algorithm>
#include <bit>

namespace emulator::simt {

void copy_interleaved(std::byte* to, std::uint32_t to_offset, const std::byte* from,
                      std::uint32_t from_offset, std::uint32_t bytes, std::uint32_t lanes) {
    const bool by_words = (to_offset | from_offset | bytes) % interleaved_word_bytes == 0;
    const std::uint32_t step = by_words ? interleaved_word_bytes : 1;
    for (std::uint32_t i = 0; i < bytes; i += step) {
        if (by_words && lanes == 0xffffffffu) {
            std::memcpy(to + interleaved(to_offset + i, 0), from + interleaved(from_offset + i, 0),
                        interleaved_row_bytes);
            continue;
        }
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            std::memcpy(to + interleaved(to_offset + i, lane),
                        from + interleaved(from_offset + i, lane), step);
        }
    }
}

void LocalMemory::reserve(std::uint32_t bytes_per_thread) {
    if (bytes_per_thread <= bytes_) return;
    const std::uint32_t bytes = std::max(std::bit_ceil(bytes_per_thread), 64u);
    auto larger = std::make_unique<std::byte[]>(std::size_t{bytes} * warp_size);
    if (bytes_ != 0) std::memcpy(larger.get(), storage_.get(), std::size_t{bytes_} * warp_size);
    storage_ = std::move(larger);
    bytes_ = bytes;
}

}  // namespace emulator::simt
