"""Names of many variants in few words, for cells of tables."""

from notebook.base.text import markdown_code
from notebook.data import names


def shortened(benchmarks: list[str]) -> list[str]:
    """Names without their regime, those that are alike as one: `read_offset/offset:1…7`, and
    `gather`, `gather_ldg`: `scatter:array`."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name in map(names.without_regime, benchmarks):
        alike.setdefault((names.kernel(name), *names.parameters(name)), []).append(name)
    kernels: dict[str, list[str]] = {}
    for kernel, _, parameters in (
        name.partition("/") for variants in alike.values() for name in _one_name(variants)
    ):
        kernels.setdefault(parameters, []).append(kernel)
    short_names = []
    for parameters, variants in kernels.items():
        if len(variants) == 1 and parameters:
            short_names.append(markdown_code(f"{variants[0]}/{parameters}"))
        else:
            text = ", ".join(map(markdown_code, variants))
            short_names.append(f"{text}: {markdown_code(parameters)}" if parameters else text)
    return short_names


def _one_name(alike: list[str]) -> list[str]:
    """Names of the same parameters, those that differ in one as one. Which one: what leaves fewest."""
    kernel, keys = names.kernel(alike[0]), list(names.parameters(alike[0]))
    common = alike
    for key in keys:
        groups: dict[tuple[str, ...], list[str]] = {}
        for name in alike:
            values = names.parameters(name)
            groups.setdefault(tuple(values[name] for name in keys if name != key), []).append(
                values[key]
            )
        if len(groups) < len(common):
            common = []
            for others, of_key in groups.items():
                rest = iter(others)
                parts = (f"{name}:{_runs(of_key) if name == key else next(rest)}" for name in keys)
                common.append("/".join([kernel, *parts]))
    return common


def _runs(values: list[str]) -> str:
    """`0, 1…7, 11`: three whole numbers or more that follow on each other become a run."""
    runs: list[list[str]] = []
    for value in names.naturally_sorted(set(values)):
        before = runs[-1][-1] if runs else ""
        if before.isdecimal() and value.isdecimal() and int(value) == int(before) + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{run[0]}…{run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)
