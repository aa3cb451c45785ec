"""Numbers of page.md that no claim has: queries of the tracked data."""

from notebook.pages.queries import Data, Numbers

_ALIGNED, _MISALIGNED = "write_offset offset:0", "write_offset offset:11"
_COLD, _WARM = "cache:cold", "cache:warm"


def _separate_parts(d: Data, kernel: str) -> list[float]:
    """The second parts of shared sectors that reach the L2, in percent of all."""
    whole, both = (
        d.of(f"{kernel} offset:{offset} n:67108864 {_COLD}", "l2_write_sectors")
        for offset in (0, 11)
    )
    # One sector in four is shared.
    return [400 * (one / other - 1) for one, other in zip(both, whole, strict=True)]


NUMBERS: Numbers = {
    "late_in_dram": lambda d: d.more(_MISALIGNED, _ALIGNED, at=_COLD),
    "gap": lambda d: d.ratio("write_lanes lanes:0-20", _MISALIGNED, at=_COLD),
    "rest": lambda d: d.ratio("write_lanes lanes:21-31 offset:11", _MISALIGNED, at=_COLD),
    "more_stored": lambda d: d.more(_MISALIGNED, _ALIGNED, "store_sectors"),
    "separate": lambda d: _separate_parts(d, "write_offset"),
    "merged_fills": lambda d: [100 - part for part in _separate_parts(d, "fill_offset")],
    "warm_read": lambda d: d.more("read_offset offset:11", "read_offset offset:0", at=_WARM),
    "fill": lambda d: d.of("fill_offset n:67108864"),
    "more_dram": lambda d: d.beyond("emulated-hopper", f"* {_COLD}", "dram_read_bytes", 1e-3),
}
