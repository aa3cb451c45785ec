"""What can be known of a launch: its time, its rates (the ratios are to the rate of a reference
timed beside it), and the counters of the device.

The counters have the same names from the emulator and from Nsight Compute.
"""

RATES = (
    "bytes_per_second",
    "flops_per_second",
    "items_per_second",  # dependent loads, blocks, launches: what a chapter says that it counts
    "memcpy_ratio",
    "cublas_ratio",
)
# The effective bandwidth in percent of the device's theoretical one.
PEAK_PERCENT = "peak_percent"
# Between host and device, around a launch: rows of a GPU bring these along, as the program copied
# or as the driver reported. All other counters of a GPU come from a profiler.
MOVED = ("bytes_to_device", "bytes_to_host", "cpu_page_faults", "gpu_page_fault_groups")
COUNTERS = (
    "flops_per_loaded_byte",
    "load_requests",
    "load_sectors",
    "load_lines",
    "load_efficiency",
    "nvprof_gld_efficiency",
    "store_requests",
    "store_sectors",
    "store_lines",
    "store_efficiency",
    "nvprof_gst_efficiency",
    "l1_hit_sectors",
    "l2_read_sectors",
    "l2_read_sectors_least",
    "l2_read_sectors_most",
    "l2_write_sectors",
    "l2_write_sectors_least",
    "l2_write_sectors_most",
    "dram_read_bytes",
    "dram_write_bytes",
    "shared_load_requests",
    "shared_load_wavefronts",
    "shared_load_bank_conflicts",
    "shared_store_requests",
    "shared_store_wavefronts",
    "shared_store_bank_conflicts",
    "shared_atomic_requests",
    "shared_atomic_wavefronts",
    "shared_atomic_bank_conflicts",
    "atomic_requests",
    "atomic_sectors",
    "reduction_requests",
    "reduction_sectors",
    "local_load_requests",
    "local_load_sectors",
    "local_store_requests",
    "local_store_sectors",
    "texture_load_requests",
    "texture_load_sectors",
    "warp_instructions",
    "thread_instructions",
    "branches",
    "divergent_branches",
    "theoretical_occupancy",
    "achieved_occupancy",
    *MOVED,
)
METRICS = ("time", *RATES, PEAK_PERCENT, *COUNTERS)
