// Clocks, throttle reasons and modes of the GPU in use, from NVIDIA's management library (NVML).
// The library comes with the driver and is opened at run time: a machine that builds may not have it,
// and its header is no part of every toolkit installation.
#pragma once

#include <string>

namespace lab {

struct GpuReading {
    bool known = false;  // false: no NVML on this machine
    unsigned sm_clock_mhz = 0;
    unsigned memory_clock_mhz = 0;
    unsigned long long throttle_reasons = 0;  // NVML's bit mask
    // Power, thermal or hardware limits held the clocks down; idling or an application's own setting
    // do not count.
    bool throttled() const;
};

class GpuState {
  public:
    GpuState(int pci_bus, int pci_device, int pci_domain);
    GpuReading read() const;
    std::string driver() const;  // "580.159.04", or "unknown"
    std::string mig() const;     // "on", "off" or "unknown"
    // One line for the user of a slice of a GPU (MIG); "" on a whole one.
    std::string note(const std::string& slug) const;

  private:
    void* library_ = nullptr;
    void* device_ = nullptr;
};

// The first call names the GPU; gpu_state() is the same one after that.
const GpuState& gpu_state(int pci_bus, int pci_device, int pci_domain);
const GpuState& gpu_state();

}  // namespace lab
