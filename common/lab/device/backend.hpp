// The device behind the harness: a GPU or an emulated one, as open() decides. Both are CUDA devices;
// above this header they differ in DeviceDescription::emulated alone.
#pragma once

#include <array>
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
    // Opened with --count-migrations: to count what moves of managed memory, and not to time.
    bool counts_migrations = false;
    std::string gpu_name;
    std::string generation;
    int sm_count = 0;
    int compute_capability = 0;                // major
    std::array<std::size_t, 3> max_grid = {};  // blocks in x, y and z
    std::size_t max_threads_per_block = 0;
    std::size_t max_shared_bytes_per_block = 0;  // where a kernel asks for it
    // Whether loads that were compiled with -dlcm=cg pass the L1 (l1:off).
    bool has_l1_off = true;
    std::size_t l2_bytes = 0;
    std::size_t max_l2_set_aside_bytes = 0;  // 0 where none can be, or nothing is timed
    double dram_bytes_per_second = 0;        // theoretical peak; 0 when unknown
    // Everything else that a result must be read with, for the JSON context.
    std::vector<std::pair<std::string, std::string>> provenance;
};

// The device's clock while something was timed.
struct ClockSample {
    double sm_clock_mhz = 0;                       // 0: unknown
    std::optional<bool> throttled = std::nullopt;  // limits of power or heat held it down
};

// Launches that were timed together.
struct Batch {
    double seconds = 0;  // of all of them
    ClockSample clocks;
};

// A counter's name (scripts/notebook/data/metrics.csv: load_sectors, ...) and its value.
using Counters = std::vector<std::pair<std::string, double>>;

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
// Whether the bytes at `data` are the `period` bytes at `expected` over and over, from the one at
// `phase` on; both in device memory.
bool repeats(const void* data, std::size_t bytes, const void* expected, std::size_t period,
             std::size_t phase);
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

// Times what `launch` launches when it is called with 0 to launches - 1. The first `held` of them wait in
// the device's queue until the last of these has been made. Throws CudaError where one of them waits
// for the device. Never called on an emulated device.
Batch timed_batch(const std::function<void(int index)>& launch, int launches, int held);
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

// The L2's content when the time of an emulated device's launches is predicted.
enum class PredictedL2 { none, cold, warm };  // none: no time is predicted
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
