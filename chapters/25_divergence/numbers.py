"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Numbers

NUMBERS: Numbers = {
    "leaving_instructions": lambda d: d.ratio(
        "leave_early by:warp", "leave_early by:none", "warp_instructions", at="n:1048576"
    ),
}
