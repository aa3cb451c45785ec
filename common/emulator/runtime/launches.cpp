#include "emulator/runtime/launches.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/errors.hpp"
#include "emulator/runtime/graph_capture.hpp"
#include "emulator/runtime/launch_log.hpp"
#include "emulator/runtime/predicted_time.hpp"
#include "emulator/runtime/streams.hpp"

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

std::string& printed() {
    static std::string& text = *new std::string;
    return text;
}

void check_registers(const Launch& launch, std::size_t threads) {
    const auto registers = registers_per_thread(*launch.function);
    if (!registers) return;
    const Occupancy fits = occupancy(architecture(), static_cast<unsigned>(threads), 0, registers);
    require(fits.blocks != 0, cudaErrorLaunchOutOfResources);
}

void check_residency(const Launch& launch, std::size_t threads, std::size_t shared_bytes) {
    require(device_limits().can_launch_cooperatively, cudaErrorNotSupported);
    const Occupancy fits = occupancy(architecture(), static_cast<unsigned>(threads), shared_bytes,
                                     registers_per_thread(*launch.function));
    const std::size_t blocks = std::size_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    require(blocks <= std::size_t{fits.blocks} * architecture().sm_count,
            cudaErrorCooperativeLaunchTooLarge);
}

}  // namespace

std::vector<std::byte> copy_arguments(Function& function, void** arguments) {
    const simt::KernelAttributes& kernel = function.attributes();
    std::vector<std::byte> buffer(kernel.parameter_bytes);
    require(arguments != nullptr || kernel.parameters.empty());
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const auto& [offset, bytes] = kernel.parameters[i];
        require(arguments[i] != nullptr);
        std::memcpy(buffer.data() + offset, arguments[i], bytes);
    }
    return buffer;
}

void check_launch(const Launch& launch) {
    const DeviceLimits& limit = device_limits();
    const dim3 grid = launch.grid, block = launch.block;
    const auto is_between = [](unsigned value, unsigned most) {
        return value >= 1 && value <= most;
    };
    require(is_between(grid.x, architecture().max_grid_x) && is_between(grid.y, limit.max_grid_y) &&
                is_between(grid.z, limit.max_grid_z),
            cudaErrorInvalidConfiguration);
    require(is_between(block.x, limit.max_block_x) && is_between(block.y, limit.max_block_y) &&
                is_between(block.z, limit.max_block_z),
            cudaErrorInvalidConfiguration);
    const std::size_t threads = std::size_t{block.x} * block.y * block.z;
    require(threads <= architecture().max_threads_per_block, cudaErrorInvalidConfiguration);

    Function& function = *launch.function;
    const std::size_t shared_bytes =
        function.attributes().static_shared_bytes + launch.dynamic_shared_bytes;
    require(shared_bytes <= max_shared_bytes(function), cudaErrorInvalidValue);
    require(threads <= max_threads_per_block(function), cudaErrorInvalidValue);
    check_registers(launch, threads);
    if (launch.cooperative) check_residency(launch, threads, shared_bytes);
}

void execute(const Launch& launch) {
    check_launch(launch);
    Function& function = *launch.function;
    const simt::LaunchShape shape{.grid = dimensions(launch.grid),
                                  .block = dimensions(launch.block),
                                  .dynamic_shared_bytes = launch.dynamic_shared_bytes,
                                  .cooperative = launch.cooperative};
    const auto run = [&](const timing::ClockReads* clocks) {
        return gpu().launch(function.kernel(), shape, launch.parameters,
                            registers_per_thread(function), clocks);
    };
    try {
        const simt::LaunchRecord record = execute_with_clocks(function.kernel(), run);
        printed() += record.printed;
        log_launch(launch, record, predict(record));
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

void flush_printed() {
    if (printed().empty()) return;
    std::fwrite(printed().data(), 1, printed().size(), stdout);
    printed().clear();
}

}  // namespace emulator::runtime

using namespace emulator::runtime;

namespace {

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   std::size_t shared_bytes, cudaStream_t stream, bool cooperative) {
    return call([&] {
        require_stream(stream);
        Launch launch{.function = &find_function(function),
                      .grid = grid,
                      .block = block,
                      .dynamic_shared_bytes = shared_bytes,
                      .cooperative = cooperative,
                      .parameters = {}};
        check_launch(launch);
        launch.parameters = copy_arguments(*launch.function, arguments);
        perform(stream, launch);
    });
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes, cudaStream_t stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, false);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes,
                                        cudaStream_t stream) {
    return launch(function, grid, block, arguments, shared_bytes, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
    bool cooperative = false;
    const cudaError_t error = call([&] {
        require(config != nullptr && (config->attrs != nullptr || config->numAttrs == 0));
        for (unsigned i = 0; i < config->numAttrs; ++i) {
            const cudaLaunchAttribute& attribute = config->attrs[i];
            if (attribute.id == cudaLaunchAttributeCooperative)
                cooperative = attribute.val.cooperative != 0;
            if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
            const auto& cluster = attribute.val.clusterDim;
            if (std::size_t{cluster.x} * cluster.y * cluster.z > 1) {
                throw ApiError(cudaErrorNotSupported, "kernel " +
                                                          find_function(function).demangled() +
                                                          ": clusters of blocks are not supported");
            }
        }
    });
    if (error != cudaSuccess) return error;
    return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                  config->stream, cooperative);
}
