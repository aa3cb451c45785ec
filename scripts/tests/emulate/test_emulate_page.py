"""`scripts/lab emulate --report html`: one file that says what the counts say, and runs nothing of the program's."""

import base64
import html
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from test_emulate import REQUESTS, code, described, launches, shared, site

from notebook.emulate import page as emulate_page
from notebook.emulate import roofline as emulate_roofline
from notebook.emulate.launches.errors import TimeError
from notebook.emulate.launches.records import Launch
from notebook.emulate.launches.runs import Emulated, Roof
from notebook.emulate.source import files_of

A100 = TimeError("A100", "printed", 0.09)
HOSTILE = "</style></td><script>alert(1)</script><img src=x onerror=alert(1)>\"'&lt;"
ROOF = Roof(instructions_per_second=1e12, dram_bytes_per_second=1e12)
gnuplot = pytest.mark.skipif(shutil.which("gnuplot") is None, reason="no gnuplot")


def predicted(*stalls: dict[str, Any]) -> dict[str, Any]:
    return {"seconds": 1e-5, "bound": "dram", "shares": {"dram": 0.9}, "stalls": list(stalls)}


def page(*of_launches: Launch, names: bool = False, **changed: Any) -> str:
    run = Emulated("ampere", "A100-SXM4-80GB", 1, list(of_launches), [], A100)
    return emulate_page.as_html("program", [Emulated(**(vars(run) | changed))], names)


def launch(folder: Path, *sites: dict[str, Any], **changed: Any) -> Launch:
    return launches(folder, described(*sites, **changed))[0]


def tags(text: str) -> list[str]:
    return re.findall(r"<[a-z!/][^>]*>", text)


def test_text_of_the_program_stays_text(tmp_path: Path) -> None:
    source = tmp_path / f"{HOSTILE.replace('/', '')}.cu"
    source.write_text(f"//\n//\n//\n    out[i] = in[i];  // {HOSTILE}\n")
    hostile = launch(
        tmp_path,
        site(4, "global", "load") | {"file": str(source)},
        kernel=f"void copy<{HOSTILE}>(int)",
        source=[code(4, 4096) | {"file": str(source)}],
        hazards=[HOSTILE],
        notes=[HOSTILE],
        predicted=predicted({"file": str(source), "line": 4, "memory": 9.0}),
    )
    text = page(hostile, failures=[HOSTILE], failed_calls=[HOSTILE], notes=[HOSTILE])
    plain = page(launch(tmp_path, site(4, "global", "load")))
    assert text.count("<script") == plain.count("<script") == 0
    assert "<img" not in text
    assert {tag.split()[0].strip("<>/") for tag in tags(text)} <= {
        "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "div", "table",
        "caption", "thead", "tbody", "tr", "th", "td", "a", "code", "small", "ul", "li", "em", "span",
    }  # fmt: skip
    assert html.escape(HOSTILE, quote=False).split("&quot")[0][:20] in text


