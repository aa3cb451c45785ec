#include "emulator/runtime/report/launch_log.hpp"

#include <string>

#include "emulator/memory/device_memory.hpp"
#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/memory/allocations.hpp"
#include "emulator/runtime/memory/copies.hpp"
#include "emulator/runtime/report/counters.h"
#include "emulator/runtime/report/counters.hpp"
#include "emulator/runtime/report/launch_report.hpp"
#include "emulator/runtime/report/predicted_time.hpp"
#include "emulator/runtime/report/settings.hpp"
#include "emulator/version.hpp"

namespace emulator::runtime {
namespace {

#include "tables_hash.inc"

simt::LaunchRecord& totals() {
    static simt::LaunchRecord& result = *new simt::LaunchRecord;
    return result;
}

// Totals of the launches since the last reset.
struct PredictedTotals {
    double seconds = 0;
    double longest = 0;  // of one launch, whose bound is the one that is reported
    timing::Bound bound = timing::Bound::launch;
    bool is_known = false;
};
PredictedTotals& predicted_totals() {
    static PredictedTotals result;
    return result;
}

void add(const timing::Prediction& prediction) {
    PredictedTotals& totals = predicted_totals();
    totals.is_known = true;
    totals.seconds += prediction.seconds;
    if (prediction.seconds < totals.longest) return;
    totals.longest = prediction.seconds;
    totals.bound = prediction.bound;
}

}  // namespace

void log_launch(const Launch& launch, const simt::LaunchRecord& record,
                const std::optional<timing::Prediction>& prediction) {
    add_totals(totals(), record);
    if (prediction) add(*prediction);
    report_launch(launch, record, prediction);
}

void log_failure(const Launch& launch, const std::string& error) { report_failure(launch, error); }

}  // namespace emulator::runtime

using namespace emulator::runtime;

extern "C" {

void emulatedGpuVisitCounters(EmulatedGpuVisitor visit, void* context) {
    call_always([&] {
        require(visit != nullptr);
        const ProgramsCode scope(visit);
        for (const auto& [name, value] : counters_of(totals(), settings().options.model_caches)) {
            visit(context, name.c_str(), value);
        }
    });
}

void emulatedGpuResetCounters() {
    const std::lock_guard lock(api_mutex());
    totals() = emulator::simt::LaunchRecord();
    predicted_totals() = {};
    reset_busy_seconds();
}

void emulatedGpuPredictTime(int l2_state) {
    const std::lock_guard lock(api_mutex());
    predict_time(l2_state != EMULATED_GPU_NO_TIME, l2_state == EMULATED_GPU_COLD_L2 ? L2State::cold
                                                   : l2_state == EMULATED_GPU_WARM_L2
                                                       ? L2State::warm
                                                       : L2State::left_by_others);
}

void emulatedGpuSample(int wanted) {
    const std::lock_guard lock(api_mutex());
    gpu().options().sample_blocks = wanted != 0 || settings().options.sample_blocks;
    skip_device_copies(wanted != 0);
}

double emulatedGpuPredictedSeconds() {
    const std::lock_guard lock(api_mutex());
    return predicted_totals().is_known ? predicted_totals().seconds : 0;
}

const char* emulatedGpuPredictedBound() {
    const std::lock_guard lock(api_mutex());
    return predicted_totals().is_known ? timing::text(predicted_totals().bound).data() : nullptr;
}

double emulatedGpuBusySeconds() {
    const std::lock_guard lock(api_mutex());
    return busy_seconds();
}

const char* emulatedGpuProperty(const char* name) {
    const emulator::Architecture& gpu = architecture();
    const auto number = [](double value) {
        std::string text = std::to_string(value);
        return text.substr(0, text.find('.'));
    };
    static const std::pair<const char*, std::string> properties[] = {
        {"architecture", std::string(gpu.name)},
        {"generation", std::string(gpu.generation)},
        {"gpu", std::string(gpu.gpu)},
        {"year", std::to_string(gpu.year)},
        {"fetch_unit_bytes", std::to_string(gpu.fetch_unit_bytes())},
        {"dram_bytes_per_second", number(gpu.dram_bytes_per_second)},
        {"version", emulator::version},
        {"tables_sha256", tables_sha256},
        {"checks_hazards", settings().options.check_hazards ? "1" : "0"},
    };
    const char* result = nullptr;
    call_always([&] {
        const std::string_view asked = &required(name);
        for (const auto& [known, value] : properties) {
            if (asked == known) result = value.c_str();
        }
    });
    return result;
}

unsigned emulatedGpuHazardCount() {
    const std::lock_guard lock(api_mutex());
    return static_cast<unsigned>(totals().hazards.size());
}

const char* emulatedGpuHazard(unsigned i) {
    const std::lock_guard lock(api_mutex());
    return i < totals().hazards.size() ? totals().hazards[i].c_str() : nullptr;
}

void emulatedGpuMarkUninitialised(const void* pointer, std::size_t bytes) {
    call_always([&] {
        const auto address = reinterpret_cast<emulator::Address>(pointer);
        if (!emulator::in_device_memory(address)) return;
        require_accessible(pointer, bytes, true);
        emulator::mark_initialised(address, bytes, false);
    });
}

}  // extern "C"
