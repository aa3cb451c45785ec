#include "emulator/runtime/memory/copy_calls.hpp"

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"

namespace emulator::runtime {

cudaError_t copy_now(const Copy& copy) {
    return call([&] {
        check_copy(copy);
        synchronise();
        execute(copy);
    });
}

cudaError_t copy_in_stream(const Copy& copy, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        check_copy(copy);
        perform(stream, copy);
    });
}

cudaError_t fill_in_stream(const Fill& fill, cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        check_fill(fill);
        perform(stream, fill);
    });
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

namespace {

Copy linear(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return {.to = to, .from = from, .bytes = bytes, .kind = kind};
}

Copy pitched(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
             std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return {.to = to,
            .from = from,
            .bytes = width,
            .to_pitch = to_pitch,
            .from_pitch = from_pitch,
            .rows = height,
            .kind = kind};
}

}  // namespace

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return copy_now(linear(to, from, bytes, kind));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    return copy_in_stream(linear(to, from, bytes, kind), stream);
}

cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return copy_now(pitched(to, to_pitch, from, from_pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_in_stream(pitched(to, to_pitch, from, from_pitch, width, height, kind), stream);
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           std::size_t bytes) {
    if (to_device != 0 || from_device != 0) return record(cudaErrorInvalidDevice);
    return copy_now(linear(to, from, bytes, cudaMemcpyDeviceToDevice));
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                std::size_t bytes, cudaStream_t stream) {
    if (to_device != 0 || from_device != 0) return record(cudaErrorInvalidDevice);
    return copy_in_stream(linear(to, from, bytes, cudaMemcpyDeviceToDevice), stream);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
    return cudaMemsetAsync(to, value, bytes, nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    return fill_in_stream({.to = to, .value = static_cast<unsigned>(value), .width = bytes},
                          stream);
}

cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                         std::size_t height) {
    return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
    return fill_in_stream({.to = to,
                           .value = static_cast<unsigned>(value),
                           .width = width,
                           .pitch = pitch,
                           .rows = height},
                          stream);
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
    return cudaMemset3DAsync(to, value, extent, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
    return call([&] {
        return fill_in_stream({.to = to.ptr,
                               .value = static_cast<unsigned>(value),
                               .width = extent.width,
                               .pitch = to.pitch,
                               .slice = product(to.pitch, to.ysize),
                               .rows = extent.height,
                               .slices = extent.depth},
                              stream);
    });
}
