"""What the charts of products share."""

# The steps to cuBLAS, in the order in which each adds to the one before, and cuBLAS.
FAST: list[tuple[str, dict[str, str], str]] = [
    ("matmul_tiled", {"tile": "32"}, "tiles of 32"),
    ("matmul_thread_tiles", {"tile": "128x128"}, "8x8 thread tiles"),
    ("matmul_vectorised", {"tile": "128x128"}, "16-byte accesses"),
    ("matmul_double_buffered", {"tile": "picked"}, "double buffers"),
    ("matmul_bulk", {"tile": "picked"}, "bulk copies"),
    ("matmul_reuse", {"tile": "picked"}, "operand reuse"),
    ("matmul_balanced", {"tile": "picked"}, "divided last wave"),
    ("cublas_sgemm", {}, "cuBLAS"),
]
