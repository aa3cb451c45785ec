"""What can be known of a launch: its time, its rates, and the counters of the device.

The counters have the same names from the emulator and from Nsight Compute.
"""

RATES = ("bytes_per_second", "flops_per_second")
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
    "theoretical_occupancy",
)
METRICS = ("time", *RATES, *COUNTERS)
