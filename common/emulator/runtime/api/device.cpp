#include "emulator/runtime/api/device.hpp"

#include <cstdio>
#include <memory>

#include "emulator/runtime/api/errors.hpp"
#include "emulator/runtime/report/settings.hpp"

namespace emulator::runtime {
namespace {

std::unique_ptr<simt::Gpu>& gpu_slot() {
    static std::unique_ptr<simt::Gpu>& slot = *new std::unique_ptr<simt::Gpu>;
    return slot;
}

std::string& printed() {
    static std::string& text = *new std::string;
    return text;
}

DeviceLimits limits_of(const Architecture& gpu) {
    DeviceLimits result;
    const unsigned capability = gpu.compute_number();
    if (capability < 30) result.registers_per_block = 32768;
    result.shared_bytes_per_block_opt_in = gpu.max_shared_bytes_per_block;
    if (capability >= 70) result.parameter_bytes = 32764;
    result.can_launch_cooperatively = capability >= 60;
    result.has_clusters = capability >= 90;
    return result;
}

}  // namespace

const Architecture& architecture() { return *settings().architecture; }

void reset_device() {
    gpu_slot().reset();
    limits() = Limits();
    shared_config() = cudaSharedMemBankSizeDefault;
}

simt::Gpu& gpu() {
    if (!gpu_slot()) {
        simt::Options options = settings().options;
        options.say = print_note;
        options.heap_bytes = limits().heap_bytes;
        options.stack_bytes = limits().stack_bytes;
        gpu_slot() = std::make_unique<simt::Gpu>(architecture(), options);
    }
    return *gpu_slot();
}

void require_device(int device) {
    if (device != 0)
        refuse(cudaErrorInvalidDevice,
               "device " + std::to_string(device) + ", but the only one is device 0");
}

std::string device_name() { return "Emulated " + std::string(architecture().gpu); }

const DeviceLimits& device_limits() {
    static const DeviceLimits result = limits_of(architecture());
    return result;
}

Limits& limits() {
    static Limits result;
    return result;
}

cudaSharedMemConfig& shared_config() {
    static cudaSharedMemConfig result = cudaSharedMemBankSizeDefault;
    return result;
}

bool has_widest_banks(cudaSharedMemConfig of_function) {
    return (of_function == cudaSharedMemBankSizeDefault ? shared_config() : of_function) ==
           cudaSharedMemBankSizeEightByte;
}

void require_valid(cudaSharedMemConfig config) {
    require(config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte);
}

void add_printed(const std::string& text) { printed() += text; }

void flush_printed() {
    std::fwrite(printed().data(), 1, printed().size(), stdout);
    printed().clear();
}

int refuse_call(const char* function) {
    const std::lock_guard lock(api_mutex());
    print_error(std::string(function) + " is not supported");
    return record(cudaErrorNotSupported);
}

}  // namespace emulator::runtime
