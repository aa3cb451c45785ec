// Copies and fills of linear memory.
#include "emulator/runtime/memory/copies.hpp"

#include <cstring>

#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/memory/host_hazards.hpp"
#include "emulator/runtime/report/predicted_time.hpp"

namespace emulator::runtime {
namespace {

bool skips_device_copies = false;

void mark_written(void* pointer, std::size_t bytes) {
    const auto address = reinterpret_cast<Address>(pointer);
    if (in_device_memory(address)) mark_initialised(address, bytes);
}

bool is_device_memory(const void* pointer) {
    if (!in_device_memory(reinterpret_cast<Address>(pointer))) return false;
    const auto memory = memory_at(pointer);
    return !memory || memory->kind == MemoryKind::device;
}

void note_copied(const void* to, const void* from, std::size_t bytes) {
    if (!is_device_memory(to)) return check_copied_to_host(from, bytes);
    copy_initialisation(reinterpret_cast<Address>(to), reinterpret_cast<Address>(from), bytes);
}

}  // namespace

void require_kind(cudaMemcpyKind kind) {
    require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
}

bool is_device_destination(cudaMemcpyKind kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}
bool is_device_source(cudaMemcpyKind kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

void check_copy(const Copy& copy) {
    require_kind(copy.kind);
    if (copy.bytes == 0 || copy.rows == 0 || copy.slices == 0) return;
    if (copy.rows != 1 && (copy.bytes > copy.to_pitch || copy.bytes > copy.from_pitch))
        refuse(cudaErrorInvalidPitchValue, "rows of " + std::to_string(copy.bytes) +
                                               " bytes, but pitches of " +
                                               std::to_string(copy.to_pitch) + " (to) and " +
                                               std::to_string(copy.from_pitch) + " (from)");
    const auto span = [&](std::size_t pitch, std::size_t slice) {
        return span_of(copy.bytes, copy.rows, pitch, copy.slices, slice);
    };
    require_accessible(copy.to, span(copy.to_pitch, copy.to_slice),
                       is_device_destination(copy.kind));
    require_accessible(copy.from, span(copy.from_pitch, copy.from_slice),
                       is_device_source(copy.kind));
}

void skip_device_copies(bool wanted) { skips_device_copies = wanted; }

void execute(const Copy& copy) {
    if (copy.bytes == 0) return;
    predict_copy(copy.to, copy.from, copy.bytes * copy.rows * copy.slices);
    if (copy.kind == cudaMemcpyDeviceToDevice && skips_device_copies) return;
    for (std::size_t slice = 0; slice < copy.slices; ++slice) {
        for (std::size_t row = 0; row < copy.rows; ++row) {
            char* const to =
                static_cast<char*>(copy.to) + slice * copy.to_slice + row * copy.to_pitch;
            const char* const from = static_cast<const char*>(copy.from) + slice * copy.from_slice +
                                     row * copy.from_pitch;
            std::memmove(storage_of(to), storage_of(from), copy.bytes);
            note_copied(to, from, copy.bytes);
        }
    }
}

void check_fill(const Fill& fill) {
    if (fill.width == 0 || fill.rows == 0 || fill.slices == 0) return;
    const std::size_t row_bytes = product(fill.width, fill.element_bytes);
    require(fill.rows == 1 || row_bytes <= fill.pitch);
    require_accessible(fill.to, span_of(row_bytes, fill.rows, fill.pitch, fill.slices, fill.slice),
                       true);
}

void execute(const Fill& fill) {
    const std::size_t row_bytes = fill.width * fill.element_bytes;
    if (row_bytes == 0) return;
    predict_fill(fill.to, row_bytes * fill.rows * fill.slices);
    for (std::size_t slice = 0; slice < fill.slices; ++slice) {
        for (std::size_t row = 0; row < fill.rows; ++row) {
            char* const to = static_cast<char*>(fill.to) + slice * fill.slice + row * fill.pitch;
            std::byte* const storage = storage_of(static_cast<void*>(to));
            if (fill.element_bytes == 1) {
                std::memset(storage, static_cast<int>(fill.value), row_bytes);
            } else {
                for (std::size_t at = 0; at < row_bytes; at += fill.element_bytes) {
                    std::memcpy(storage + at, &fill.value, fill.element_bytes);
                }
            }
            mark_written(to, row_bytes);
        }
    }
}

}  // namespace emulator::runtime
