// The device behind the harness: a GPU or an emulated one, as open() decides. Both are CUDA devices;
// above this header they differ in DeviceDescription::emulated alone.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/device/counts.hpp"
#include "lab/device/device_description.hpp"

namespace lab {

// The device's clock while something was timed.
struct ClockSample {
    double sm_clock_mhz = 0;                       // 0: unknown
    std::optional<bool> throttled = std::nullopt;  // limits of power or heat held it down
};

namespace backend {

// Takes the device's own flags out of `arguments` and opens CUDA's device 0. Where these flags, or a
// machine without a GPU, ask for an emulated one, the program restarts with its runtime. Throws
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

// While it lives, this part of the L2 (at most max_l2_set_aside_bytes) holds nothing but what is accessed
// as evict_last, and the rest all else. Of the whole device: one at a time. Throws CudaError.
class L2SetAside {
  public:
    explicit L2SetAside(std::size_t bytes);
    ~L2SetAside();
    L2SetAside(const L2SetAside&) = delete;
    L2SetAside& operator=(const L2SetAside&) = delete;

  private:
    bool is_set_ = false;
};

// The compute capability (major) that the device's code of a kernel was compiled for.
int compiled_for(const void* kernel);
void launch_empty(unsigned threads);  // one block of a kernel that does nothing; asynchronous

// At this moment, by the driver.
ClockSample sample_clocks();

// ---- unified memory ------------------------------------------------------------------------------
// Only where has_managed_memory(): pages that both the host and the device may touch at any time, and
// that go where they are touched. Not on an emulated GPU, which has no pages; not on Windows nor
// before Pascal, where managed memory moves whole at every launch.
bool has_managed_memory();
void* allocate_managed(std::size_t bytes);  // release() takes it back
enum class Place { host, device };
void prefetch(const void* managed, std::size_t bytes, Place to);  // asynchronous
// Advice: these pages stay in the host's memory, and the device reads them from there.
void keep_on_host(const void* managed, std::size_t bytes);
// Free device memory; of an emulated GPU, its host's.
std::size_t free_bytes();

// The managed memory that `run` moved, as the driver says: bytes_to_device, bytes_to_host,
// cpu_page_faults, gpu_page_fault_groups. `run` is executed in any case, and the device waited for;
// nothing unless the device was opened to count them, or where the driver does not report them (CUPTI
// missing, or not permitted).
std::optional<Counters> migrated(const std::function<void()>& run);

struct Counted {
    Counters counters;
    double predicted_seconds = 0;  // 0: none was predicted
    std::string predicted_bound;   // "dram": what bounds the longest launch
    double busy_seconds = 0;       // copies and fills included
};
// The counts of `launch`; nothing on a device that does not count by itself.
std::optional<Counted> counted(const std::function<void()>& launch,
                               PredictedL2 l2 = PredictedL2::none);
// On an emulated device: the time of `launch`, some of whose blocks are executed. It counts nothing.
Counted predicted(const std::function<void()>& launch, PredictedL2 l2);
// Whether `launch` of predicted() is being called: its results are not looked at, so that the buffers which it makes
// need not be filled.
bool is_predicting();

}  // namespace backend
}  // namespace lab