class Attributes(HTMLParser):
    """The names of all attributes of a page, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.update(name for name, _ in attributes)


@pytest.mark.parametrize("text", [HOSTILE, '" onmouseover="alert(1)', "' onmouseover='alert(1)"])
def test_names_do_not_leave_their_attributes(tmp_path: Path, text: str) -> None:
    def shown(name: str) -> str:
        found = launch(
            tmp_path,
            site(4, "global", "load") | {"file": f"/nowhere/{name}.cu"},
            kernel=f"void copy<{name}>(int)",
        )
        run = Emulated("ampere", name, 1, [found], [], A100, asked=name)
        return emulate_page.as_html(name, [run, run], names=False)

    assert Attributes(shown(text)).names == Attributes(shown("plain")).names
    assert "<script" not in shown(text)


def test_it_asks_no_other_place(tmp_path: Path) -> None:
    text = page(launch(tmp_path, site(4, "global", "load")), names=True)
    assert "default-src 'none'" in html.unescape(text)
    assert not re.search(r"<(link|iframe|object|embed|base|script)\b|url\(|@import|https?:", text)
    assert re.findall(r'href="([^#])', text) == []


def test_counts_stand_beside_their_line(tmp_path: Path) -> None:
    source = tmp_path / "kernels.cu"
    source.write_text("one\ntwo\n    tile[x] = in[i];\n    out[i] = tile[y];\n")
    place = {"file": str(source)}
    stall = place | {"line": 4, "shared": 75.0}
    found = launch(
        tmp_path,
        site(3, "global", "load") | place,
        shared(4, "load", 32) | place,
        source=[code(3, 100) | place, code(4, 300, lanes=16) | place],
        predicted=predicted(stall, stall | {"line": 3, "shared": 0.0, "memory": 25.0}),
    )
    (file,) = files_of(found)
    assert (file.name, [line.number for line in file.lines]) == ("kernels.cu", [3, 4])
    third, fourth = file.lines
    assert third.text == "    tile[x] = in[i];"
    assert (third.instructions.text, third.waits.text) == ("25.0 %", "25.0 %")
    assert (fourth.instructions.text, fourth.lanes) == ("75.0 %", "16.0")
    assert (fourth.waits.text, fourth.reason) == ("75.0 %", "shared memory")
    (load,) = third.accesses
    assert (load.requests, load.sectors.text, load.per_request, load.used) == (
        f"{REQUESTS:,}", f"{4 * REQUESTS:,}", "4.0", "100.0 %",
    )  # fmt: skip
    (read,) = fourth.accesses
    assert (read.wavefronts, read.conflicts.text) == ("32.0", f"{31 * REQUESTS:,}")
    # All sectors, 31 of 32 wavefronts.
    assert (load.sectors.shade, read.conflicts.shade) == (5, 5)


def test_lines_far_apart_leave_a_gap(tmp_path: Path) -> None:
    found = launch(tmp_path, source=[code(4, 100), code(7, 100), code(90, 100)])
    (file,) = files_of(found)
    assert [line.number for line in file.lines] == [4, 5, 6, 7, 0, 90]


def test_every_time_has_its_error(tmp_path: Path) -> None:
    text = html.unescape(page(launch(tmp_path, predicted=predicted())))
    times = re.findall(r"10 us.{45}", text)
    assert times
    assert all("(A100: errors of printed times 9 %)" in time for time in times)


def test_gpus_stand_side_by_side_where_there_are_several(tmp_path: Path) -> None:
    found = launch(tmp_path, predicted=predicted())
    alone = page(found)
    runs = [
        Emulated("ampere", "A100", 1, [found], [], A100),
        Emulated("turing", "Tesla T4", 1, [found], [], TimeError("Turing")),
    ]
    text = emulate_page.as_html("program", runs, names=False)
    assert "GPUs side by side" in text and "GPUs side by side" not in alone
    assert "9 % (printed)" in text and "not validated" in text


def test_of_many_launches_the_longest_are_shown(tmp_path: Path) -> None:
    many = [
        launch(tmp_path, kernel=f"kernel_{i}(int)", predicted=predicted() | {"seconds": 1e-6 * i})
        for i in range(1, emulate_page.MAX_KERNELS + 6)
    ]
    text = page(*many)
    assert ">kernel_6<" in text and ">kernel_5<" not in text
    assert "5 more launches take less time" in text


def test_what_went_wrong_and_what_is_not_in_the_counts_stands_there(tmp_path: Path) -> None:
    found = launch(tmp_path, notes=["page faults are not in it"])
    texts = {
        "failures": "stopped",
        "failed_calls": "refused launch: too many threads",
        "notes": "host",
    }
    text = page(found, **{name: [value] for name, value in texts.items()})
    assert all(value in text for value in (*texts.values(), "page faults are not in it"))


def test_nsight_computes_names_stand_there_where_they_are_asked_for(tmp_path: Path) -> None:
    found = launch(tmp_path)
    assert "l1tex__" not in page(found)
    assert "l1tex__" in page(found, names=True)


def test_shades_can_be_told_apart_in_grey() -> None:
    style = Path(emulate_page.__file__).parents[1] / "report" / "assets" / "emulated.css"
    shades = re.findall(
        r"\.shade([1-5]) \{ background: #([0-9a-f]{6});(?: color: #(\w{6});)?", style.read_text()
    )
    assert [number for number, *_ in shades] == ["1", "2", "3", "4", "5"]
    greys = [1.0, *(luminance(background) for _, background, _ in shades)]
    assert all(brighter - darker > 0.05 for brighter, darker in pairwise(greys))
    for _, background, text in shades:  # WCAG's contrast of text
        pair = sorted((luminance(background), luminance(text or "1b1f24")))
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# ---- the roofline --------------------------------------------------------------------------------


def test_a_point_of_the_roofline(tmp_path: Path) -> None:
    # 4,096 instructions; 32 sectors are read, 32 written.
    counters = {
        "dram_read_bytes": 1024.0,
        "l2_write_sectors_least": 32.0,
        "l2_write_sectors_most": 99.0,
    }
    found = emulate_roofline.point(7, launch(tmp_path, counters=counters, predicted=predicted()))
    assert found == emulate_roofline.Point(7, 64.0, 4096 / 1e-5)
    assert emulate_roofline.point(1, launch(tmp_path, counters=counters)) is None
    assert emulate_roofline.point(1, launch(tmp_path, counters={}, predicted=predicted())) is None


@gnuplot
def test_the_roofline_is_part_of_the_page(tmp_path: Path) -> None:
    counters = {"dram_read_bytes": 1024.0}
    found = launch(tmp_path, counters=counters, predicted=predicted())
    assert "data:image" not in page(found)
    (picture,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page(found, roof=ROOF))
    drawn = base64.b64decode(picture).decode()
    assert "warp instructions per 32-byte sector" in drawn
    assert not re.search(r"<(script|image|foreignObject)\b|xlink:href=.(?!#)", drawn)
