"""The kinds of GPU that a cluster offers, real and emulated."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from notebook.base.errors import WRONG_USAGE, Problem
from notebook.base.project import Project
from notebook.base.text import close_matches, plain
from notebook.data import devices

# A generic resource of Slurm: gpu, gpu:a100. An administrator may also offer `emulated:fermi`.
_GRES = re.compile(r"(?P<name>gpu|emulated)(?::(?P<type>[A-Za-z0-9][A-Za-z0-9_.-]{0,62}))?")


@dataclass(frozen=True)
class Kind:
    """One kind of GPU: the resource that its jobs ask for ("" for none), and what they run on."""

    gres: str
    device: str

    @property
    def name(self) -> str:
        """Names files and jobs: `gpu-a100`, `emulated-fermi`."""
        words = self.gres if self.device == "gpu" else self.device
        return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")

    @property
    def tree(self) -> str:
        """The tree that it is built in: emulated GPUs run on any node alike."""
        return "emulated" if self.is_emulated else self.name

    @property
    def is_emulated(self) -> bool:
        return self.device != "gpu"


@dataclass(frozen=True)
class Offer:
    """How many of a resource a cluster has, and where."""

    gres: str
    on_nodes: dict[str, int]
    partitions: tuple[str, ...]

    @property
    def count(self) -> int:
        return sum(self.on_nodes.values())


def offers(lines: Iterable[str]) -> list[Offer]:
    """From `sinfo --noheader --Node --format=%N|%P|%G`, a line for each node and partition."""
    nodes: dict[str, dict[str, int]] = {}
    partitions: dict[str, set[str]] = {}
    for line in lines:
        node, partition, resources = ([*line.split("|"), "", ""])[:3]
        for gres, count in _resources(resources):
            nodes.setdefault(gres, {})[node] = count
            partitions.setdefault(gres, set()).add(partition.rstrip("*"))
    return [
        Offer(gres, on_nodes, tuple(sorted(partitions[gres])))
        for gres, on_nodes in sorted(nodes.items())
    ]


def _resources(text: str) -> list[tuple[str, int]]:
    """`gpu:a100:8(S:0-1),emulated:fermi:1` as resources with their counts."""
    without_sockets = re.sub(r"\([^)]*\)", "", text)
    resources = []
    for resource in without_sockets.split(","):
        *words, count = resource.split(":")
        gres = ":".join(words)
        if count.isdecimal() and int(count) > 0 and _GRES.fullmatch(gres):
            resources.append((gres, int(count)))
    return resources


def chosen(
    project: Project, offered: list[Offer], gres: str | None, emulated: str | None
) -> list[Kind]:
    """The kinds that the options name; every GPU of the cluster if they name none."""
    if gres is None and emulated is None:
        kinds = [_kind(project, offer.gres) for offer in offered]
        if not kinds:
            raise Problem(
                "the cluster offers no GPU (sinfo shows no gres); "
                "name one with --gres, or use --emulated all"
            )
        return kinds
    kinds = [_asked_for(project, offered, word) for word in _words(gres)]
    return list(dict.fromkeys([*kinds, *_emulated(project, emulated)]))


def _asked_for(project: Project, offered: list[Offer], word: str) -> Kind:
    names = [offer.gres for offer in offered]
    if not _GRES.fullmatch(word):
        raise Problem(f"--gres: '{plain(word)}' is not like gpu:a100", WRONG_USAGE)
    if word not in names:
        raise Problem(
            f"--gres: the cluster offers no '{word}'; {close_matches(word, names)}", WRONG_USAGE
        )
    return _kind(project, word)


def _kind(project: Project, gres: str) -> Kind:
    name, _, type_ = gres.partition(":")
    if name == "gpu":
        return Kind(gres, "gpu")
    return Kind(gres, str(devices.parse_target(project, f"emulated:{type_}")))


def _emulated(project: Project, text: str | None) -> list[Kind]:
    words = devices.architectures(project) if text == "all" else _words(text)
    names = [word.removeprefix("emulated:").removeprefix("emulated-") for word in words]
    return [Kind("", str(devices.parse_target(project, f"emulated:{name}"))) for name in names]


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]
