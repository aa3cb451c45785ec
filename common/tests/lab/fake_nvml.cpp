// NVIDIA's management library, as far as lab/device/gpu_state.cpp calls it: a GPU whose modes and clocks the environment
// names, or which the driver does not know (FAKE_GPU=lost).
#include <cstdlib>
#include <cstring>

namespace {

unsigned number(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 0;
}

int device_itself;

}  // namespace

extern "C" {

int nvmlInit_v2() { return 0; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
    const char* gpu = std::getenv("FAKE_GPU");
    if (std::strcmp(bus_id, "00000001:02:03.0") != 0 ||
        (gpu != nullptr && std::strcmp(gpu, "lost") == 0))
        return 15;
    *device = &device_itself;
    return 0;
}

int nvmlDeviceGetClockInfo(void*, unsigned clock, unsigned* mhz) {
    *mhz = clock == 1 ? number("FAKE_SM_CLOCK") : number("FAKE_MEMORY_CLOCK");
    return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
    *reasons = number("FAKE_THROTTLE_REASONS");
    return 0;
}

int nvmlDeviceGetMigMode(void*, unsigned* current, unsigned* pending) {
    *current = *pending = number("FAKE_MIG");
    return 0;
}

int nvmlSystemGetDriverVersion(char* version, unsigned size) {
    std::strncpy(version, "580.00.01", size);
    return 0;
}

}  // extern "C"
