#include "lab/device/gpu_state.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <memory>

namespace lab {
namespace {

// NVML's C interface, as far as it is used here (nvml.h: all return 0 on success).
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;
constexpr unsigned long long reason_sw_power_cap = 0x04, reason_hw_slowdown = 0x08,
                             reason_sw_thermal = 0x20, reason_hw_thermal = 0x40,
                             reason_hw_power_brake = 0x80;

template <class... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
    if (library == nullptr) return false;
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library, name));
    return function != nullptr && function(arguments...) == 0;
}

std::unique_ptr<GpuState>& instance() {
    static std::unique_ptr<GpuState> state;
    return state;
}

}  // namespace

bool GpuReading::throttled() const {
    return (throttle_reasons & (reason_sw_power_cap | reason_hw_slowdown | reason_sw_thermal |
                                reason_hw_thermal | reason_hw_power_brake)) != 0;
}

GpuState::GpuState(int pci_bus, int pci_device, int pci_domain) {
    library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    char bus_id[32];
    std::snprintf(bus_id, sizeof bus_id, "%08x:%02x:%02x.0", static_cast<unsigned>(pci_domain),
                  static_cast<unsigned>(pci_bus), static_cast<unsigned>(pci_device));
    if (!call(library_, "nvmlInit_v2") || !call(library_, "nvmlDeviceGetHandleByPciBusId_v2",
                                                static_cast<const char*>(bus_id), &device_)) {
        device_ = nullptr;
    }
}

GpuReading GpuState::read() const {
    GpuReading reading;
    if (device_ == nullptr) return reading;
    reading.known =
        call(library_, "nvmlDeviceGetClockInfo", device_, clock_sm, &reading.sm_clock_mhz) &&
        call(library_, "nvmlDeviceGetClockInfo", device_, clock_memory,
             &reading.memory_clock_mhz) &&
        call(library_, "nvmlDeviceGetCurrentClocksThrottleReasons", device_,
             &reading.throttle_reasons);
    return reading;
}

std::string GpuState::driver() const {
    char version[80] = "";
    return call(library_, "nvmlSystemGetDriverVersion", static_cast<char*>(version), 80u)
               ? version
               : "unknown";
}

std::string GpuState::mig() const {
    unsigned current = 0;
    unsigned pending = 0;
    if (device_ == nullptr ||
        !call(library_, "nvmlDeviceGetMigMode", device_, &current, &pending)) {
        return "unknown";
    }
    return current != 0 ? "on" : "off";
}

std::string GpuState::note(const std::string& slug) const {
    if (mig() != "on") return "";
    return "this is a slice of a GPU (MIG): its SMs, L2 and bandwidth are a part of the GPU's, and "
           "its results "
           "stand apart, as " +
           slug;
}

const GpuState& gpu_state(int pci_bus, int pci_device, int pci_domain) {
    instance() = std::make_unique<GpuState>(pci_bus, pci_device, pci_domain);
    return *instance();
}

const GpuState& gpu_state() { return *instance(); }

}  // namespace lab
