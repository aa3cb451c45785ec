"""The rows of data/architectures.csv and data/gpus.csv as one table of GPUs that can be emulated.

The standard library alone: the build makes C++ of it (architecture_table.py).
"""

import re


class GpuError(Exception):
    """A row that is no GPU; the text says which and why."""


def slug(gpu: str) -> str:
    """The name that a GPU goes by: "GeForce RTX 3080" is geforce-rtx-3080."""
    words = re.sub(r"\(.*?\)|/.*", " ", gpu).lower()
    return re.sub(r"[^a-z0-9]+", "-", words).strip("-")


def merged(architectures: list[dict[str, str]], gpus: list[dict[str, str]]) -> list[dict[str, str]]:
    """A row each, named in the column `architecture`: generations first, then GPUs.

    A row of gpus.csv has what differs among the GPUs of one compute capability; the rest is that of
    the row of architectures.csv with this compute capability, the generation's own before others.
    """
    by_capability: dict[str, dict[str, str]] = {}
    rows = [row for row in architectures if row["architecture"]]
    for row in [*rows, *architectures]:
        by_capability.setdefault(row["compute_capability"], row)
    rows += [
        row | {"architecture": slug(row["gpu"])} for row in architectures if not row["architecture"]
    ]
    for gpu in gpus:
        like = by_capability.get(gpu["compute_capability"])
        if like is None:
            raise GpuError(
                f"{gpu['gpu']!r}: no row of architectures.csv has compute capability "
                f"{gpu['compute_capability']!r}"
            )
        rows.append(like | gpu | {"architecture": slug(gpu["gpu"])})
    names = [row["architecture"] for row in rows]
    for name in names:
        if names.count(name) > 1:
            raise GpuError(f"{name}: given twice")
    return rows
