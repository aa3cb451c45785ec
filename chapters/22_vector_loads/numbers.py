"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Numbers

NUMBERS: Numbers = {
    "unrolled_instructions": lambda d: d.ratio(
        "copy_unrolled unroll:4", "copy access:16", "warp_instructions", at="block:256"
    ),
}
