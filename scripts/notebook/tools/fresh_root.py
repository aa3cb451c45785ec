"""Roots of freshly installed systems, and commands that run in them: what fresh_roots.py is made of."""

import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from notebook.tools.toolbox import PACKAGES

REPOSITORY = Path(__file__).resolve().parents[3]
CUDA = Path("/usr/local/cuda")
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
_PIP_SETTINGS = Path("/etc/pip.conf")
_HOME = "/home/reader"
COMPILER_CACHE = "/var/cache/compiled"


@dataclass(frozen=True)
class Distribution:
    """What debootstrap makes roots from."""

    name: str
    mirror: str
    components: str
    script: str  # debootstrap's recipe
    keyring: str


@dataclass(frozen=True)
class System:
    """A release."""

    title: str
    suite: str
    distribution: Distribution


@dataclass(frozen=True)
class Case:
    """Who runs the commands, and with what."""

    name: str
    who: str
    is_root: bool = False
    may_sudo: bool = False
    has_nvcc: bool = False
    # The distribution's own CUDA, whatever its version: 12.4 in Debian 13, 11.8 in Debian 12.
    has_distributions_cuda: bool = False
    # The packages that a user without sudo has to ask an administrator for.
    is_prepared: bool = False
    folder: str = "notebook"
    status: int = 0  # expected of both commands

    @property
    def home(self) -> str:
        return "/root" if self.is_root else _HOME


@dataclass(frozen=True)
class Settings:
    """What holds for all cells of the table."""

    folder: Path
    mirrors: dict[str, str]  # distribution: URL
    has_compiler_cache: bool

    def kept(self, system: System) -> Path:
        """What outlives a root: downloaded packages, compiled objects."""
        return self.folder / "kept" / system.suite


@dataclass(frozen=True)
class Cell:
    """A root in which a case is tried."""

    root: Path
    case: Case
    shared: dict[str, Path]  # folder in the root: where it really is


def make_base(system: System, settings: Settings) -> Path:
    """A root of the system as installed, which is made once."""
    base = settings.folder / system.suite
    if not (base / "made").is_file():
        say(f"making a root of {system.title} in {base}")
        shutil.rmtree(base, ignore_errors=True)
        settings.folder.mkdir(parents=True, exist_ok=True)
        source = system.distribution
        command = ["debootstrap", "--variant=minbase", f"--components={source.components}"]
        command += ["--include=ca-certificates,git,sudo"]
        if Path(source.keyring).is_file():
            command.append(f"--keyring={source.keyring}")
        else:
            say(f"no {source.keyring} here: the signatures of {system.title} are not checked")
            command.append("--no-check-gpg")
        mirror = settings.mirrors.get(source.name, source.mirror)
        script = f"/usr/share/debootstrap/scripts/{source.script}"
        _run([*command, system.suite, str(base), mirror, script])
        _set_up(base)
        (base / "made").touch()
    return base


def _set_up(base: Path) -> None:
    """The network and a user; pip trusts the certificates that the machine trusts."""
    shutil.copy("/etc/resolv.conf", base / "etc" / "resolv.conf")
    (base / "etc" / "hosts").write_text(
        f"127.0.0.1 localhost {os.uname().nodename}\n"
    )  # sudo looks itself up
    shutil.copy(_CERTIFICATES, base / _CERTIFICATES.relative_to("/"))
    if _PIP_SETTINGS.is_file():
        shutil.copy(_PIP_SETTINGS, base / _PIP_SETTINGS.relative_to("/"))
    add_user = f"useradd --create-home --home-dir {_HOME} --shell /bin/sh reader"
    _run(["chroot", str(base), *add_user.split()])


def copy_base(system: System, case: Case, base: Path, settings: Settings) -> Cell:
    """A copy of the base with a clone of the last commit, in which a case can be tried."""
    root = settings.folder / "tried"
    shutil.rmtree(root, ignore_errors=True)
    _run(["cp", "-a", "--reflink=auto", str(base), str(root)])
    cell = Cell(root, case, _shared_folders(system, case, root, settings))
    if case.may_sudo:
        (root / "etc" / "sudoers.d" / "reader").write_text("reader ALL=(ALL) NOPASSWD: ALL\n")
    if case.is_prepared:
        _install(cell, ["python3-venv", *(package.apt for package in PACKAGES)])
    if case.has_distributions_cuda:
        sources = root / "etc" / "apt" / "sources.list"
        sources.write_text(sources.read_text().replace(" main", " main contrib non-free"))
        _install(cell, ["nvidia-cuda-toolkit"])
    if settings.has_compiler_cache:
        _install(cell, ["ccache"])
    place = root / case.home.lstrip("/") / case.folder
    _run(["git", "clone", "--quiet", "--no-hardlinks", str(REPOSITORY), str(place)])
    if not case.is_root:
        _run(["chroot", str(root), "chown", "-R", "reader:", _HOME])
    return cell


