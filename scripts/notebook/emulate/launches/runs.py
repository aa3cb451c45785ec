"""What each emulated GPU has to say of a program, and the most that it could do."""

from dataclasses import dataclass, field
from functools import cached_property

from notebook.emulate.launches.errors import NOT_VALIDATED, TimeError
from notebook.emulate.launches.findings import Finding, few_blocks, findings
from notebook.emulate.launches.records import Launch


@dataclass(frozen=True)
class Roof:
    """The most that a GPU issues (warp instructions a second) and moves to and from its memory."""

    instructions_per_second: float
    dram_bytes_per_second: float


@dataclass(frozen=True)
class Emulated:
    """What one emulated GPU has to say: all its launches, in order."""

    architecture: str
    gpu: str
    sm_count: int
    launches: list[Launch]
    failures: list[str]  # of launches that were started
    error: TimeError = NOT_VALIDATED  # of predicted times
    roof: Roof | None = None  # None where the tables lack a number
    failed_calls: list[str] = field(default_factory=list)  # refused launches, too
    notes: list[str] = field(default_factory=list)  # on the program as a whole
    asked: str = ""  # the GPU's name as the user wrote it

    @property
    def name(self) -> str:
        """What the reader calls the GPU."""
        return self.asked or self.architecture

    @cached_property
    def remark(self) -> Finding | None:
        """What stands out in all launches alike; said once, not of each."""
        return few_blocks(self.launches, self.sm_count)

    def findings(self, launch: Launch) -> list[Finding]:
        """What stands out in a launch, beside the remark on all."""
        return findings(launch, 0 if self.remark else self.sm_count)
