// The functions of the API about streams.
#include <algorithm>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/memory/host_access.hpp"

using namespace emulator::runtime;

namespace {
constexpr int greatest_priority = -5;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return call([&] {
        require(stream != nullptr);
        require(flags == cudaStreamDefault || flags == cudaStreamNonBlocking);
        *stream = create_stream(flags, std::clamp(priority, greatest_priority, 0));
    });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return call([&] {
        require(is_created_stream(stream), cudaErrorInvalidResourceHandle);
        leave_capture(stream);
        flush_printed();
        destroy_stream(stream);
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        refuse_while_capturing(stream);
        synchronise();
    });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return call([&] {
        require_stream(stream);
        refuse_while_capturing(stream);
        synchronise();
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
    return call([&] {
        require(flags != nullptr);
        *flags = stream_state(stream).flags;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return call([&] {
        require(priority != nullptr);
        *priority = stream_state(stream).priority;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
    return call([&] {
        require(id != nullptr);
        *id = stream_state(stream).id;
    });
}

// extern "C" as the headers of CUDA 12.4 do not declare it.
extern "C" cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
    return call([&] {
        require(device != nullptr);
        require_stream(stream);
        *device = 0;
    });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return call([&] {
        if (least != nullptr) *least = 0;
        if (greatest != nullptr) *greatest = greatest_priority;
    });
}

// Attributes of streams are hints on caching and scheduling.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID,
                                   const cudaStreamAttrValue* value) {
    return call([&] {
        require_stream(stream);
        require(value != nullptr);
    });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
    return call([&] {
        require(value != nullptr);
        *value = {};
        if (attribute == cudaLaunchAttributePriority)
            value->priority = stream_state(stream).priority;
        if (attribute == cudaLaunchAttributeSynchronizationPolicy)
            value->syncPolicy = cudaSyncPolicyAuto;
    });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return call([&] {
        require_stream(to);
        require_stream(from);
    });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
    return call([&] {
        require_stream(stream);
        require(function != nullptr);
        perform(stream, HostCall{function, data});
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
    return call([&] {
        require_stream(stream);
        require(callback != nullptr && flags == 0);
        refuse_while_capturing(stream);
        flush_printed();
        open_managed_memory();  // it comes behind the stream's kernels
        const ProgramsCode scope(callback);
        callback(stream, cudaSuccess, data);
    });
}
