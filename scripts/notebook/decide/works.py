"""The works that the notebook tests: how a claim's `source` cites them, and their short names."""

OURS = "ours"
# How data/sources.csv and claims cite each of the five source texts: short name by citation.
WORKS = {
    "Cheng, Grossman, McKercher: Professional CUDA C Programming (2014), chapter 4": "Cheng 2014, ch. 4",
    "Kirk, Hwu: Programming Massively Parallel Processors, 3rd ed., section 4.2": "Kirk & Hwu, 4.2",
    "Kirk, Hwu: Programming Massively Parallel Processors, 3rd ed., section 4.5": "Kirk & Hwu, 4.5",
    "NVIDIA cuda-samples, matrixMul": "cuda-samples matrixMul",
    "NVIDIA developer training: CUDA on Arm, shared memory": "CUDA on Arm",
}


def work_of(source: str) -> str | None:
    """The citation in WORKS that a claim's `source` begins with; None for any other source."""
    return next(
        (work for work in WORKS if source == work or source.startswith((f"{work},", f"{work}:"))),
        None,
    )


def short(source: str) -> str:
    """A source as a table shows it: the short name of one of the works, else all before the first comma."""
    work = work_of(source)
    return WORKS[work] if work is not None else source.split(",")[0]
