"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable

from notebook.pages.queries import Data, Numbers

_Query = Callable[[Data], list[float]]


def _step(kernel: str, before: str) -> _Query:
    """The time of a step over that of the one before it."""
    return lambda d: d.ratio(kernel, before, at="n:67108864")


def _share(kernel: str) -> _Query:
    """The bandwidth of a sum as a share of reading alone, in percent."""
    return lambda d: d.share(kernel, "read_words", "bytes_per_second", "n:67108864")


def _last_block(loads: int, per_sm: int) -> _Query:
    return _share(f"sum_last_block loads:{loads} per_sm:{per_sm}")


NUMBERS: Numbers = {
    "step_first_threads": _step("reduce_neighboured_first_threads", "reduce_neighboured"),
    "step_interleaved": _step("reduce_interleaved", "reduce_neighboured_first_threads"),
    "step_2": _step("reduce_unrolled loads:2", "reduce_interleaved"),
    "step_8": _step("reduce_unrolled loads:8", "reduce_interleaved"),
    "step_last_warp": _step("reduce_unrolled_last_warp", "reduce_unrolled loads:8"),
    "step_completely": _step("reduce_unrolled_completely", "reduce_unrolled_last_warp"),
    "step_template": _step("reduce_for_block", "reduce_unrolled_completely"),
    "step_shared": _step("reduce_shared", "reduce_unrolled_last_warp"),
    "step_shuffle": _step("reduce_shuffle", "reduce_shared"),
    "warp_barrier": lambda d: d.ratio(
        "repeat_shuffle_sums warps:1", "repeat_shared_sums barrier:warp warps:1"
    ),
    "share_atomic_thread": _share("sum_atomics per:thread"),
    "share_atomic_warp": _share("sum_atomics per:warp"),
    "share_atomic_block": _share("sum_atomics per:block"),
    "share_last_block": _last_block(4, 4),
    "share_cub": _share("cub_sum"),
    "share_2_4": _last_block(2, 4),
    "share_4_8": _last_block(4, 8),
    "share_4_16": _last_block(4, 16),
    "share_8_2": _last_block(8, 2),
    "share_8_8": _last_block(8, 8),
}
