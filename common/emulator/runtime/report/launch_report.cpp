#include "emulator/runtime/report/launch_report.hpp"

#include <algorithm>

#include "emulator/runtime/memory/host_hazards.hpp"
#include "emulator/runtime/memory/managed.hpp"
#include "emulator/runtime/report/counters.hpp"
#include "emulator/runtime/report/failures.hpp"
#include "emulator/runtime/report/predicted_time.hpp"
#include "emulator/runtime/report/settings.hpp"
#include "emulator/simt/record/trace_recorder.hpp"

namespace emulator::runtime {
namespace {

std::uint64_t launches = 0;

[[gnu::destructor]] void finish_report() {
    report_leaks();
    if (!is_reported()) return;
    JsonLine line;
    line.begin_object().field("finished", true).field("launches", launches);
    line.key("unnoticed").begin_array();
    for (const std::uint64_t number : unnoticed_failures()) line.value(number);
    line.end_array().end_object();
    write_report(line);
}

const char* text(simt::AccessSpace space) {
    switch (space) {
        case simt::AccessSpace::global:
            return "global";
        case simt::AccessSpace::shared:
            return "shared";
        case simt::AccessSpace::local:
            return "local";
        case simt::AccessSpace::constant:
            return "constant";
        case simt::AccessSpace::texture:
            return "texture";
        case simt::AccessSpace::surface:
            return "surface";
    }
    return "";
}

const char* text(const simt::SiteRecord& site) {
    switch (site.kind) {
        case AccessKind::load:
            return "load";
        case AccessKind::store:
            return "store";
        case AccessKind::atomic:
            return site.is_reduction ? "reduction" : "atomic";
    }
    return "";
}

void add_place(JsonLine& line, const simt::Module& module, const ptx::SourceLocation& location) {
    const ptx::Module& source = simt::source_of(module);
    const ptx::SourceLocation place = simt::place_in_program(module, location);
    if (place.line != 0 && place.file < source.files.size()) {
        line.field("file", source.files[place.file]).field("line", place.line);
    } else {
        line.key("file").null().key("line").null();
    }
    if (place.inlined_at >= 0)
        line.field("inlined_at", simt::text(module, source.inlined_at[place.inlined_at].first));
    const bool is_caller = place.file != location.file || place.line != location.line;
    if (is_caller || simt::is_of_library(module, place))
        line.field("header", simt::text(module, location));
}

void add_site(JsonLine& line, const simt::Module& module, const simt::SiteRecord& site) {
    const AccessCounters& count = site.counters;
    line.begin_object();
    add_place(line, module, site.location);
    line.field("space", text(site.space))
        .field("kind", text(site))
        .field("spill", site.is_spill)
        .field("bytes", site.bytes_per_lane);
    line.field("requests", count.requests)
        .field("sectors", count.sectors)
        .field("lines", count.lines);
    if (count.moved_bytes == 0) {
        line.key("efficiency").null();
    } else {
        line.field("efficiency", 100.0 * static_cast<double>(count.distinct_bytes) /
                                     static_cast<double>(count.moved_bytes));
    }
    line.field("lane_bytes", count.lane_bytes).field("distinct_bytes", count.distinct_bytes);
    line.field("moved_bytes", count.moved_bytes);
    line.field("l1_hit_sectors", count.l1_hit_sectors).field("wavefronts", count.wavefronts);
    line.field("bank_conflicts", count.bank_conflicts).end_object();
}

void add_source_line(JsonLine& line, const simt::Module& module, const simt::LineRecord& record) {
    line.begin_object();
    add_place(line, module, record.location);
    line.field("warp_instructions", record.warp_instructions);
    line.field("thread_instructions", record.thread_instructions);
    line.field("divergent_branches", record.divergent_branches).end_object();
}

void add_prediction(JsonLine& line, const simt::Module& module, const simt::LaunchRecord& record,
                    const timing::Prediction& prediction) {
    line.key("predicted").begin_object().field("seconds", prediction.seconds);
    line.field("bound", timing::text(prediction.bound)).key("shares").begin_object();
    for (std::size_t i = 0; i < timing::bound_count; ++i) {
        const auto bound = static_cast<timing::Bound>(i);
        if (bound != timing::Bound::latency) line.field(timing::text(bound), prediction.shares[i]);
    }
    line.end_object().key("stalls").begin_array();
    for (std::size_t i = 0; i < record.recorded->lines.size(); ++i) {
        const auto& stalls = prediction.stalls[i];
        if (std::ranges::all_of(stalls, [](double cycles) { return cycles == 0; })) continue;
        line.begin_object();
        add_place(line, module, record.recorded->lines[i]);
        for (std::size_t reason = 1; reason < timing::stall_count; ++reason)
            line.field(timing::text(static_cast<timing::Stall>(reason)), stalls[reason]);
        line.end_object();
    }
    line.end_array().end_object();
}

void add_texts(JsonLine& line, const char* name, const std::vector<std::string>& texts) {
    line.key(name).begin_array();
    for (const std::string& entry : texts) line.value(entry);
    line.end_array();
}

void add_size(JsonLine& line, const char* name, const dim3& size) {
    line.key(name).begin_array().value(size.x).value(size.y).value(size.z).end_array();
}

void add_launch(JsonLine& line, const Launch& launch) {
    const simt::KernelAttributes& kernel = launch.function->attributes();
    line.field("launch", ++launches).field("kernel", launch.function->demangled());
    add_size(line, "grid", launch.grid);
    add_size(line, "block", launch.block);
    line.field("static_shared_bytes", kernel.static_shared_bytes);
    line.field("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    line.field("parameter_bytes", kernel.parameter_bytes);
    if (const ptx::KernelResources* const resources = launch.function->resources()) {
        line.field("registers_per_thread", resources->registers);
        line.field("registers_from", launch.function->program->compiler());
        line.field("spill_bytes", resources->spill_store_bytes + resources->spill_load_bytes);
    } else {
        line.key("registers_per_thread").null().key("registers_from").null();
        line.field("registers_unknown", launch.function->program->why_not_compiled());
        line.key("spill_bytes").null();
    }
}

}  // namespace

void report_launch(const Launch& launch, const simt::LaunchRecord& record,
                   const std::optional<timing::Prediction>& prediction) {
    if (!is_reported()) return;
    const simt::Module& module = *launch.function->program->module();
    JsonLine line;
    line.begin_object();
    add_launch(line, launch);
    line.key("occupancy").begin_object().field("percent", record.occupancy.percent);
    line.field("blocks_per_sm", record.occupancy.blocks);
    line.field("limit", emulator::text(record.occupancy.limit)).end_object();
    line.key("counters").begin_object();
    for (const auto& [name, value] : reported_counters(record, settings().options.model_caches)) {
        line.field(name, value);
    }
    line.end_object();
    line.field("blocks", record.blocks).field("blocks_executed", record.blocks_executed);
    line.field("sampling_error", record.sampling_error);
    add_texts(line, "notes", record.notes);
    add_texts(line, "hazards", record.hazards);
    line.field("host_seconds", record.host_seconds);
    if (prediction) {
        line.field("managed_bytes", move_managed_pages(record));
        line.field("host_bytes", accessed_host_bytes(record));
        add_prediction(line, module, record, *prediction);
    }
    line.key("sites").begin_array();
    for (const simt::SiteRecord& site : record.sites) add_site(line, module, site);
    line.end_array().key("source").begin_array();
    for (const simt::LineRecord& entry : record.lines) add_source_line(line, module, entry);
    line.end_array().end_object();
    write_report(line);
}

void report_failure(const Launch& launch, const std::string& error) {
    if (!is_reported()) return;
    JsonLine line;
    line.begin_object().field("launch", ++launches).field("kernel", launch.function->demangled());
    line.field("error", error).end_object();
    write_report(line);
}

}  // namespace emulator::runtime
