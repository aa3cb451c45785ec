"""The compute capabilities that a campaign is compiled for, from the names of its GPUs."""

import re
from collections.abc import Iterable

from notebook.base.project import Project
from notebook.data import devices
from notebook.fleet.kinds import Kind

# As the build's option gpu_targets has it: the GPUs of the machine that builds.
NATIVE = "native"


def of(project: Project, kinds: Iterable[Kind]) -> str:
    """For the build's option gpu_targets: `80,90`. A GPU that its name does not tell adds `native`;
    emulated GPUs run PTX and need nothing.
    """
    capabilities = {of_kind(project, kind) or NATIVE for kind in kinds if not kind.is_emulated}
    return ",".join(sorted(capabilities, key=lambda name: (len(name), name)))


def of_kind(project: Project, kind: Kind) -> str:
    """`80` for gpu:a100, whose compute capability is 8.0; "" where the name of the resource does not tell.

    Administrators name the same GPU a100, nvidia_a100-sxm4-80gb or rtx_3090. Words behind the model, as
    those of a MIG instance, are left out until the rest is the name of known GPUs of one compute capability.
    """
    name = kind.gres.partition(":")[2].lower()
    words = [word for word in re.split(r"[^a-z0-9]+", name) if word and word != "nvidia"]
    while any(character.isdecimal() for word in words for character in word):
        if capabilities := _capabilities(project, "".join(words)):
            return capabilities.pop().replace(".", "") if len(capabilities) == 1 else ""
        words.pop()
    return ""


def _capabilities(project: Project, name: str) -> set[str]:
    """The compute capabilities of the known GPUs in whose names some words, joined, are this one."""
    return {
        row["compute_capability"]
        for row in devices.emulable(project).values()
        if name in _parts(row["gpu"])
    }


def _parts(gpu: str) -> set[str]:
    """`RTX A6000`: rtx, a6000, rtxa6000."""
    words = re.findall(r"[a-z0-9]+", gpu.lower())
    ends = range(len(words) + 1)
    return {"".join(words[start:end]) for start in ends for end in ends if start < end}
