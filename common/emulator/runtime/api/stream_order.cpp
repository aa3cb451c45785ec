#include "emulator/runtime/api/stream_order.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/memory/written_bytes.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/streams.hpp"
#include "emulator/runtime/memory/host_access.hpp"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/runtime/report/report.hpp"

namespace emulator::runtime {
namespace {

constexpr unsigned long long default_stream = 1;
constexpr std::size_t max_launches = 64;  // that are compared with a new one

struct Stream {
    StreamClock clock;
    bool is_blocking = true;  // it waits for the default stream
};

struct Launched {
    unsigned long long stream = 0;
    std::uint64_t number = 0;  // in its stream
    std::string kernel;
    std::shared_ptr<const WrittenBytes> written;
    std::shared_ptr<const SectorSet> touched;
};

struct State {
    std::map<unsigned long long, Stream> streams;
    std::deque<Launched> launches;                       // that the host has not waited for
    std::set<std::pair<std::string, std::string>> said;  // of these kernels
    std::uint64_t synchronisations = 0;
};
State& state() {
    static State& result = *new State;
    return result;
}

void advance(StreamClock& clock, const StreamClock& other) {
    for (const auto& [stream, number] : other) clock[stream] = std::max(clock[stream], number);
}

std::string place_text(Address sector) {
    const auto allocation = allocation_at_or_below(sector);
    return "byte " + std::to_string(sector - allocation->begin) + " of an allocation of " +
           std::to_string(allocation->bytes) + " bytes";
}

void report_race(const Launched& earlier, const Launched& later) {
    auto sector = earlier.written->whole_sector_in(*later.touched);
    const bool writes_first = sector.has_value();
    if (!sector) sector = later.written->whole_sector_in(*earlier.touched);
    if (!sector || !state().said.emplace(earlier.kernel, later.kernel).second) return;
    Failure call = call_at_hand();
    call.function.clear();
    report_hazard("kernel " + later.kernel + (writes_first ? " accesses " : " writes ") +
                      place_text(*sector) + ", which kernel " + earlier.kernel +
                      (writes_first ? " writes" : " accesses") +
                      " in another stream, and neither waits for the other (cudaStreamWaitEvent)",
                  call);
}

}  // namespace

void begin_stream_work(cudaStream_t stream) {
    const CUstream_st& its = stream_state(stream);
    Stream& mine = state().streams[its.id];
    mine.is_blocking = its.flags != cudaStreamNonBlocking;
    if (its.id == default_stream) {
        for (const auto& [number, other] : state().streams) {
            if (other.is_blocking) advance(mine.clock, StreamClock(other.clock));
        }
    } else if (mine.is_blocking) {
        advance(mine.clock, state().streams[default_stream].clock);
    }
    ++mine.clock[its.id];
}

StreamClock stream_clock(cudaStream_t stream) {
    begin_stream_work(stream);
    return state().streams[stream_state(stream).id].clock;
}

void wait_for_clock(cudaStream_t stream, const StreamClock& clock) {
    begin_stream_work(stream);
    advance(state().streams[stream_state(stream).id].clock, clock);
}

void check_stream_order(const Launch& launch, const simt::LaunchRecord& record) {
    // The order within a graph is not followed.
    if (!launch.stream) return forget_launches_in_streams();
    if (record.written == nullptr || record.touched == nullptr) return;
    StreamClock& clock = state().streams[*launch.stream].clock;
    const Launched later{*launch.stream, clock[*launch.stream], launch.function->demangled(),
                         record.written, record.touched};
    for (const Launched& earlier : state().launches) {
        if (clock[earlier.stream] < earlier.number) report_race(earlier, later);
    }
    state().launches.push_back(later);
    if (state().launches.size() > max_launches) state().launches.pop_front();
}

void forget_launches_in_streams() { state().launches.clear(); }

void synchronise() {
    ++state().synchronisations;
    forget_launches_in_streams();
    flush_printed();
    open_managed_memory();
    if (sticky_error() != cudaSuccess) throw ApiError(sticky_error());
}

std::uint64_t synchronisations() { return state().synchronisations; }

}  // namespace emulator::runtime
