// __device__, __constant__ and __managed__ variables by the host variable that stands for them.
#include <cuda_runtime_api.h>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/programs.hpp"
#include "emulator/runtime/memory/copy_calls.hpp"

using namespace emulator::runtime;

namespace {

// The address of [offset, offset + bytes) of a variable. Throws ApiError.
char* place_in(const void* variable, std::size_t offset, std::size_t bytes) {
    const emulator::simt::Symbol symbol = find_variable(variable);
    if (offset > symbol.bytes || bytes > symbol.bytes - offset)
        refuse(cudaErrorInvalidValue, std::to_string(bytes) + " bytes at byte " +
                                          std::to_string(offset) + " of a variable of " +
                                          std::to_string(symbol.bytes) + " bytes");
    return static_cast<char*>(symbol.address) + offset;
}

cudaError_t copy_to(const void* variable, const void* from, std::size_t bytes, std::size_t offset,
                    cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        require(kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice ||
                    kind == cudaMemcpyDefault,
                cudaErrorInvalidMemcpyDirection);
        void* const to = place_in(variable, offset, bytes);
        return copy_in_stream({.to = to, .from = from, .bytes = bytes}, stream);
    });
}

cudaError_t copy_from(void* to, const void* variable, std::size_t bytes, std::size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream) {
    return call([&] {
        require(kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice ||
                    kind == cudaMemcpyDefault,
                cudaErrorInvalidMemcpyDirection);
        const void* const from = place_in(variable, offset, bytes);
        return copy_in_stream({.to = to, .from = from, .bytes = bytes}, stream);
    });
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind kind) {
    return copy_to(variable, from, bytes, offset, kind, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to(variable, from, bytes, offset, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* variable, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind kind) {
    const cudaError_t error = copy_from(to, variable, bytes, offset, kind, nullptr);
    return error == cudaSuccess ? cudaStreamSynchronize(nullptr) : error;
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* variable, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
    return copy_from(to, variable, bytes, offset, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* variable) {
    return call([&] {
        require(address != nullptr);
        *address = find_variable(variable).address;
    });
}

cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* variable) {
    return call([&] {
        require(bytes != nullptr);
        *bytes = find_variable(variable).bytes;
    });
}
