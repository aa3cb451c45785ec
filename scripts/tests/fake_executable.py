"""Stands in for a chapter's executable on an emulated GPU: writes what FAKE says, and honours the flags."""

import json
import os
import re
import sys
import time
from pathlib import Path

import synthetic

flags = dict(argument.lstrip("-").partition("=")[::2] for argument in sys.argv[1:])
device = f"emulated-{flags['architecture']}"
rows = synthetic.misaligned_reads_emulated(128 if device.endswith("fermi") else 32, [2**20])
rows = [row for row in rows if re.search(flags.get("benchmark_filter", ""), row["name"])]
if "benchmark_list_tests" in flags:
    print("\n".join(dict.fromkeys(row["name"] for row in rows)))
    sys.exit()
out = Path(flags["benchmark_out"])
given = dict(pair.split("=") for pair in flags["benchmark_context"].split(","))
chapter = Path(__file__).parent.name
given |= {"chapter": chapter, "quick": str("quick" in flags).lower()}
content = synthetic.document(rows, device, **given)

match os.environ.get("FAKE", "") if os.environ.get("FAKE_CHAPTER", chapter) == chapter else "":
    case "fails":
        out.write_text("{")
        print("error: read_offset/offset:11: 1 element is wrong", file=sys.stderr)
        sys.exit(1)
    case "truncated":
        out.write_text(json.dumps(content)[:1000])
    case "climbs":
        content["context"]["device"] = "../../elsewhere"
        out.write_text(json.dumps(content))
    case "unvalidated":
        content["context"]["validation"] = "failed"
        out.write_text(json.dumps(content))
    case "another day":
        content["context"] |= {"date": "2030-01-01T00:00:00+00:00", "compiler": "another"}
        content["context"] |= {"mhz_per_cpu": 1, "library_build_type": "debug"}
        out.write_text(json.dumps(content))
    case "counts otherwise":
        content["benchmarks"][3]["load_sectors"] += 1
        out.write_text(json.dumps(content))
    case "hangs":
        out.write_text("{")
        Path(os.environ["FAKE_PID"]).write_text(str(os.getpid()))
        time.sleep(60)
    case _:
        print("[lab] measure 1/1", file=sys.stderr)
        try:
            out.write_text(json.dumps(content))
        except OSError as error:  # as a chapter's own executable says it
            sys.exit(f"error: {out.name}: {error.strerror}")
