// Chapter 20: what does unified memory cost, and where does the cost show?
//
// Source: Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4, "Matrix
//         Addition with Unified Memory": explicit copies against managed memory, blocks of 32 x 32.
//
// Variants: add_matrices/memory:M/phase:P, the phases of program.hpp, where M is
//           explicit     host and device arrays, cudaMemcpy between them; the host's are pageable
//           pinned       the same, the host's arrays page-locked (cudaMallocHost)
//           managed      cudaMallocManaged, and nothing else
//           prefetched   managed, and cudaMemPrefetchAsync before the first launch and the reading
//           kept_on_host managed, with advice: the inputs stay on the host (preferred location), and
//                        the GPU reads them over the link (accessed by)
//           Square matrices of 2^10 and 6144 rows: 12 and 432 MiB for all three (the L2, and DRAM). Where
//           nothing is timed, explicit copies of the smallest: bytes and the kernel's accesses are counted.
//           touch_managed, read_managed: the first launch on managed memory and the host's reading of the
//           sum, by the MiB of three matrices: faults of the GPU and of the CPU.
// Model:    an element is two 4-byte loads, one 4-byte store, one addition. Rates of the other phases:
//           initialise writes three matrices, host_sum reads two and writes one, to_device moves two,
//           read_back moves one; allocate and total have none.
// Differs:  timed by the host's clock, around phases that end with the GPU idle, so that the launch
//           itself is in them. Inputs are copied from a small table, because rand() for each element
//           would hide the memory. Every execution takes fresh memory. At the book's 2^14 rows there
//           would be 3 GiB of managed memory; we stay below 2 GiB.
#include <malloc.h>

#include <cmath>

#include "lab/experiment/chapter.hpp"
#include "problems/array_sum.hpp"
#include "program.hpp"

