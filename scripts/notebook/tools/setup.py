"""`lab setup`: installs what is missing, and says what could not be installed."""

from notebook.base import lock
from notebook.base.errors import MISSING, Problem
from notebook.base.progress import say
from notebook.base.project import Project
from notebook.tools import bootstrap, toolbox


def setup(project: Project, all_ptxas: bool) -> int:
    """Returns 0 when everything is there, with `all_ptxas` also the assemblers for older GPUs."""
    still_missing = install_missing(project)
    if all_ptxas and (failure := bootstrap.install_older_ptxas()):
        say(f"ptxas for older GPUs cannot be installed: {failure}")
        return MISSING
    if failure := bootstrap.install_tools():
        say(f"the tools of lab check cannot be installed: {failure}")
    if not toolbox.find_nvcc():
        return MISSING
    if not still_missing:
        say("everything is there; next: scripts/lab run")
    return MISSING if still_missing else 0


def require_nvcc() -> None:
    """Raises Problem where there is no CUDA compiler, which everything is built with."""
    if not toolbox.find_nvcc():
        raise Problem(
            "no nvcc of CUDA 12.4 or later; with a network, scripts/lab setup installs it", MISSING
        )


def install_missing(project: Project) -> list[toolbox.Package]:
    """Installs what is missing where we may, after any other process that does; returns what still is."""
    still_missing = toolbox.missing()
    if still_missing:
        with lock.held(project.root, say):
            still_missing = toolbox.install_missing(say)
    if not toolbox.find_nvcc() and (failure := bootstrap.install_nvcc()):
        say(f"no nvcc, and it cannot be installed: {failure}")
    return still_missing