def _shared_folders(system: System, case: Case, root: Path, settings: Settings) -> dict[str, Path]:
    """Folders outside the root: what apt and pip have downloaded, what was compiled."""
    kept = settings.kept(system)
    shared = {
        "/var/cache/apt/archives": kept / "apt",
        f"{case.home}/.cache/pip": kept / f"pip-{Path(case.home).name}",
    }
    if settings.has_compiler_cache:
        shared[COMPILER_CACHE] = kept / "compiled"
    for inside, outside in shared.items():
        outside.mkdir(parents=True, exist_ok=True)
        (root / inside.lstrip("/")).mkdir(parents=True, exist_ok=True)
    if settings.has_compiler_cache:
        shared[COMPILER_CACHE].chmod(0o1777)
    if not case.is_root:
        # pip leaves a cache alone that belongs to another user.
        owner = (root / _HOME.lstrip("/")).stat()
        os.chown(shared[f"{_HOME}/.cache/pip"], owner.st_uid, owner.st_gid)
    return shared


def _install(cell: Cell, names: list[str]) -> None:
    """Installs packages, as an administrator does on request of a user."""
    apt = "DEBIAN_FRONTEND=noninteractive apt-get -qq"
    install = f"{apt} update && {apt} -y --no-install-recommends install {' '.join(names)}"
    log = cell.root.parent / "logs" / "install.log"
    administrator = Cell(cell.root, Case("root", "root", is_root=True), cell.shared)
    if run_inside(administrator, install, log):
        raise SystemExit(f"error: the packages cannot be installed; see {log}")


def run_in_clone(cell: Cell, script: str, log: Path) -> int:
    """Runs a shell script where the notebook has been cloned to."""
    folder = shlex.quote(f"{cell.case.home}/{cell.case.folder}")
    return run_inside(cell, f"cd {folder} || exit\n{script}", log)


def run_inside(cell: Cell, command: str, log: Path) -> int:
    """Runs a command in the root, alone with its processes and mounts."""
    root, case = cell.root, cell.case
    mounts = [["mount", "--rbind", "/dev", str(root / "dev")]]
    for inside, outside in cell.shared.items():
        mounts.append(["mount", "--bind", str(outside), str(root / inside.lstrip("/"))])
    if case.has_nvcc:
        toolkit = root / CUDA.relative_to("/")
        toolkit.mkdir(parents=True, exist_ok=True)
        mounts.append(["mount", "--bind", str(CUDA.resolve()), str(toolkit)])
        mounts.append(["mount", "-o", "remount,bind,ro", str(toolkit)])
    mounts.append(["mount", "-t", "proc", "proc", str(root / "proc")])
    who = [] if case.is_root else ["setpriv", "--reuid=reader", "--regid=reader", "--init-groups"]
    environment = ["env", "-i", *(f"{name}={value}" for name, value in _environment(cell).items())]
    inner = shlex.join(["chroot", str(root), *who, *environment, "sh", "-c", command])
    script = " && ".join([*map(shlex.join, mounts), f"exec {inner}"])
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script]
        run = subprocess.run(alone, stdin=subprocess.DEVNULL, stdout=file, stderr=file, check=False)
    return run.returncode


def _environment(cell: Cell) -> dict[str, str]:
    """What a login sets, the machine's settings of pip, and those of the compiler cache."""
    settings = {
        "HOME": cell.case.home,
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "PIP_CERT": str(_CERTIFICATES),
    }
    for name in ("PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT"):
        if name in os.environ:
            settings[name] = os.environ[name]
    if COMPILER_CACHE in cell.shared:
        settings["CCACHE_DIR"] = COMPILER_CACHE
        settings["CCACHE_UMASK"] = "000"
        settings["CCACHE_BASEDIR"] = cell.case.home
        settings["CCACHE_NOHASHDIR"] = "1"
        settings["CCACHE_COMPILERCHECK"] = "content"
    return settings


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stdout + done.stderr).splitlines()[-5:]
        raise SystemExit(f"error: {shlex.join(command)}: {' '.join(said)}")


def say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
