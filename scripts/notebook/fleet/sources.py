"""What the nodes build from: a commit without what `lab` itself writes."""

import io
import subprocess
import tarfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from notebook.base import git
from notebook.base.errors import Problem
from notebook.base.project import Project
from notebook.base.text import plain
from notebook.data.chapters import Chapter

# Named are the files that no build reads, so that a file which the build starts to read is never missing.
_SENT = (
    ".",
    ":(exclude)plots",
    ":(exclude,glob)**/README.md",
    ":(exclude,glob)chapters/*/page.md",
    ":(exclude,glob)data/*/[0-9][0-9]_*.json",
    ":(exclude,glob)data/boards/**",
)


def revision(project: Project, chapters: Iterable[Chapter]) -> str:
    """The last commit; raises Problem where the nodes would build something else than this working tree."""
    head = _git(project, "rev-parse", "--show-toplevel", "HEAD").decode().splitlines()
    if len(head) != 2 or head[0] != str(project.root):
        raise Problem("fleet run sends the last commit to the nodes, and this is no git checkout")
    if _git(project, "status", "--porcelain", "--untracked-files=no", "--", *_SENT).strip():
        raise Problem(
            "tracked files have changes, and the nodes run the last commit: "
            "commit or stash them first"
        )
    for chapter in chapters:
        path = f"chapters/{chapter.name}/meson.build"
        if not _git(project, "ls-tree", "--name-only", head[1], "--", path):
            raise Problem(
                f"{chapter.name} is not committed, and the nodes run the last commit: "
                f"git add chapters/{chapter.name}; git commit"
            )
    return head[1]


@cache
def archive(project: Project, commit: str) -> bytes:
    """The files of a commit that a build reads, as tar.gz."""
    return _git(project, "archive", "--format=tar.gz", commit, "--", *_SENT)


def unpack(project: Project, commit: str, folder: Path) -> None:
    """The same files into a folder."""
    with tarfile.open(fileobj=io.BytesIO(archive(project, commit))) as packed:
        # Debian 12's Python 3.11.2 has no filters; git made this archive from our own commit.
        if hasattr(tarfile, "data_filter"):
            packed.extractall(folder, filter="data")
        else:
            packed.extractall(folder)


def _git(project: Project, *arguments: str) -> bytes:
    command = ["git", "-C", str(project.root), *arguments]
    try:
        done = subprocess.run(command, env=git.environment(), capture_output=True, check=False)
    except FileNotFoundError as error:
        raise Problem(
            "fleet run sends the last commit to the nodes, and there is no git"
        ) from error
    if done.returncode != 0:
        said = plain(done.stderr.decode("utf-8", "replace").strip())
        raise Problem(
            f"fleet run sends a commit to the nodes, and git {arguments[0]} failed: {said}"
        )
    return done.stdout
