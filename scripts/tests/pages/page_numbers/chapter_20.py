"""Chapter 20: unified memory."""

from collections.abc import Iterator
from statistics import median

from page_numbers.check import Fact
from page_numbers.data import Data, table

CITED = (
    "0.484 s for the first launch and 0.00467 s for the next",
    "19.9 ms for the first launch on managed memory against 0.5 ms on",
)
GIVEN = (
    "host arrays twice",
    "the 3 % in question",
    "by more than 3 % around",
)
BOTH = (1024, 6144)


def facts(d: Data) -> Iterator[Fact]:
    def phase(memory: str, phase: str, side: int) -> float:
        return d.of(f"add_matrices memory:{memory} phase:{phase} rows:{side}")[0]

    def rate(memory: str, phase_: str, side: int) -> float:
        moved = d.of(f"add_matrices memory:{memory} phase:{phase_} rows:{side}", "bytes_to_device")
        return moved[0] / phase(memory, phase_, side) / 1e3

    yield (
        "faults bring [6 to 7] GB/s, copies of pageable memory [7].",
        [rate("managed", "first_touch", side) for side in BOTH],
        [rate("explicit", "to_device", side) for side in BOTH],
    )
    yield (
        "Initialising is [24 to 31] % shorter",
        [
            100 * (1 - phase("managed", "initialise", n) / phase("explicit", "initialise", n))
            for n in BOTH
        ],
    )
    yield (
        "back [4 to 5] % shorter",
        [
            100 * (1 - phase("managed", "read_back", n) / phase("explicit", "read_back", n))
            for n in BOTH
        ],
    )
    fast = rate("prefetched", "to_device", 6144)
    yield (
        "matrices at [46] GB/s,** [about seven times] as fast",
        [fast],
        [fast / rate("managed", "first_touch", 6144), fast / rate("explicit", "to_device", 6144)],
    )
    yield (
        "memory reach [54], and with them the whole program is [about four times] as fast",
        [rate("pinned", "to_device", 6144)],
        [phase("managed", "total", 6144) / phase("pinned", "total", 6144)],
    )
    faults = "add_matrices memory:managed phase:initialise rows:1024"
    yield "its [36] faults for 12 MiB", d.of(faults, "cpu_page_faults")
    yield (
        "differ by [33] % at 2^10 rows and by [7] % at 6144",
        [100 * (phase("managed", "kernel", 1024) / phase("explicit", "kernel", 1024) - 1)],
        [100 * (phase("managed", "kernel", 6144) / phase("explicit", "kernel", 6144) - 1)],
    )
    shares = [
        phase("prefetched", "first_touch", n) / phase("managed", "first_touch", n) for n in BOTH
    ]
    yield "[about a fiftieth] of the launch", shares[:1]
    yield "[less than a hundredth] of it", shares[1:]
    yield (
        "inputs at [about 50] GB/s",
        [8 * 6144**2 / phase("kept_on_host", "kernel", 6144) / 1e3],
    )
    yield (
        "[thirty times] the price",
        [phase("kept_on_host", "kernel", 6144) / phase("explicit", "kernel", 6144)],
    )
    mapped, prefetched = (
        d.result.by_name[
            f"add_matrices/memory:{memory}/phase:to_device/rows:6144/columns:6144"
        ].by_process("time")
        for memory in ("kept_on_host", "prefetched")
    )
    longer = sorted(
        100 * (median(mapped[at]) / median(prefetched[at]) - 1) for at in mapped.keys() & prefetched
    )
    yield (
        "takes [55 to 64] % longer than prefetching in [four of six] processes",
        longer[2:],
        [len([value for value in longer if value > 10]) / len(longer)],
    )
    yield "processes and up to [4] % less in the other [two]", [-longer[0]], [len(longer) - 4.0]
    printed = {
        row["name"].split("/")[1]: float(row["value"])
        for row in table("published/20_unified_memory.csv")
        if row["device"] == "geforce-rtx-3080" and "phase:initialise" in row["name"]
    }
    yield (
        "took [4] % less than on ordinary memory",
        [100 * (1 - printed["memory:managed"] / printed["memory:explicit"])],
    )
    large = d.of("add_matrices memory:managed phase:first_touch rows:6144", "bytes_to_device")
    yield "bring [9.5]rc", [value / 6144**2 for value in large]
    spreads = []
    for memory in ("managed", "explicit"):
        for part in ("initialise", "read_back"):
            for side in BOTH:
                name = f"add_matrices/memory:{memory}/phase:{part}/rows:{side}/columns:{side}"
                times = sorted(row.time_us for row in d.result.by_name[name])
                spreads.append(times[len(times) * 3 // 4] / times[len(times) // 4] - 1)
    yield "spread by [up to 43] %, so", [100 * value for value in spreads]
    kernel = "add_matrices memory:explicit phase:kernel rows:1024"
    counted = d.on("emulated-hopper")
    yield (
        "rows [65,536] load requests and [262,144] load sectors, [32,768] and [131,072] of stores, [100] % efficiency",
        *(
            counted.of(kernel, name)
            for name in (
                "load_requests",
                "load_sectors",
                "store_requests",
                "store_sectors",
                "load_efficiency",
            )
        ),
    )
