"""The output of tasks, here. Where no file system is shared it is fetched from the nodes, once."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from notebook.base import files
from notebook.base.errors import Malformed, Problem
from notebook.fleet import slurm
from notebook.fleet.campaign import Campaign, Task

_LARGEST = 96 * 2**20
_SECONDS_BEFORE_ASKING_AGAIN = 60.0


@dataclass
class Fetcher:
    """Asks each node for the output of its ended tasks, all of them at a time, and a busy one not too often."""

    _busy_until: dict[str, float] = field(default_factory=dict)

    def fetch(self, campaign: Campaign, ended: list[Task]) -> dict[str, Problem]:
        """Fetches what is not here yet; why a node gave nothing, by node: slurm.Busy, or another Problem."""
        by_node: dict[str, list[Task]] = {}
        for task in ended:
            if task.node and not files.is_there(campaign.output_of(task)):
                by_node.setdefault(task.node, []).append(task)
        if not by_node:
            return {}
        with ThreadPoolExecutor(len(by_node)) as pool:
            asked = pool.map(lambda node: self._ask(campaign, node, by_node[node]), by_node)
            return {node: problem for node, problem in zip(by_node, asked, strict=True) if problem}

    def _ask(self, campaign: Campaign, node: str, tasks: list[Task]) -> Problem | None:
        busy = slurm.Busy(f"{node} has nothing free now")
        if time.monotonic() < self._busy_until.get(node, 0.0):
            return busy
        paths = {campaign.output_on_node(task): campaign.output_of(task) for task in tasks}
        try:
            slurm.require_host_name(node)
            options = campaign.placement.on_node(node)
            fetched = slurm.read_from(options, list(paths), _LARGEST)
        except slurm.NoAnswer:
            raise
        except slurm.Busy:
            self._busy_until[node] = time.monotonic() + _SECONDS_BEFORE_ASKING_AGAIN
            return busy
        except Problem as problem:  # a node that is down must not keep the others' results
            return problem
        for path, content in fetched.items():
            if path in paths:
                files.write_bytes(paths[path], content)
        return None


def text_of(path: Path) -> str:
    """What a task or a build has said so far; "" where there is nothing, or no output of one."""
    try:
        return files.read_bytes(path, _LARGEST).decode("utf-8", "replace")
    except Malformed:
        return ""
