// Copies of three dimensions, and from and to CUDA arrays.
#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/sizes.hpp"
#include "emulator/runtime/memory/arrays.hpp"
#include "emulator/runtime/memory/copy_calls.hpp"

namespace emulator::runtime {
namespace {

// One side of a copy.
struct Side {
    char* begin = nullptr;
    std::size_t pitch = 0, slice = 0;
};

Side array_side(cudaArray_const_t handle, cudaPos at, std::size_t row_bytes, std::size_t rows,
                std::size_t slices) {
    cudaArray& array = require_array(handle);
    const std::size_t behind = sum(product(at.x, array.element_bytes), row_bytes);
    require(behind <= array.extent.width * array.element_bytes && sum(at.y, rows) <= array.rows() &&
            sum(at.z, slices) <= array.slices());
    return {array.data + at.z * array.slice() + at.y * array.pitch + at.x * array.element_bytes,
            array.pitch, array.slice()};
}

Side pointer_side(const cudaPitchedPtr& pitched, cudaPos at) {
    const std::size_t slice = product(pitched.pitch, pitched.ysize);
    const std::size_t offset = sum(sum(product(at.z, slice), product(at.y, pitched.pitch)), at.x);
    const auto begin = sum(reinterpret_cast<std::uintptr_t>(pitched.ptr), offset);
    return {reinterpret_cast<char*>(begin), pitched.pitch, slice};
}

}  // namespace

Copy copy_of(const cudaMemcpy3DParms& asked) {
    require((asked.srcArray != nullptr) != (asked.srcPtr.ptr != nullptr));
    require((asked.dstArray != nullptr) != (asked.dstPtr.ptr != nullptr));
    std::size_t unit = 1;  // of the extent's width: elements where an array takes part
    if (asked.srcArray != nullptr) unit = require_array(asked.srcArray).element_bytes;
    if (asked.dstArray != nullptr) unit = require_array(asked.dstArray).element_bytes;
    const std::size_t row_bytes = product(asked.extent.width, unit);
    const std::size_t rows = asked.extent.height, slices = asked.extent.depth;
    const Side from = asked.srcArray != nullptr
                          ? array_side(asked.srcArray, asked.srcPos, row_bytes, rows, slices)
                          : pointer_side(asked.srcPtr, asked.srcPos);
    const Side to = asked.dstArray != nullptr
                        ? array_side(asked.dstArray, asked.dstPos, row_bytes, rows, slices)
                        : pointer_side(asked.dstPtr, asked.dstPos);
    return {.to = to.begin,
            .from = from.begin,
            .bytes = row_bytes,
            .to_pitch = to.pitch,
            .from_pitch = from.pitch,
            .to_slice = to.slice,
            .from_slice = from.slice,
            .rows = rows,
            .slices = slices,
            .kind = asked.kind};
}

namespace {

// `offset_bytes` lies in the row.
Side row_side(cudaArray_const_t handle, std::size_t offset_bytes, std::size_t row,
              std::size_t row_bytes, std::size_t rows) {
    cudaArray& array = require_array(handle);
    require(offset_bytes % array.element_bytes == 0);
    return array_side(handle, {offset_bytes / array.element_bytes, row, 0}, row_bytes, rows, 1);
}

Copy to_array(cudaArray_t to, std::size_t offset_bytes, std::size_t row, const void* from,
              std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const Side side = row_side(to, offset_bytes, row, width, height);
    return {.to = side.begin,
            .from = from,
            .bytes = width,
            .to_pitch = side.pitch,
            .from_pitch = from_pitch,
            .rows = height,
            .kind = kind};
}

Copy from_array(void* to, std::size_t to_pitch, cudaArray_const_t from, std::size_t offset_bytes,
                std::size_t row, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    const Side side = row_side(from, offset_bytes, row, width, height);
    return {.to = to,
            .from = side.begin,
            .bytes = width,
            .to_pitch = to_pitch,
            .from_pitch = side.pitch,
            .rows = height,
            .kind = kind};
}

// The deprecated forms copy `bytes` as one run that continues in the next row.
template <class CopyRow>
cudaError_t copy_run(cudaArray_const_t array, std::size_t offset_bytes, std::size_t row,
                     std::size_t bytes, const CopyRow& copy_row) {
    return call([&] {
        const cudaArray& whole = require_array(array);
        const std::size_t width = whole.extent.width * whole.element_bytes;
        require(offset_bytes < width || bytes == 0);
        cudaError_t error = cudaSuccess;
        for (std::size_t done = 0; error == cudaSuccess && done < bytes; ++row, offset_bytes = 0) {
            const std::size_t count = std::min(width - offset_bytes, bytes - done);
            error = copy_row(offset_bytes, row, done, count);
            done += count;
        }
        return error;
    });
}

}  // namespace
}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
    return call([&] {
        require(parameters != nullptr);
        return copy_now(copy_of(*parameters));
    });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
    return call([&] {
        require(parameters != nullptr);
        return copy_in_stream(copy_of(*parameters), stream);
    });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters) {
    return cudaMemcpy3DPeerAsync(parameters, nullptr);
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream) {
    return call([&] {
        require(parameters != nullptr);
        require(parameters->srcDevice == 0 && parameters->dstDevice == 0, cudaErrorInvalidDevice);
        const cudaMemcpy3DParms same{
            parameters->srcArray, parameters->srcPos, parameters->srcPtr, parameters->dstArray,
            parameters->dstPos,   parameters->dstPtr, parameters->extent, cudaMemcpyDeviceToDevice};
        return copy_in_stream(copy_of(same), stream);
    });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t offset_bytes, std::size_t row,
                                const void* from, std::size_t from_pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind) {
    return call([&] {
        return copy_now(to_array(to, offset_bytes, row, from, from_pitch, width, height, kind));
    });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t offset_bytes, std::size_t row,
                                     const void* from, std::size_t from_pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        return copy_in_stream(
            to_array(to, offset_bytes, row, from, from_pitch, width, height, kind), stream);
    });
}

cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t to_pitch, cudaArray_const_t from,
                                  std::size_t offset_bytes, std::size_t row, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
    return call([&] {
        return copy_now(from_array(to, to_pitch, from, offset_bytes, row, width, height, kind));
    });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t to_pitch, cudaArray_const_t from,
                                       std::size_t offset_bytes, std::size_t row, std::size_t width,
                                       std::size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
    return call([&] {
        return copy_in_stream(
            from_array(to, to_pitch, from, offset_bytes, row, width, height, kind), stream);
    });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_offset, std::size_t to_row,
                                     cudaArray_const_t from, std::size_t from_offset,
                                     std::size_t from_row, std::size_t width, std::size_t height,
                                     cudaMemcpyKind kind) {
    return call([&] {
        const Side source = row_side(from, from_offset, from_row, width, height);
        return copy_now(
            to_array(to, to_offset, to_row, source.begin, source.pitch, width, height, kind));
    });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t offset_bytes, std::size_t row,
                              const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyToArrayAsync(to, offset_bytes, row, from, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, std::size_t offset_bytes, std::size_t row,
                                   const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    const auto copy_row = [&](std::size_t at, std::size_t to_row, std::size_t done,
                              std::size_t count) {
        const char* const source = static_cast<const char*>(from) + done;
        return copy_in_stream(to_array(to, at, to_row, source, count, count, 1, kind), stream);
    };
    return copy_run(to, offset_bytes, row, bytes, copy_row);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, std::size_t offset_bytes,
                                std::size_t row, std::size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyFromArrayAsync(to, from, offset_bytes, row, bytes, kind, nullptr);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, std::size_t offset_bytes,
                                     std::size_t row, std::size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    const auto copy_row = [&](std::size_t at, std::size_t from_row, std::size_t done,
                              std::size_t count) {
        char* const target = static_cast<char*>(to) + done;
        return copy_in_stream(from_array(target, count, from, at, from_row, count, 1, kind),
                              stream);
    };
    return copy_run(from, offset_bytes, row, bytes, copy_row);
}
