#include "emulator/runtime/graphs/graph_capture.hpp"

#include <algorithm>
#include <map>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/launches.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/memory/host_access.hpp"
#include "emulator/runtime/report/predicted_time.hpp"

namespace emulator::runtime {

struct Capture {
    cudaGraph_t graph = nullptr;
    cudaStream_t origin = nullptr;
    unsigned long long id = 0;
    bool is_spoilt = false;
    std::vector<cudaStream_t> streams;
};

namespace {

std::map<Capture*, std::unique_ptr<Capture>>& captures() {
    static auto& result = *new std::map<Capture*, std::unique_ptr<Capture>>;
    return result;
}

bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

void join(cudaStream_t stream, Capture& capture) {
    stream_state(stream).capture = &capture;
    capture.streams.push_back(stream);
}

// The capture that work in `stream` belongs to; null: the work is done at once.
Capture* capture_of(cudaStream_t stream) {
    if (is_legacy(stream)) {
        // Its work would wait for the streams that are being captured, and they for it.
        for (const auto& [key, capture] : captures()) {
            for (const cudaStream_t captured : capture->streams) {
                if (stream_state(captured).flags == cudaStreamNonBlocking) continue;
                capture->is_spoilt = true;
                throw ApiError(cudaErrorStreamCaptureImplicit);
            }
        }
        return nullptr;
    }
    Capture* const capture = stream_state(stream).capture;
    if (capture != nullptr) require(!capture->is_spoilt, cudaErrorStreamCaptureInvalidated);
    return capture;
}

cudaMemcpy3DParms parameters_of(const Copy& copy) {
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = {const_cast<void*>(copy.from), copy.from_pitch, copy.bytes, copy.rows};
    parameters.dstPtr = {copy.to, copy.to_pitch, copy.bytes, copy.rows};
    parameters.extent = {copy.bytes, copy.rows, copy.slices};
    parameters.kind = copy.kind;
    return parameters;
}

void end(Capture& capture) {
    for (const cudaStream_t stream : capture.streams) {
        stream_state(stream).capture = nullptr;
        stream_state(stream).captured_behind.clear();
    }
    captures().erase(&capture);
}

// Whether all captured work leads to the stream in which the capture began.
bool is_joined(const Capture& capture) {
    const auto& behind = stream_state(capture.origin).captured_behind;
    std::set<cudaGraphNode_t> leaves;
    for (const auto& node : capture.graph->nodes) leaves.insert(node.get());
    for (const auto& node : capture.graph->nodes) {
        for (const cudaGraphNode_t before : node->dependencies) leaves.erase(before);
    }
    return std::all_of(leaves.begin(), leaves.end(), [&](cudaGraphNode_t leaf) {
        return std::find(behind.begin(), behind.end(), leaf) != behind.end();
    });
}

void begin(cudaStream_t stream, cudaGraph_t graph, std::vector<cudaGraphNode_t> behind) {
    static unsigned long long last_id = 0;
    require(!is_legacy(stream), cudaErrorStreamCaptureUnsupported);
    require(stream_state(stream).capture == nullptr, cudaErrorIllegalState);
    auto capture = std::make_unique<Capture>();
    capture->graph = graph;
    capture->origin = stream;
    capture->id = ++last_id;
    join(stream, *capture);
    stream_state(stream).captured_behind = std::move(behind);
    Capture* const key = capture.get();
    captures()[key] = std::move(capture);
}

}  // namespace

bool captured(cudaStream_t stream, const Work& work) {
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return false;
    std::vector<cudaGraphNode_t>& behind = stream_state(stream).captured_behind;
    behind = {add_node(*capture->graph, work, behind.data(), behind.size())};
    return true;
}

void execute(Work& work) {
    std::visit(Overloaded{[](EmptyWork&) {}, [](KernelWork& kernel) { execute(kernel.launch); },
                          [](CopyWork& copy) { execute(copy.copy); },
                          [](FillWork& fill) { execute(fill.fill); },
                          [](HostCall& host_call) {
                              flush_printed();
                              open_managed_memory();  // it comes behind the kernels before it
                              const ProgramsCode scope(host_call.function);
                              host_call.function(host_call.data);
                          },
                          [](ChildWork& child) {
                              for (const cudaGraphNode_t node : in_order(*child.graph)) {
                                  execute(node->work);
                              }
                          },
                          [](EventRecordWork& event) {
                              event.event->is_recorded = true;
                              event.event->seconds = device_seconds();
                          },
                          [](EventWaitWork&) {}, [](AllocateWork&) {}, [](FreeWork&) {}},
               work);
}

void perform(cudaStream_t stream, const Copy& copy) {
    if (captured(stream, CopyWork{copy, parameters_of(copy)})) return;
    begin_stream_work(stream);
    execute(copy);
}

void perform(cudaStream_t stream, const Fill& fill) {
    if (captured(stream, FillWork{fill})) return;
    begin_stream_work(stream);
    execute(fill);
}

void perform(cudaStream_t stream, const Launch& launch) {
    Launch in_graph = launch;
    in_graph.stream.reset();
    if (captured(stream, KernelWork{in_graph, {}})) return;
    begin_stream_work(stream);
    execute(launch);
}

void perform(cudaStream_t stream, const HostCall& host_call) {
    Work work = host_call;
    if (captured(stream, work)) return;
    begin_stream_work(stream);
    execute(work);
}

bool capture_child(cudaStream_t stream, const CUgraph_st& graph) {
    if (capture_of(stream) == nullptr) return false;
    const cudaGraph_t child = clone_graph(graph);
    child->is_child = true;
    return captured(stream, ChildWork{child});
}

void record_event(cudaEvent_t event, cudaStream_t stream) {
    event->is_recorded = true;
    event->seconds = device_seconds();
    event->synchronisations = synchronisations();
    event->behind = stream_clock(stream);
    event->capture = capture_of(stream);
    event->captured_behind.clear();
    if (event->capture != nullptr) event->captured_behind = stream_state(stream).captured_behind;
}

void wait_for_event(cudaStream_t stream, cudaEvent_t event) {
    Capture* const own = capture_of(stream);
    if (event->capture == nullptr) {
        require(own == nullptr || !event->is_recorded, cudaErrorStreamCaptureIsolation);
        wait_for_clock(stream, event->behind);
        return;
    }
    require(captures().count(event->capture) != 0, cudaErrorCapturedEvent);
    require(!is_legacy(stream), cudaErrorStreamCaptureImplicit);
    require(own == nullptr || own == event->capture, cudaErrorStreamCaptureMerge);
    if (own == nullptr) join(stream, *event->capture);
    std::vector<cudaGraphNode_t>& behind = stream_state(stream).captured_behind;
    for (const cudaGraphNode_t node : event->captured_behind) {
        if (std::find(behind.begin(), behind.end(), node) == behind.end()) behind.push_back(node);
    }
}

void refuse_while_capturing(cudaStream_t stream) {
    Capture* const capture = capture_of(stream);
    if (capture == nullptr) return;
    capture->is_spoilt = true;
    throw ApiError(cudaErrorStreamCaptureUnsupported);
}

void leave_capture(cudaStream_t stream) {
    Capture* const capture = stream_state(stream).capture;
    if (capture == nullptr) return;
    if (capture->origin == stream) refuse_while_capturing(stream);
    std::erase(capture->streams, stream);
}

void refuse_while_anything_is_captured() {
    if (captures().empty()) return;
    for (const auto& [key, capture] : captures()) capture->is_spoilt = true;
    throw ApiError(cudaErrorStreamCaptureUnsupported);
}

cudaError_t capture_info(cudaStream_t stream, const CaptureInfo& wanted) {
    return call([&] {
        const CUstream_st& state = stream_state(stream);
        require(wanted.status != nullptr);
        const Capture* const capture = state.capture;
        *wanted.status = capture == nullptr   ? cudaStreamCaptureStatusNone
                         : capture->is_spoilt ? cudaStreamCaptureStatusInvalidated
                                              : cudaStreamCaptureStatusActive;
        if (capture == nullptr) return;
        if (wanted.id != nullptr) *wanted.id = capture->id;
        if (wanted.graph != nullptr) *wanted.graph = capture->graph;
        if (wanted.dependencies != nullptr) *wanted.dependencies = state.captured_behind.data();
        if (wanted.count != nullptr) *wanted.count = state.captured_behind.size();
    });
}

cudaError_t update_capture(cudaStream_t stream, cudaGraphNode_t* dependencies, std::size_t count,
                           unsigned flags) {
    return call([&] {
        CUstream_st& state = stream_state(stream);
        require(state.capture != nullptr, cudaErrorIllegalState);
        require(dependencies != nullptr || count == 0);
        require(flags == cudaStreamAddCaptureDependencies ||
                flags == cudaStreamSetCaptureDependencies);
        if (flags == cudaStreamSetCaptureDependencies) state.captured_behind.clear();
        for (std::size_t i = 0; i < count; ++i) {
            require_node(dependencies[i]);
            state.captured_behind.push_back(dependencies[i]);
        }
    });
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    return call([&] {
        require_stream(stream);
        begin(stream, create_graph(), {});
    });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData*, std::size_t count,
                                          cudaStreamCaptureMode) {
    return call([&] {
        require_stream(stream);
        require_graph(graph);
        require(dependencies != nullptr || count == 0);
        begin(stream, graph, {dependencies, dependencies + count});
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    return call([&] {
        require(graph != nullptr);
        *graph = nullptr;
        Capture* const capture = stream_state(stream).capture;
        require(capture != nullptr, cudaErrorIllegalState);
        require(capture->origin == stream, cudaErrorStreamCaptureUnmatched);
        const bool is_spoilt = capture->is_spoilt, joined = is_joined(*capture);
        const cudaGraph_t result = capture->graph;
        end(*capture);
        require(!is_spoilt, cudaErrorStreamCaptureInvalidated);
        require(joined, cudaErrorStreamCaptureUnjoined);
        *graph = result;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return capture_info(stream, {.status = status});
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    return call([&] {
        thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
        require(mode != nullptr);
        std::swap(*mode, current);
    });
}
