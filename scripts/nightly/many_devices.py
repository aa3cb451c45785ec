#!/usr/bin/env python3
"""What a hundred GPUs cost: copies of measured devices, with noise, and the commands that read them all.

    .venv/bin/python scripts/nightly/many_devices.py --devices 100

Prints a line a command: wall and CPU seconds, peak memory, and the size of what it wrote. The first command finds
nothing that was kept of these data; those after it do.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
Json = dict[str, Any]
_COMMANDS = (
    ["verdicts"],
    ["verdicts"],
    ["compare", "nvidia-copy-000", "nvidia-copy-001"],
    ["figures"],
    ["report"],
)
# One value for each repetition: these differ from board to board.
_NOISY = ("time_us", "bytes_per_second", "flops_per_second", "items_per_second")


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="many-") as folder:
        shutil.rmtree(ROOT / "build" / "kept", ignore_errors=True)
        data = Path(folder) / "data"
        shutil.copytree(ROOT / "data", data)
        sources = [path for path in data.glob("nvidia-*") if any(path.glob("[0-9]*.json"))]
        began = time.monotonic()
        for number in range(options.devices):
            _copy(sources[number % len(sources)], data / f"nvidia-copy-{number:03}", number)
        size = sum(path.stat().st_size for path in data.rglob("*.json"))
        print(
            f"{options.devices} devices, {size >> 20} MiB, made in {time.monotonic() - began:.0f} s"
        )
        for words in _COMMANDS:
            print(_measured(words, data), flush=True)
        report = ROOT / "build" / "report"
        size = sum(path.stat().st_size for path in report.rglob("*") if path.is_file())
        print(f"the report has {size / 2**20:.1f} MiB")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--devices", type=int, default=100)
    return parser.parse_args()


def _copy(source: Path, target: Path, number: int) -> None:
    """A device's results under another name, each time multiplied by 1 % of noise for the row."""
    target.mkdir()
    noise = random.Random(number)
    for path in source.glob("[0-9]*.json"):
        document: Json = json.loads(path.read_bytes())
        document["context"] |= {"device": target.name, "gpu_name": f"Copy {number}"}
        for row in document["rows"]:
            factor = noise.gauss(1, 0.01)
            for key in _NOISY:
                if key in row:
                    power = 1 if key == "time_us" else -1
                    row[key] = _scaled(row[key], factor**power)
        (target / path.name).write_text(json.dumps(document, separators=(",", ":")))


def _scaled(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_scaled(item, factor) for item in value]
    return float(f"{value * factor:.7g}")


def _measured(words: list[str], data: Path) -> str:
    command = [sys.executable, "-P", "-m", "notebook", *words, "--data", str(data)]
    began = time.monotonic()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    cpu = used.ru_utime + used.ru_stime
    ended = "" if process.returncode == 0 else f", exit status {process.returncode}"
    return (
        f"{words[0]:9} {time.monotonic() - began:6.1f} s wall {cpu:6.1f} s CPU "
        f"{used.ru_maxrss >> 10:6} MiB{ended}"
    )


if __name__ == "__main__":
    sys.exit(main())