namespace {

constexpr std::size_t mib = 1 << 20;
constexpr std::size_t max_managed_bytes = 2048 * mib;
constexpr Memory memories[] = {Memory::explicit_copies, Memory::pinned_copies, Memory::managed,
                               Memory::prefetched, Memory::kept_on_host};

// As in Memory.
const char* text(Memory memory) {
    constexpr const char* texts[] = {"explicit", "pinned", "managed", "prefetched", "kept_on_host"};
    return texts[static_cast<int>(memory)];
}

lab::Variant phase_row(const std::shared_ptr<Program>& program, Memory memory, Shape shape,
                       const std::string& phase) {
    const double matrix_bytes = static_cast<double>(shape.bytes()) / 3;
    const bool is_launch = phase == "first_touch" || phase == "kernel";
    // The other phases have counters: bytes that move.
    const bool is_time = phase == "allocate" || phase == "initialise" || phase == "host_sum" ||
                         phase == "first_touch";
    return {
        .name = lab::variant_name("add_matrices", {{"memory", text(memory)},
                                                   {"phase", phase},
                                                   {"rows", shape.rows},
                                                   {"columns", shape.columns}}),
        .bytes = phase == "total" || phase == "allocate" ? 0
                 : phase == "to_device"                  ? 2 * matrix_bytes
                 : phase == "read_back"                  ? matrix_bytes
                                                         : 3 * matrix_bytes,
        .flops = is_launch ? static_cast<double>(shape.size()) : 0,
        .working_set_bytes = shape.bytes(),
        .check = [=] { program->rehearse(); },
        .timed = [=] { return program->seconds(phase); },
        .counters = [=] { return program->counters(phase); },
        .migrates = is_managed(memory),
        .evidence = is_time ? lab::Evidence::measured : lab::Evidence::counted,
    };
}

// The second launch. Where the arrays stay on the device, it is shown to what counts launches: emulator and profilers.
lab::Variant kernel_row(const std::shared_ptr<Program>& program, Memory memory, Shape shape) {
    lab::Variant row = phase_row(program, memory, shape, "kernel");
    if (memory != Memory::explicit_copies) return row;
    const lab::Variant launched =
        lab::ArraySum(shape.size())
            .row(row.name, 0, lab::Cache::warm,
                 [=](const float* a, const float* b, float* c, std::size_t, std::size_t) {
                     launch_add_matrices(a, b, c, shape);
                 });
    row.prepare = launched.prepare;
    row.launch = launched.launch;
    // The program launches twice by itself: only after the launch that a profiler looks into.
    row.check = [compare = launched.check, rehearse = row.check] {
        compare();
        rehearse();
    };
    return row;
}

// Rows of each matrix: --total-mib= asks for one size.
std::vector<std::size_t> sizes_of(bool measures, std::optional<unsigned> total_mib) {
    if (total_mib) {
        const double elements = static_cast<double>(*total_mib * mib) / (3 * sizeof(float));
        return {static_cast<std::size_t>(std::sqrt(elements)) / 32 * 32};
    }
    return measures ? std::vector<std::size_t>{1 << 10, 6144} : std::vector<std::size_t>{1 << 10};
}

// Stops where the device's memory or the limit of managed memory would not do.
void require_memory(const lab::Experiment& experiment, const std::vector<std::size_t>& sizes) {
    // The program's own, one at a time, and what the launches that count hold on to.
    const std::size_t largest = Shape{sizes.back(), sizes.back()}.bytes();
    std::size_t needed = largest;
    for (const std::size_t size : sizes) needed += Shape{size, size}.bytes();
    experiment.require_memory(needed, "ask for less with --total-mib=");
    if (largest > max_managed_bytes) {
        lab::stop(lab::exit_wrong_usage, "--total-mib=" + std::to_string(largest / mib) +
                                             ": managed memory is held to " +
                                             std::to_string(max_managed_bytes / mib) + " MiB");
    }
}

std::vector<lab::Variant> phases(Memory memory, Shape shape) {
    const auto program = std::make_shared<Program>(memory, shape);
    std::vector<lab::Variant> rows = {kernel_row(program, memory, shape)};
    for (const char* phase :
         {"allocate", "initialise", "host_sum", "to_device", "first_touch", "read_back", "total"}) {
        if (std::string(phase) == "to_device" && memory == Memory::managed) continue;
        rows.push_back(phase_row(program, memory, shape, phase));
    }
    return rows;
}

// Faults against bytes: a phase of the program on managed memory, by size.
lab::Variant faults_of(const char* name, const char* phase, std::size_t side) {
    const Shape shape{side, side};
    const auto program = std::make_shared<Program>(Memory::managed, shape);
    lab::Variant row = phase_row(program, Memory::managed, shape, phase);
    row.name = lab::variant_name(name, {{"mib", shape.bytes() / mib}});
    return row;
}

}  // namespace

int main(int argc, char** argv) {
    // Memory above this size comes in fresh pages every time, and is not what was released before.
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    lab::Experiment experiment("20_unified_memory", argc, argv);
    const auto total_mib =
        experiment.option("--total-mib=", "one size: as many MiB in three matrices");
    const std::vector<std::size_t> sizes = sizes_of(experiment.measures(), total_mib);
    require_memory(experiment, sizes);
    for (const std::size_t size : sizes) {
        for (const Memory memory : memories) experiment.add(phases(memory, {size, size}));
    }
    if (!total_mib) {
        for (const std::size_t side : {1024, 2048}) {
            experiment.add({faults_of("touch_managed", "first_touch", side)});
        }
        for (const std::size_t side : {1024, 2048, 6144}) {
            experiment.add({faults_of("read_managed", "read_back", side)});
        }
    }
    // Ragged: blocks that stick out on either side, rows that begin nowhere in particular.
    for (const Shape shape :
         {Shape{1, 1}, Shape{31, 33}, Shape{1, 1009}, Shape{1009, 1}, Shape{1009, 517}}) {
        for (const Memory memory : memories) {
            experiment.add_validation(
                kernel_row(std::make_shared<Program>(memory, shape), memory, shape));
        }
    }
    return experiment.run();
}
