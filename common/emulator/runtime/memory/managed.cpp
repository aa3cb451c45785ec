#include "emulator/runtime/memory/managed.hpp"

#include <cstring>
#include <map>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/report/predicted_time.hpp"

namespace emulator::runtime {
namespace {

// Hints are of whole allocations: a hint for a part of one counts for all of it.
struct Hints {
    bool read_mostly = false;
    int preferred = cudaInvalidDeviceId, accessed_by = cudaInvalidDeviceId,
        prefetched = cudaInvalidDeviceId;
    bool is_at_gpu =
        false;  // as far as launches and prefetches tell: the host's accesses are not seen
};
std::map<unsigned long long, Hints>& all_hints() {
    static auto& result = *new std::map<unsigned long long, Hints>;
    return result;
}

int device_of(cudaMemLocation location) {
    if (location.type == cudaMemLocationTypeDevice) {
        require_device(location.id);
        return location.id;
    }
    require(location.type == cudaMemLocationTypeHost ||
                location.type == cudaMemLocationTypeHostNuma ||
                location.type == cudaMemLocationTypeHostNumaCurrent,
            cudaErrorInvalidDevice);
    return cudaCpuDeviceId;
}

Hints& hints_for(const void* pointer, std::size_t bytes) {
    require(pointer != nullptr && bytes != 0);
    const auto memory = memory_at(pointer);
    require(memory && memory->kind == MemoryKind::managed);
    require_accessible(pointer, bytes, true);
    return all_hints()[memory->id];
}

int hint(const Hints& hints, cudaMemRangeAttribute attribute) {
    switch (attribute) {
        case cudaMemRangeAttributeReadMostly:
            return hints.read_mostly;
        case cudaMemRangeAttributePreferredLocation:
            return hints.preferred;
        case cudaMemRangeAttributeAccessedBy:
            return hints.accessed_by;
        case cudaMemRangeAttributeLastPrefetchLocation:
            return hints.prefetched;
        default:
            throw ApiError(cudaErrorInvalidValue);
    }
}

}  // namespace

cudaMemLocation location_of(int device) {
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
            device};
}

cudaError_t prefetch(const void* pointer, std::size_t bytes, cudaMemLocation location,
                     unsigned flags, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        require(flags == 0);
        Hints& hints = hints_for(pointer, bytes);
        hints.prefetched = device_of(location);
        hints.is_at_gpu = hints.prefetched != cudaCpuDeviceId;
    });
}

cudaError_t advise(const void* pointer, std::size_t bytes, cudaMemoryAdvise advice,
                   cudaMemLocation location) {
    return call([&] {
        Hints& hints = hints_for(pointer, bytes);
        switch (advice) {
            case cudaMemAdviseSetReadMostly:
                hints.read_mostly = true;
                return;
            case cudaMemAdviseUnsetReadMostly:
                hints.read_mostly = false;
                return;
            case cudaMemAdviseSetPreferredLocation:
                hints.preferred = device_of(location);
                return;
            case cudaMemAdviseUnsetPreferredLocation:
                hints.preferred = cudaInvalidDeviceId;
                return;
            case cudaMemAdviseSetAccessedBy:
                hints.accessed_by = device_of(location);
                return;
            case cudaMemAdviseUnsetAccessedBy:
                hints.accessed_by = cudaInvalidDeviceId;
                return;
        }
        throw ApiError(cudaErrorInvalidValue);
    });
}

std::uint64_t move_managed_pages(const simt::LaunchRecord& record) {
    std::uint64_t moved = 0;
    for (const Memory& memory : managed_memory()) {
        Hints& hints = all_hints()[memory.id];
        const bool stays_at_host =
            hints.preferred == cudaCpuDeviceId && hints.accessed_by != cudaInvalidDeviceId;
        if (hints.is_at_gpu || stays_at_host) continue;
        const std::uint64_t touched = touched_bytes(record, memory.begin, memory.bytes);
        hints.is_at_gpu = touched != 0;
        moved += touched;
    }
    return moved;
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaMemRangeGetAttribute(void* data, std::size_t data_bytes,
                                     cudaMemRangeAttribute attribute, const void* pointer,
                                     std::size_t bytes) {
    return call([&] {
        require(data != nullptr && data_bytes >= sizeof(int) && data_bytes % sizeof(int) == 0);
        const int value = hint(hints_for(pointer, bytes), attribute);
        std::memcpy(data, &value, sizeof value);
        // AccessedBy fills the rest of its array with invalid devices.
        for (std::size_t at = sizeof value; at < data_bytes; at += sizeof value) {
            const int no_device = cudaInvalidDeviceId;
            std::memcpy(static_cast<char*>(data) + at, &no_device, sizeof no_device);
        }
    });
}

cudaError_t cudaMemRangeGetAttributes(void** data, std::size_t* data_bytes,
                                      cudaMemRangeAttribute* attributes, std::size_t count,
                                      const void* pointer, std::size_t bytes) {
    return call([&] {
        require(data != nullptr && data_bytes != nullptr && attributes != nullptr);
        for (std::size_t i = 0; i < count; ++i) {
            const cudaError_t error =
                cudaMemRangeGetAttribute(data[i], data_bytes[i], attributes[i], pointer, bytes);
            if (error != cudaSuccess) return error;
        }
        return cudaSuccess;
    });
}
