// The device behind the harness: a GPU (backend_gpu.cu) or the emulated one (backend_emulated.cpp).
// Every executable links one of the two; nothing above this header knows which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lab {

struct DeviceDescription {
    std::string slug;  // "nvidia-h200", "emulated-fermi": the folder of its results
    bool emulated = false;
    std::string gpu_name;
    std::string generation;
    int sm_count = 0;
    std::size_t l2_bytes = 0;
    double dram_bytes_per_second = 0;  // theoretical peak; 0 when unknown
    // Everything else that a result must be read with, for the JSON context.
    std::vector<std::pair<std::string, std::string>> provenance;
};

// What ran while a repetition was timed.
struct ClockSample {
    double sm_clock_mhz = 0;
    bool throttled = false;
};

// A counter's name (DESIGN.md section 5: load_sectors, ...) and its value.
using Counters = std::vector<std::pair<std::string, double>>;

namespace backend {

// Flags that only this device has, taken out of `arguments`; then opens the device. Throws
// UsageError for a wrong value, MissingError when there is no device.
void open(std::vector<std::string>& arguments);
const DeviceDescription& description();

void* allocate(std::size_t bytes);
void release(void* pointer) noexcept;
void copy_to_device(void* to, const void* from, std::size_t bytes);
void copy_to_host(void* to, const void* from, std::size_t bytes);
void copy_on_device(void* to, const void* from, std::size_t bytes);  // asynchronous
// Every byte becomes poison_byte: see DeviceBuffer.
constexpr unsigned char poison_byte = 0xFF;
void poison(void* pointer, std::size_t bytes);
void synchronise();

// Seconds between an event before the first and one after the last of `launches` calls.
double elapsed_seconds(const std::function<void(int index)>& launch, int launches);
std::optional<ClockSample> sample_clocks();

// What `launch` counted; nothing on a device that does not count by itself.
std::optional<Counters> counted(const std::function<void()>& launch);

}  // namespace backend
}  // namespace lab
