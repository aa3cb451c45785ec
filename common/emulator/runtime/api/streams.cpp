#include "emulator/runtime/api/streams.hpp"

#include <map>
#include <memory>

#include "emulator/runtime/api/errors.hpp"

namespace emulator::runtime {
namespace {

std::map<cudaStream_t, std::unique_ptr<CUstream_st>>& streams() {
    static auto& result = *new std::map<cudaStream_t, std::unique_ptr<CUstream_st>>;
    return result;
}

bool is_default(cudaStream_t stream) {
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

bool is_created_stream(cudaStream_t stream) { return streams().count(stream) != 0; }

bool is_stream(cudaStream_t stream) { return is_default(stream) || is_created_stream(stream); }

void require_stream(cudaStream_t stream) {
    require(is_stream(stream), cudaErrorInvalidResourceHandle);
}

CUstream_st& stream_state(cudaStream_t stream) {
    static CUstream_st& legacy = *new CUstream_st{.id = 1};
    static CUstream_st& per_thread = *new CUstream_st{.id = 2};
    require_stream(stream);
    if (stream == cudaStreamPerThread) return per_thread;
    return is_default(stream) ? legacy : *stream;
}

cudaStream_t create_stream(unsigned flags, int priority) {
    static unsigned long long last_id = 2;  // 1 and 2: the default streams
    auto created = std::make_unique<CUstream_st>();
    created->flags = flags;
    created->priority = priority;
    created->id = ++last_id;
    const cudaStream_t stream = created.get();
    streams()[stream] = std::move(created);
    return stream;
}

void destroy_stream(cudaStream_t stream) { streams().erase(stream); }

void release_streams() { streams().clear(); }

}  // namespace emulator::runtime
