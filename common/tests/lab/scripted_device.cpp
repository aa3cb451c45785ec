#include "scripted_device.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "lab/measure/timed_batch.hpp"
#include "lab/program/errors.hpp"
#include "lab/validate/device_repeats.hpp"

scripted::Device& scripted::device() {
    static Device device;
    return device;
}

namespace lab::backend {

void open(std::vector<std::string>&) {}
const DeviceDescription& description() { return scripted::device().description; }

void* allocate(std::size_t bytes) { return std::malloc(bytes); }
void release(void* pointer) noexcept { std::free(pointer); }
void copy_to_device(void* to, const void* from, std::size_t bytes) {
    scripted::device().written_bytes += bytes;
    std::memcpy(to, from, bytes);
}
void copy_to_host(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void copy_on_device(void* to, const void* from, std::size_t bytes) {
    copy_to_device(to, from, bytes);
}
void poison(void* pointer, std::size_t bytes) {
    scripted::device().written_bytes += bytes;
    std::memset(pointer, poison_byte, bytes);
}
bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase) {
    const auto* const actual = static_cast<const std::byte*>(data);
    const auto* const wanted = static_cast<const std::byte*>(expected);
    for (std::size_t i = 0; i < bytes; ++i) {
        if (actual[i] != wanted[(phase + i) % period]) return false;
    }
    return true;
}
void synchronise() {}
void launch_empty(unsigned) {}
int compiled_for(const void*) { return scripted::device().compiled_for; }
std::size_t free_bytes() { return scripted::device().free_bytes; }
bool has_managed_memory() { return scripted::device().has_managed_memory; }

L2SetAside::L2SetAside(std::size_t bytes) { scripted::device().l2_set_aside_bytes = bytes; }
L2SetAside::~L2SetAside() { scripted::device().l2_set_aside_bytes = 0; }

Batch timed_batch(const std::function<void(int)>& launch, int launches, int held) {
    scripted::Device& device = scripted::device();
    device.batches.push_back({launches, held, device.l2_set_aside_bytes});
    scripted::Play play;
    if (!device.plays.empty()) {
        play = device.plays.front();
        device.plays.pop_front();
    }
    for (int i = 0; i < launches; ++i) launch(i);
    if (!play.error.empty()) throw CudaError(play.error);
    return {play.seconds_per_launch * launches, {play.sm_clock_mhz, play.throttled}};
}

ClockSample sample_clocks() { return {1234, false}; }

Counted predicted_of(const std::function<void()>& launch) {
    scripted::Device& device = scripted::device();
    device.kernel_seconds = device.busy_seconds = 0;
    launch();
    return {.counters = {},
            .predicted_seconds = device.kernel_seconds,
            .predicted_bound = "dram",
            .busy_seconds = device.busy_seconds};
}

std::optional<Counted> counted(const std::function<void()>& launch, PredictedL2) {
    if (!scripted::device().description.emulated) {
        launch();
        return std::nullopt;
    }
    ++scripted::device().executed;
    Counted result = predicted_of(launch);
    result.counters = {{"load_sectors", 7}};
    return result;
}
Counted predicted(const std::function<void()>& launch, PredictedL2) {
    ++scripted::device().sampled;
    scripted::device().is_predicting = true;
    Counted result = predicted_of(launch);
    scripted::device().is_predicting = false;
    return result;
}
bool is_predicting() { return scripted::device().is_predicting; }

}  // namespace lab::backend
