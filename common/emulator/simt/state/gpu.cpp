#include "emulator/simt/state/gpu.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "emulator/memory/device_memory.hpp"
#include "emulator/models/hazards/global_races.hpp"
#include "emulator/simt/decode/module.hpp"
#include "emulator/simt/record/missing_instructions.hpp"
#include "emulator/simt/record/report.hpp"
#include "emulator/simt/record/sampling.hpp"
#include "emulator/simt/record/trace_recorder.hpp"
#include "emulator/simt/warp/grid_runner.hpp"
#include "emulator/simt/warp/launch_watch.hpp"

namespace emulator::simt {
namespace {

std::string demangled(const std::string& name) {
    int status = 0;
    char* const plain = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
    const std::string result = status == 0 && plain != nullptr ? plain : name;
    std::free(plain);
    return result;
}

// The memory of cooperative groups' barrier of the grid: a size, then the barrier's word.
class GridWorkspace {
  public:
    explicit GridWorkspace(bool wanted) {
        if (!wanted) return;
        memory_ = allocate_device_memory(bytes);
        std::memset(storage_of(memory_), 0, bytes);
        mark_initialised(address(), bytes);
    }
    ~GridWorkspace() {
        if (memory_ != nullptr) release_device_memory(memory_);
    }
    GridWorkspace(const GridWorkspace&) = delete;
    GridWorkspace& operator=(const GridWorkspace&) = delete;
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(memory_); }

  private:
    static constexpr std::size_t bytes = 64;
    void* memory_ = nullptr;
};

bool exchanges_in_shared_memory(const Image& image) {
    bool loads = false, stores = false;
    for (const Image::Site& site : image.sites) {
        if (site.site.space != AccessSpace::shared) continue;
        loads |= site.site.kind == AccessKind::load;
        stores |= site.site.kind == AccessKind::store;
    }
    return loads && stores;
}

// Begins the checks of hazards, and of the order of warps in a kernel's first launch.
void begin_checks(const Kernel& kernel, Launch& launch) {
    if (launch.races != nullptr) launch.races->begin_launch();
    launch.warps_pause = launch.image.has_pauses && kernel.depends_on_warps.value_or(true);
    launch.checks_order = !kernel.depends_on_warps && launch.races == nullptr &&
                          launch.warps() > 1 && exchanges_in_shared_memory(launch.image);
}

LaunchRecord run_whole_grid(const Launch& launch) {
    const std::vector<std::unique_ptr<Worker>> workers = run_grid(launch);
    LaunchRecord record = record_of(launch, counts_of(launch, workers));
    if (launch.recorder != nullptr || launch.options.check_hazards)
        record.touched = std::make_shared<const SectorSet>(touched_by(workers));
    if (launch.recorder != nullptr) {
        record.slice_unevenness = slice_unevenness_of(launch, workers);
        record.line_updates = line_updates_by(workers);
    }
    if (launch.options.check_hazards)
        record.written = std::make_shared<const WrittenBytes>(written_by(workers));
    add_texts(workers, record);
    return record;
}

// The record of the SM that is timed, with the instructions that ptxas adds beside the PTX's.
void add_recorded(RecordedLaunch recorded, LaunchRecord& record) {
    if (record.machine_instructions && record.warp_instructions > 0)
        add_missing_instructions(recorded.ptx_instructions *
                                     static_cast<double>(*record.machine_instructions) /
                                     static_cast<double>(record.warp_instructions),
                                 recorded.trace);
    record.recorded = std::make_shared<RecordedLaunch>(std::move(recorded));
}

}  // namespace

struct Gpu::State {
    const Architecture& architecture;
    Options options;
    std::vector<TextureDescriptor> textures;
    std::uint64_t launches = 0;
    GlobalRaces races;
};

Gpu::Gpu(const Architecture& architecture, const Options& options)
    : state_(std::make_unique<State>(State{architecture, options, {}, 0, {}})) {
    if (options.check_hazards) track_initialisation();
}
Gpu::~Gpu() = default;

const Architecture& Gpu::architecture() const { return state_->architecture; }
Options& Gpu::options() { return state_->options; }
std::vector<TextureDescriptor>& Gpu::textures() { return state_->textures; }

std::shared_ptr<Module> Gpu::load(ptx::Module module, L1Mode l1_mode) {
    return std::make_shared<Module>(std::move(module), l1_mode, state_->architecture,
                                    state_->options.check_hazards);
}

LaunchRecord Gpu::launch(const Kernel& kernel, const LaunchShape& shape,
                         std::span<const std::byte> parameters,
                         std::optional<unsigned> registers_per_thread,
                         const timing::ClockReads* clocks) {
    const Architecture& architecture = state_->architecture;
    Module& module = *kernel.module;
    const Image& image = module.image(const_cast<Kernel&>(kernel));
    if (!image.traits.unsupported.empty()) throw Unsupported(image.traits.unsupported);
    module.banks = shape.widest_banks ? architecture.banks.in_widest_mode() : architecture.banks;
    const GridWorkspace workspace(shape.cooperative);
    Launch launch{.architecture = architecture,
                  .options = state_->options,
                  .module = module,
                  .image = image,
                  .kernel_name = demangled(image.kernel->source->name),
                  .shape = shape,
                  .parameters = {},
                  .started = std::chrono::steady_clock::now()};
    // Parameters lie where their generic addresses point.
    const std::size_t bytes = std::max(parameters.size(), kernel.attributes.parameter_bytes);
    std::byte* const buffer = storage_of(Module::parameter_buffer());
    std::memset(buffer, 0, bytes);
    if (!parameters.empty()) std::memcpy(buffer, parameters.data(), parameters.size());
    mark_initialised(Module::parameter_buffer(), bytes);
    launch.parameters = {buffer, bytes};
    launch.textures = &state_->textures;
    launch.shared_bytes =
        shape.dynamic_shared_bytes == 0
            ? image.static_shared_bytes
            : image.dynamic_shared_offset + static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
    launch.grid_workspace = workspace.address();
    if (clocks == nullptr) ++state_->launches;  // else it is executed again
    launch.grid_number = state_->launches;
    launch.clocks = clocks;
    launch.l1_bytes = l1_bytes(architecture, launch.threads(), launch.shared_bytes);
    const Occupancy found =
        occupancy(architecture, launch.threads(), launch.shared_bytes, registers_per_thread);
    launch.resident_blocks = std::max(1u, found.blocks * architecture.sm_count);
    if (shape.cooperative && launch.blocks() > launch.resident_blocks) {
        throw Unsupported("kernel " + launch.kernel_name + ": a cooperative launch of " +
                          std::to_string(launch.blocks()) + " blocks; at most " +
                          std::to_string(launch.resident_blocks) + " can be resident");
    }
    LaunchWatch watch(state_->options, launch.kernel_name, launch.blocks(), launch.started);
    launch.watch = &watch;
    if (state_->options.check_hazards) launch.races = &state_->races;
    begin_checks(kernel, launch);
    std::optional<TraceRecorder> recorder;
    if (state_->options.record_for_time) launch.recorder = &recorder.emplace(launch, found);
    std::optional<LaunchRecord> sampled;
    if (state_->options.sample_blocks) sampled = sample_grid(launch);
    LaunchRecord record = sampled ? std::move(*sampled) : run_whole_grid(launch);
    record.occupancy = found;
    if (launch.checks_order) kernel.depends_on_warps = record.depends_on_warps;
    if (recorder) add_recorded(recorder->finish(registers_per_thread), record);
    record.host_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - launch.started).count();
    return record;
}

}  // namespace emulator::simt
