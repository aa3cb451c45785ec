// Memory that every thread has to itself: .local variables, and arguments of calls. Words of the 32 lanes
// lie side by side, as the hardware lays local memory out: one request of a warp for the same variable is
// 128 neighbouring bytes for each word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "emulator/models/warp_request.hpp"

namespace emulator::simt {

constexpr std::uint32_t interleaved_word_bytes = 4;
constexpr std::uint32_t interleaved_row_bytes = interleaved_word_bytes * warp_size;

// Where byte `offset` of a lane lies.
inline std::size_t interleaved(std::uint32_t offset, int lane) {
    return std::size_t{offset / interleaved_word_bytes} * interleaved_row_bytes +
           static_cast<std::size_t>(lane) * interleaved_word_bytes +
           offset % interleaved_word_bytes;
}

// Aligned accesses of 1, 2, 4 or 8 bytes.
template <class T>
T load_interleaved(const std::byte* base, std::uint32_t offset, int lane) {
    T value;
    if constexpr (sizeof(T) <= interleaved_word_bytes) {
        std::memcpy(&value, base + interleaved(offset, lane), sizeof(T));
    } else {
        std::uint32_t halves[2];
        std::memcpy(&halves[0], base + interleaved(offset, lane), 4);
        std::memcpy(&halves[1], base + interleaved(offset + 4, lane), 4);
        std::memcpy(&value, halves, sizeof(T));
    }
    return value;
}

template <class T>
void store_interleaved(std::byte* base, std::uint32_t offset, int lane, T value) {
    if constexpr (sizeof(T) <= interleaved_word_bytes) {
        std::memcpy(base + interleaved(offset, lane), &value, sizeof(T));
    } else {
        std::uint32_t halves[2];
        std::memcpy(halves, &value, sizeof(T));
        std::memcpy(base + interleaved(offset, lane), &halves[0], 4);
        std::memcpy(base + interleaved(offset + 4, lane), &halves[1], 4);
    }
}

// Copies bytes of one lane between two such areas.
void copy_interleaved(std::byte* to, std::uint32_t to_offset, const std::byte* from,
                      std::uint32_t from_offset, std::uint32_t bytes, std::uint32_t lanes);

// The local memory of a warp. It grows with the call depth.
class LocalMemory {
  public:
    // Each thread has one, as on the hardware.
    static constexpr std::uint32_t max_bytes = 512 * 1024;

    void reserve(std::uint32_t bytes_per_thread);
    std::byte* data() { return storage_.get(); }
    std::uint32_t bytes_per_thread() const { return bytes_; }

  private:
    std::unique_ptr<std::byte[]> storage_;
    std::uint32_t bytes_ = 0;
};

}  // namespace emulator::simt
