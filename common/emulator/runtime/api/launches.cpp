#include "emulator/runtime/api/launches.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/runtime/api/device.hpp"
#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/api/stream_order.hpp"
#include "emulator/runtime/memory/host_access.hpp"
#include "emulator/runtime/report/launch_log.hpp"
#include "emulator/runtime/report/predicted_time.hpp"

namespace emulator::runtime {
namespace {

cudaError_t error_of(simt::FaultKind kind) {
    switch (kind) {
        case simt::FaultKind::illegal_address:
            return cudaErrorIllegalAddress;
        case simt::FaultKind::misaligned_address:
            return cudaErrorMisalignedAddress;
        case simt::FaultKind::illegal_instruction:
            return cudaErrorIllegalInstruction;
        case simt::FaultKind::assertion:
            return cudaErrorAssert;
        case simt::FaultKind::trap:
            return cudaErrorLaunchFailure;  // as an H200 reports it
        case simt::FaultKind::time_limit:
            return cudaErrorLaunchTimeout;
        case simt::FaultKind::deadlock:
            return cudaErrorLaunchTimeout;
        case simt::FaultKind::stack_overflow:
            return cudaErrorHardwareStackError;
    }
    return cudaErrorLaunchFailure;
}

simt::Dimensions dimensions(const dim3& size) { return {size.x, size.y, size.z}; }

std::string product_text(const dim3& size) {
    std::string text = std::to_string(size.x);
    if (size.y != 1 || size.z != 1) text += " x " + std::to_string(size.y);
    if (size.z != 1) text += " x " + std::to_string(size.z);
    return text;
}

std::string without_parameters(std::string kernel) {
    std::size_t at = kernel.size();
    int depth = 0;
    do {
        if (at == 0) return kernel;
        --at;
        depth += (kernel[at] == ')') - (kernel[at] == '(');
    } while (depth > 0);
    return kernel[at] == '(' ? kernel.substr(0, at) : kernel;
}

// `what`: "grid" or "block". Sizes are from 1 to `max`.
void check_size(const Launch& launch, const char* what, const dim3& size, const dim3& max) {
    const std::pair<unsigned, unsigned> dimensions[] = {
        {size.x, max.x}, {size.y, max.y}, {size.z, max.z}};
    for (std::size_t i = 0; i < std::size(dimensions); ++i) {
        const auto [value, limit] = dimensions[i];
        if (value >= 1 && value <= limit) continue;
        const std::string name = std::string(what) + "." + "xyz"[i];
        refuse_launch(launch, cudaErrorInvalidConfiguration,
                      name + " = " + std::to_string(value) +
                          (value == 0 ? ", at least 1" : ", at most " + std::to_string(limit)));
    }
}

void check_registers(const Launch& launch, std::size_t threads) {
    const auto registers = registers_per_thread(*launch.function);
    if (!registers) return;
    const Occupancy fits = occupancy(architecture(), static_cast<unsigned>(threads), 0, registers);
    if (fits.blocks != 0) return;
    refuse_launch(launch, cudaErrorLaunchOutOfResources,
                  "block " + product_text(launch.block) + " of " + std::to_string(*registers) +
                      " registers a thread = " + std::to_string(threads * *registers) +
                      " registers, at most " + std::to_string(device_limits().registers_per_block) +
                      " (" + "smaller blocks, or __launch_bounds__(" + std::to_string(threads) +
                      ") limit them)");
}

void check_shared_bytes(const Launch& launch) {
    const std::size_t fixed = launch.function->attributes().static_shared_bytes;
    const std::size_t asked = fixed + launch.dynamic_shared_bytes;
    const std::size_t most = max_shared_bytes(*launch.function);
    if (asked <= most) return;
    const std::size_t possible = device_limits().shared_bytes_per_block_opt_in;
    refuse_launch(
        launch, cudaErrorInvalidValue,
        std::to_string(asked) + " bytes of shared memory (" + std::to_string(fixed) + " static, " +
            std::to_string(launch.dynamic_shared_bytes) + " dynamic), at most " +
            std::to_string(most) +
            (most < possible
                 ? "; up to " + std::to_string(possible) +
                       " with cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)"
                 : ""));
}

void check_residency(const Launch& launch, std::size_t threads, std::size_t shared_bytes) {
    if (!device_limits().can_launch_cooperatively)
        refuse_launch(launch, cudaErrorNotSupported,
                      "cooperative launches need compute capability 6.0");
    const Occupancy fits = occupancy(architecture(), static_cast<unsigned>(threads), shared_bytes,
                                     registers_per_thread(*launch.function));
    const std::size_t blocks = std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    const std::size_t most = std::size_t{fits.blocks} * architecture().sm_count;
    if (blocks > most)
        refuse_launch(launch, cudaErrorCooperativeLaunchTooLarge,
                      std::to_string(blocks) + " blocks, at most " + std::to_string(most) +
                          " reside on the GPU at once");
}

void check_cluster(const Launch& launch) {
    const dim3 size = launch.cluster, grid = launch.grid;
    const unsigned blocks = size.x * size.y * size.z;
    if (blocks == 1) return;
    const unsigned most = max_cluster_blocks(*launch.function);
    if (most == 1)
        refuse_launch(launch, cudaErrorNotSupported, "clusters need compute capability 9.0");
    if (blocks == 0 || blocks > most)
        refuse_launch(launch, cudaErrorInvalidClusterSize,
                      "clusters of " + product_text(size) + " blocks, at most " +
                          std::to_string(most) +
                          (launch.function->non_portable_clusters
                               ? ""
                               : " (16 with cudaFuncAttributeNonPortableClusterSizeAllowed)"));
    if (grid.x % size.x != 0 || grid.y % size.y != 0 || grid.z % size.z != 0)
        refuse_launch(launch, cudaErrorInvalidClusterSize,
                      "grid " + product_text(grid) + ", which is no multiple of its clusters of " +
                          product_text(size) + " blocks");
}

}  // namespace

unsigned max_cluster_blocks(const Function& function) {
    if (!device_limits().has_clusters) return 1;
    return function.non_portable_clusters ? 16 : 8;
}

std::optional<dim3> asked_cluster(const cudaLaunchConfig_t& config) {
    std::optional<dim3> size;
    for (unsigned i = 0; i < config.numAttrs; ++i) {
        if (config.attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
        const auto& cluster = config.attrs[i].val.clusterDim;
        size = dim3(cluster.x, cluster.y, cluster.z);
    }
    return size;
}

dim3 cluster_of(Function& function, std::optional<dim3> asked) {
    const auto& own = simt::required_cluster(function.kernel());
    if (own.x == 0) return asked.value_or(dim3(1, 1, 1));
    const dim3 size(own.x, std::max(own.y, 1u), std::max(own.z, 1u));
    if (asked && (asked->x != size.x || asked->y != size.y || asked->z != size.z))
        refuse(cudaErrorInvalidClusterSize, "kernel " + without_parameters(function.demangled()) +
                                                ", clusters of " + product_text(*asked) +
                                                " blocks; its __cluster_dims__ says " +
                                                product_text(size));
    return size;
}

std::vector<std::byte> copy_arguments(Function& function, void** arguments) {
    const simt::KernelAttributes& kernel = function.attributes();
    std::vector<std::byte> buffer(kernel.parameter_bytes);
    if (kernel.parameters.empty()) return buffer;
    require(arguments != nullptr);
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const auto& [offset, bytes] = kernel.parameters[i];
        require(arguments[i] != nullptr);
        std::memcpy(buffer.data() + offset, arguments[i], bytes);
    }
    return buffer;
}

void check_launch(const Launch& launch) {
    const DeviceLimits& limit = device_limits();
    check_size(launch, "grid", launch.grid,
               {architecture().max_grid_x, limit.max_grid_y, limit.max_grid_z});
    check_size(launch, "block", launch.block,
               {limit.max_block_x, limit.max_block_y, limit.max_block_z});
    const dim3 block = launch.block;
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    const auto check_threads = [&](unsigned most, cudaError_t code, const char* whose) {
        if (threads > most)
            refuse_launch(launch, code,
                          "block " + product_text(block) + " = " + std::to_string(threads) +
                              " threads, at most " + std::to_string(most) + whose);
    };
    check_threads(architecture().max_threads_per_block, cudaErrorInvalidConfiguration, "");
    check_shared_bytes(launch);
    check_threads(max_threads_per_block(*launch.function), cudaErrorInvalidValue,
                  " by its __launch_bounds__");
    check_registers(launch, threads);
    check_cluster(launch);
    if (!launch.cooperative) return;
    const std::size_t shared_bytes =
        launch.function->attributes().static_shared_bytes + launch.dynamic_shared_bytes;
    check_residency(launch, threads, shared_bytes);
}

void refuse_launch(const Launch& launch, cudaError_t code, const std::string& why) {
    refuse(code, "kernel " + without_parameters(launch.function->demangled()) + ", " + why);
}

void execute(const Launch& launch) {
    check_launch(launch);
    Function& function = *launch.function;
    const simt::LaunchShape shape{.grid = dimensions(launch.grid),
                                  .block = dimensions(launch.block),
                                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                  .cooperative = launch.cooperative,
                                  .cluster = dimensions(launch.cluster),
                                  .widest_banks = has_widest_banks(function.shared_config)};
    const auto run = [&](const timing::ClockReads* clocks) {
        return gpu().launch(function.kernel(), shape, launch.parameters,
                            registers_per_thread(function), clocks);
    };
    try {
        const simt::LaunchRecord record = execute_with_clocks(function.kernel(), run);
        add_printed(record.printed);
        close_managed_memory(record);
        check_stream_order(launch, record);
        log_launch(launch, record, predict(record, function.demangled()));
    } catch (const simt::Fault& fault) {
        flush_printed();
        print_error(fault.what());
        log_failure(launch, fault.what());
        set_sticky_error(error_of(fault.kind));
    } catch (const simt::Unsupported& refusal) {
        log_failure(launch, refusal.what());
        throw;
    }
}

std::size_t max_shared_bytes(const Function& function) {
    const DeviceLimits& limit = device_limits();
    if (function.max_dynamic_shared_bytes < 0) {
        return std::min(limit.shared_bytes_per_block, limit.shared_bytes_per_block_opt_in);
    }
    return limit.shared_bytes_per_block_opt_in;
}

unsigned max_threads_per_block(Function& function) {
    const unsigned own = function.attributes().max_threads_per_block;
    const unsigned most = architecture().max_threads_per_block;
    return own == 0 ? most : std::min(own, most);
}

std::optional<unsigned> registers_per_thread(Function& function) {
    const ptx::KernelResources* const resources = function.resources();
    return resources == nullptr ? std::nullopt : std::optional(resources->registers);
}

}  // namespace emulator::runtime
