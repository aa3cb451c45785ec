"""A real Slurm on this machine, of one node, for tests: started from a folder, and stopped again.

Needs Debian's slurm-wlm and munge, and root, since slurmd starts jobs as their users. All state is
in the folder, ports are free ones, and nothing of an installed Slurm is touched.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

_DAEMONS = ("munged", "slurmctld", "slurmd")
# Only a cluster that hangs takes as long: nothing that is tested depends on how fast the machine is.
PATIENCE_S = 1200

_CONFIGURATION = """\
ClusterName=notebook
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
SlurmctldPort={controller_port}
SlurmdPort={node_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu,emulated
MpiDefault=none
ReturnToService=2
SlurmdTimeout=3600
MessageTimeout=100
BatchStartTimeout=1000
KillWait=2
MinJobAge=36000
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN Gres={resources}
PartitionName=notebook Nodes=ALL Default=YES State=UP MaxTime=INFINITE PriorityTier=1
PartitionName=urgent Nodes=ALL State=UP MaxTime=INFINITE PriorityTier=2
"""


def lacking() -> str:
    """Why no cluster can be started here; "" if one can."""
    missing = [
        name for name in (*_DAEMONS, "sbatch") if not shutil.which(name, path=_path_of_root())
    ]
    if missing:
        return f"no {', '.join(missing)}; install: sudo apt-get install slurm-wlm munge"
    return "" if os.geteuid() == 0 else "Slurm's node daemon has to be started by root"


def _path_of_root() -> str:
    return os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))


class Cluster:
    """Starts with `start`; use its `environment` for Slurm's commands."""

    def __init__(self, folder: Path, kinds: list[str], cpus: int) -> None:
        self._folder = folder
        self._host = socket.gethostname().split(".")[0]
        resources = [f"emulated:{kind}:1" for kind in kinds]
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "munge.key").write_bytes(os.urandom(1024))
        (folder / "munge.key").chmod(0o600)
        lines = [f"Name=emulated Type={kind} Count=1\n" for kind in kinds]
        (folder / "gres.conf").write_text("".join(lines))
        # Without these lines Slurm 23 and later need systemd, which a container lacks.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n")
        self._configuration = folder / "slurm.conf"
        self._configuration.write_text(
            _CONFIGURATION.format(
                host=self._host,
                folder=folder,
                controller_port=_free_port(),
                node_port=_free_port(),
                cpus=cpus,
                resources=",".join(resources),
            )
        )
        self.environment = os.environ | {
            "SLURM_CONF": str(self._configuration),
            "PATH": _path_of_root(),
        }

    def start(self) -> None:
        folder = self._folder
        self.run(
            *("munged", "--force", f"--key-file={folder}/munge.key"),
            *(f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid"),
            *(f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed"),
        )
        self.start_controller()
        self.run("slurmd", "-f", str(self._configuration))
        self._wait_for("idle")

    def start_controller(self) -> None:
        self.run("slurmctld", "-f", str(self._configuration))

    def stop_controller(self) -> None:
        self._end("slurmctld", signal.SIGTERM)

    def impatient(self) -> dict[str, str]:
        """An environment whose commands give up after a second on a controller that is away."""
        text = self._configuration.read_text()
        path = self._configuration.with_name("impatient.conf")
        path.write_text(text.replace("MessageTimeout=100", "MessageTimeout=1"))
        return self.environment | {"SLURM_CONF": str(path)}

    def drain(self) -> None:
        self.run(
            *("scontrol", "update", f"NodeName={self._host}", "State=DRAIN", "Reason=test"),
        )

    def resume(self) -> None:
        """Ends a drain; after a restart of the controller as soon as the node has registered."""
        deadline = time.monotonic() + PATIENCE_S
        while "dr" in (state := self.run("sinfo", "--noheader", "--format=%t")):
            done = self._attempt("scontrol", "update", f"NodeName={self._host}", "State=RESUME")
            assert time.monotonic() < deadline, f"{state}: {done.stderr}"
            time.sleep(0.2)

    def time_out(self, job: str) -> None:
        """Ends the time of a job that runs.

        `now` is a whole second, which the controller refuses once the next one has begun.
        """
        update = ("scontrol", "update", f"JobId={job}", "EndTime=now")
        deadline = time.monotonic() + PATIENCE_S
        while "Invalid time" in (done := self._attempt(*update)).stderr:
            assert time.monotonic() < deadline, done.stderr
        assert done.returncode == 0, done.stderr

    def run(self, *command: str) -> str:
        done = self._attempt(*command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def _attempt(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def log(self) -> str:
        """What the controller logged, without the plugins that it misses."""
        lines = (self._folder / "slurmctld.log").read_text().splitlines()
        return "\n".join(line for line in lines if "mpi" not in line.lower())[-6000:]

    def stop(self) -> None:
        """Ends jobs and daemons; also of a cluster that did not start."""
        subprocess.run(
            ["scancel", "--full", "--signal=KILL", "--user=root"],
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        for name in reversed(_DAEMONS):
            self._end(name, signal.SIGKILL)
        for process in self.processes({}):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def processes(self, environment: dict[str, str]) -> list[int]:
        """The processes of this cluster's jobs that have these variables."""
        expected = {"SLURM_CONF": str(self._configuration), "SLURMD_NODENAME": self._host}
        lines = {f"{name}={value}".encode() for name, value in (expected | environment).items()}
        processes_of_job = []
        for folder in Path("/proc").glob("[0-9]*"):
            if lines <= set(of_process(int(folder.name), "environ").split(b"\0")):
                processes_of_job.append(int(folder.name))
        return processes_of_job

    def _end(self, daemon: str, how: signal.Signals) -> None:
        path = self._folder / f"{daemon}.pid"
        try:
            process = int(path.read_text())
            os.kill(process, how)
        except (OSError, ValueError):
            return
        deadline = time.monotonic() + PATIENCE_S
        while of_process(process, "cmdline"):  # empty for a zombie
            if time.monotonic() > deadline:
                os.kill(process, signal.SIGKILL)
            time.sleep(0.05)

    def _wait_for(self, state: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            if state in self.run("sinfo", "--noheader", "--format=%t"):
                return
            time.sleep(0.2)
        raise AssertionError((self._folder / "slurmd.log").read_text()[-2000:])


def of_process(process: int, name: str) -> bytes:
    """`environ` or `cmdline` of a process; nothing once it has ended."""
    try:
        return Path(f"/proc/{process}/{name}").read_bytes()
    except OSError:
        return b""


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
