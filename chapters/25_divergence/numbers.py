"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from notebook.pages.queries import Data, Numbers


def _loop_instructions(d: Data) -> list[float]:
    """How far counted instructions of loops are from measured ones, in percent."""
    hopper = d.on("emulated-hopper")
    return [
        100 * abs(counted / measured - 1)
        for spec in (
            "two_paths",
            "two_paths_selected",
            "leave_early",
            "loop_lengths",
            "switch_paths",
        )
        for name in d.names(f"{spec} n:131072")
        if (measured := d.value(name, "warp_instructions"))
        and (counted := hopper.value(name, "warp_instructions"))
    ]


NUMBERS: Numbers = {
    "leaving_instructions": lambda d: d.ratio(
        "leave_early by:warp", "leave_early by:none", "warp_instructions", at="n:1048576"
    ),
    "loop_instructions": _loop_instructions,
}
