"""Numbers of page.md that no claim has: names, and queries of the tracked data."""

from collections.abc import Callable, Iterator

from notebook.pages.queries import Data, Numbers

_Query = Callable[[Data], list[float]]
_TYPES = ("int", "float", "int64", "double")


def _rate(spec: str, metric: str = "items_per_second") -> _Query:
    """In billions a second."""
    return lambda d: d.of(spec, metric, 1e-9)


def _global_rates() -> Iterator[tuple[str, _Query]]:
    for addresses in (1, 32, 1024, 32768):
        at = f"spread:lanes addresses:{addresses}"
        for kind in _TYPES:
            yield f"rate_{kind}_{addresses}", _rate(f"add_global type:{kind} {at}")
        yield f"rate_returning_{addresses}", _rate(f"add_global_returning {at}")


def _shared_rates() -> Iterator[tuple[str, _Query]]:
    for addresses in (1, 32, 256):
        for kind in _TYPES:
            yield (
                f"shared_{kind}_{addresses}",
                _rate(f"add_shared type:{kind} addresses:{addresses}"),
            )


def _histograms() -> Iterator[tuple[str, _Query]]:
    kernels = {
        "histogram_global": "histogram_global",
        "histogram_shared": "histogram_shared",
        "histogram_copies_4": "histogram_copies copies:4",
        "histogram_copies_16": "histogram_copies copies:16",
        "histogram_lanes": "histogram_lanes",
        "cub": "cub_histogram",
    }
    for name, kernel in kernels.items():
        for values in ("random", "same"):
            spec = f"{kernel} values:{values} n:268435456"
            yield f"{name}_{values}", _rate(spec, "bytes_per_second")


NUMBERS: Numbers = {
    **dict(_global_rates()),
    **dict(_shared_rates()),
    **dict(_histograms()),
    "rate_aggregated": _rate("add_aggregated"),
    "rate_known": _rate("add_known_counter"),
    "rate_matched_1": _rate("add_matched spread:lanes addresses:1"),
    "returning_costs": lambda d: d.less(
        "add_global_returning spread:lanes addresses:32768",
        "add_global type:int spread:lanes addresses:32768",
        "items_per_second",
    ),
    "filter_factor": lambda d: d.ratio("append_each", "append_aggregated", at="cache:cold"),
}
