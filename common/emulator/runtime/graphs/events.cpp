// Events. An event is complete as soon as it is recorded; it holds the device's clock, which predicted
// times of launches, copies and fills alone advance.
#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/graphs/graph_capture.hpp"
#include "emulator/runtime/report/predicted_time.hpp"
#include "emulator/runtime/report/report.hpp"

using namespace emulator::runtime;

namespace {

std::map<cudaEvent_t, std::unique_ptr<CUevent_st>>& events() {
    static auto& result = *new std::map<cudaEvent_t, std::unique_ptr<CUevent_st>>;
    return result;
}

// The one flag that a program may give, beside none, is `external`.
void require_both(cudaEvent_t event, cudaStream_t stream, unsigned flags, unsigned external) {
    require_event(event);
    require_stream(stream);
    require(flags == 0 || flags == external);
}

}  // namespace

void emulator::runtime::require_event(cudaEvent_t event) {
    require(events().count(event) != 0, cudaErrorInvalidResourceHandle);
}

void emulator::runtime::release_events() { events().clear(); }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    return call([&] {
        constexpr unsigned known =
            cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
        require(event != nullptr && (flags & ~known) == 0);
        require((flags & cudaEventInterprocess) == 0 || (flags & cudaEventDisableTiming) != 0);
        auto created = std::make_unique<CUevent_st>();
        created->flags = flags;
        *event = created.get();
        events()[*event] = std::move(created);
    });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return call([&] {
        require_event(event);
        events().erase(event);
    });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return call([&] {
        require_both(event, stream, flags, cudaEventRecordExternal);
        record_event(event, stream);
    });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return call([&] {
        require_both(event, stream, flags, cudaEventWaitExternal);
        wait_for_event(stream, event);
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return call([&] {
        require_event(event);
        require(event->capture == nullptr, cudaErrorCapturedEvent);
        synchronise();
    });
}

// Executes what is behind it: there is no event that has not come to pass.
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return call([&] {
        require(milliseconds != nullptr);
        for (const cudaEvent_t event : {start, end}) {
            require_event(event);
            if (!event->is_recorded)
                refuse(cudaErrorInvalidResourceHandle, event == start
                                                           ? "the first event was not recorded"
                                                           : "the second event was not recorded");
            if ((event->flags & cudaEventDisableTiming) != 0)
                refuse(cudaErrorInvalidResourceHandle,
                       "an event was created with cudaEventDisableTiming");
            require(event->capture == nullptr, cudaErrorCapturedEvent);
        }
        if (end->synchronisations == synchronisations())
            report_note(
                "cudaEventElapsedTime is called before the program has waited for the event: a GPU "
                "answers \"device not ready\" while the work is not done; call "
                "cudaEventSynchronize first");
        synchronise();
        if (!predicts_time()) {
            print_note_once(
                "cudaEventElapsedTime gives 0 ms; with EMULATED_GPU_TIME=1 it gives the time that "
                "the model of the emulated GPU predicts");
        }
        *milliseconds = static_cast<float>(1e3 * (end->seconds - start->seconds));
    });
}
