#include "emulator/runtime/graph_capture.hpp"

#include "emulator/runtime/errors.hpp"

namespace emulator::runtime {

void perform(cudaStream_t, const Copy& copy) { execute(copy); }
void perform(cudaStream_t, const Fill& fill) { execute(fill); }
void perform(cudaStream_t, const Launch& launch) { execute(launch); }
void perform(cudaStream_t, const HostCall& host_call) {
    flush_printed();
    host_call.function(host_call.data);
}

void record_event(cudaEvent_t event, cudaStream_t) { event->is_recorded = true; }
void wait_for_event(cudaStream_t, cudaEvent_t) {}
void refuse_while_capturing(cudaStream_t) {}

}  // namespace emulator::runtime
