"""Which chart belongs to which figure."""

from collections.abc import Callable

from notebook.charts import products, reads, threads, transposes
from notebook.charts.evidence import Facts
from notebook.charts.marks import Chart

CHARTS: dict[str, Callable[[Facts], Chart]] = {
    "01_access_patterns": reads.access_patterns,
    "02_misaligned_reads": reads.misaligned_reads,
    "03_l1_cache": reads.l1_cache,
    "04_read_only_cache": reads.read_only_cache,
    "05_misaligned_writes": reads.misaligned_writes,
    "06_aos_soa": threads.aos_soa,
    "07_unroll4": threads.unroll4,
    "08_block_size": threads.block_size,
    "09_transpose_bounds": transposes.transpose_bounds,
    "10_transpose_naive": transposes.transpose_naive,
    "11_transpose_unroll4": transposes.transpose_unroll4,
    "12_transpose_diagonal": transposes.transpose_diagonal,
    "13_transpose_thin_blocks": transposes.transpose_thin_blocks,
    "14_transpose_shared": transposes.transpose_shared,
    "15_bank_conflicts": products.bank_conflicts,
    "16_matmul_naive": products.matmul_naive,
    "17_matmul_tiled": products.matmul_tiled,
    "18_matmul_tile_width": products.matmul_tile_width,
    "19_matmul_fast": products.matmul_fast,
    "20_unified_memory": products.unified_memory,
}
