"""The report: safe pages, and in headless Chromium its filters, its comparison and its accessibility."""

import base64
import hashlib
import html
import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import synthetic
from conftest import Tree

from notebook.base.project import Project
from notebook.report import kernel_data, rendering, site
from notebook.tools import toolbox
from notebook.tools.build import emulated_runtime

ROOT = Path(__file__).parents[3]
CHROMIUM = toolbox.CHROMIUM.find()
HOSTILE = "</script><img src=x onerror=alert(1)>"
browser = pytest.mark.skipif(not CHROMIUM, reason="no Chromium; apt-get install chromium")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of this repository's data."""
    folder = tmp_path_factory.mktemp("report")
    site.write(Project(ROOT, ROOT / "data"), folder)
    return folder


def test_it_is_small_and_nothing_in_it_asks_another_place(report: Path) -> None:
    pages = sorted(report.iterdir())
    assert sum(page.stat().st_size for page in pages) < 6 * 2**20 < site.MAX_BYTES
    for page in pages:
        text = page.read_text("utf-8")
        assert "default-src 'none'" in html.unescape(text)
        assert not re.search(r"""\s(src|srcset|poster)=["'](?!data:image/svg)""", text), page.name
        assert not re.search(r"<(link|iframe|object|embed|base)\b", text), page.name


def test_links_between_pages_lead_somewhere(report: Path) -> None:
    names = {page.name for page in report.iterdir()}
    for page in report.iterdir():
        for target in re.findall(r'href="([^"#]+)', page.read_text("utf-8")):
            assert target in names or target.startswith("http"), (page.name, target)


def test_kernels_are_links_to_their_lines(report: Path) -> None:
    page = (report / "15_bank_conflicts.html").read_text("utf-8")
    kernels = (report / "kernels.html").read_text("utf-8")
    links = re.findall(
        r'<a href="kernels.html#(15_bank_conflicts-\d+)"[^>]*><code>(\w+)</code>', page
    )
    assert links
    for place, name in links:
        line = re.search(rf'<tr id="{place}">.*', kernels)
        assert line and name in line[0]


def test_words_between_backticks_are_code() -> None:
    assert rendering.with_code("a `<b>` c") == "a <code>&lt;b&gt;</code> c"
    assert rendering.with_code("an odd ` <one>") == "an odd ` &lt;one&gt;"


def test_the_navigation_names_the_chapters(report: Path) -> None:
    assert ">17 matmul tiled</a>" in (report / "index.html").read_text("utf-8")


def test_every_chapter_has_its_page_with_its_figure(report: Path) -> None:
    for chapter in (ROOT / "chapters").glob("[0-9]*_*"):
        text = (report / f"{chapter.name}.html").read_text("utf-8")
        assert ">Why</h2>" in text
        if (ROOT / "plots" / f"{chapter.name}.svg").is_file():
            assert "data:image/svg+xml;base64," in text


def test_hostile_text_stays_text(tree_with_data: Tree) -> None:
    tree = tree_with_data
    path = tree.chapter.directory / "claims.toml"
    path.write_text(path.read_text().replace("They straddle a sector.", HOSTILE))
    page = tree.chapter.directory / "README.md"
    page.write_text(
        page.read_text() + f"\n{HOSTILE} [x](javascript:alert(1)) [y](data:text/html,z)\n"
    )
    (tree.chapter.directory / "kernels.cuh").write_text(f"// {HOSTILE}\n")
    folder = tree.root / "report"
    site.write(tree.project, folder)
    for file in folder.iterdir():
        text = file.read_text("utf-8")
        assert "<img src=x" not in text and '<img src="x' not in text
        assert 'href="javascript' not in text and 'href="data' not in text
        assert text.count("</script>") == text.count("<script")


COSTS = {
    "requests": 4,
    "sectors": 20,
    "wavefronts": 4,
    "lane_bytes": 512,
    "distinct_bytes": 512,
    "moved_bytes": 640,
}


@pytest.fixture
def counting(tree_with_data: Tree, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """A built chapter whose emulated run is scripted; the variants of each run."""
    tree = tree_with_data
    (tree.chapter.directory / "kernels.cuh").write_text("one\ntwo\n")
    for built in (tree.chapter.target, emulated_runtime()):
        (tree.root / "build" / built).parent.mkdir(parents=True, exist_ok=True)
        (tree.root / "build" / built).write_text("first")
    name = f"/src/chapters/{synthetic.CHAPTER}/kernels.cuh"
    one = {"file": name, "line": 2, "space": "global", "kind": "load", **COSTS}
    timed = {"kernel": "a", "grid": [9, 1, 1], "sites": [one, {**one, "file": "/src/other.cuh"}]}
    validated = {"kernel": "a", "grid": [1, 1, 1], "sites": [one]}
    another = {"kernel": "b", "grid": [1, 1, 1], "sites": [one]}
    runs: list[list[str]] = []

    def emulated(_: Path, variants: list[str]) -> list[dict[str, Any]]:
        runs.append(variants)
        return [{"launches": [validated, timed, another]}]

    monkeypatch.setattr(kernel_data, "_emulated", emulated)
    monkeypatch.setattr(kernel_data, "_variants", lambda *_: ["read"])
    return runs


def test_lines_show_what_their_accesses_cost(
    tree_with_data: Tree, counting: list[list[str]]
) -> None:
    tree = tree_with_data
    kernel_data.count(tree.project, [tree.chapter])
    lines = kernel_data.of_chapter(tree.project, tree.chapter).lines
    (access,) = lines[1].accesses
    assert (access.requests, access.per_request, access.efficiency) == (8, 5, 80)
    assert lines[0].accesses == []
    assert counting == [["read"]]


@pytest.mark.parametrize("changed", ["program", "runtime", "kernels"])
def test_lines_are_counted_again_only_where_something_changed(
    tree_with_data: Tree, counting: list[list[str]], changed: str
) -> None:
    tree = tree_with_data
    for _ in range(2):
        kernel_data.count(tree.project, [tree.chapter])
    assert len(counting) == 1
    path = {
        "program": tree.root / "build" / tree.chapter.target,
        "runtime": tree.root / "build" / emulated_runtime(),
        "kernels": tree.chapter.directory / "kernels.cuh",
    }[changed]
    path.write_text("second")
    assert kernel_data.of_chapter(tree.project, tree.chapter).counted == []
    kernel_data.count(tree.project, [tree.chapter])
    assert len(counting) == 2


def test_a_chapter_that_is_not_built_is_shown_without_counts(
    tree_with_data: Tree, counting: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    tree = tree_with_data
    (tree.root / "build" / tree.chapter.target).unlink()
    kernel_data.count(tree.project, [tree.chapter])
    assert counting == [] and "1 chapters are not built" in capsys.readouterr().err
    assert kernel_data.of_chapter(tree.project, tree.chapter).counted == []


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"made_from": 1', '{"lines": 3}'])
def test_damaged_counts_are_made_again(
    tree_with_data: Tree, counting: list[list[str]], text: str
) -> None:
    tree = tree_with_data
    kept = tree.root / "build" / "report-lines" / f"{synthetic.CHAPTER}.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(text)
    kernel_data.count(tree.project, [tree.chapter])
    assert kernel_data.of_chapter(tree.project, tree.chapter).counted == ["read"]


def test_a_page_without_its_figure_asks_for_none(tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("![x](plots/none.svg) ![y](https://example.org/a.svg)")
    assert "https:" not in rendering.page(page, tmp_path, {})


def run(
    page: Path, script: str, width: int = 1600, *, axe: bool = False, widths: tuple[int, ...] = ()
) -> Any:
    """What `script`, the body of an async function, returns in the browser once the page is there, of
    several `widths` by each; whatever reaches the console fails the test."""
    text = page.read_text("utf-8")
    axe_js = ""
    if axe:
        spec = find_spec("axe_core_python")
        assert spec is not None and spec.origin is not None
        axe_js = (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")
    body = (
        f"{axe_js}\n(async () => {{ let found; try {{ found = await (async () => {{ {script} }})(); }}"
        " catch (error) { found = { error: String(error) }; }"
        " if (parent !== window) { parent.postMessage({ width: innerWidth, found }, '*'); return; }"
        " const made = document.createElement('pre'); made.id = 'result';"
        " made.textContent = JSON.stringify(found); document.body.append(made); })();"
    )
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    # axe-core styles elements while it looks at them.
    text = text.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    text = text.replace("</body>", f"<script>{body}</script></body>")
    tested = page.with_name(f"tested-{page.name}")
    tested.write_text(text, "utf-8")
    frames = page.with_name(f"frames-{page.name}")
    frames.write_text(FRAMES % (list(widths), tested.name), "utf-8")
    shown = frames if widths else tested
    try:
        done = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             "--virtual-time-budget=20000", f"--window-size={width},1000", "--dump-dom", shown.as_uri()],
            capture_output=True, encoding="utf-8", check=True, timeout=120,
        )  # fmt: skip
    finally:
        tested.unlink()
        frames.unlink()
    assert [line for line in done.stderr.splitlines() if "CONSOLE" in line] == []
    match = re.search(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    assert match, "the script did not end"
    return json.loads(html.unescape(match[1]))


SET = """
const set = (name, value) => {
  const control = document.querySelector(`form [name=${name}]`);
  if (control.type === "checkbox") control.checked = value; else control.value = value;
  control.dispatchEvent(new Event("input", { bubbles: true }));
};
const cells = (column) => [...document.querySelectorAll("tbody tr")].map((row) => row.cells[column].textContent);
const count = () => document.getElementById("count").textContent;
"""


@browser
def test_verdicts_are_filtered_and_sorted(report: Path) -> None:
    outcome = run(
        report / "verdicts.html",
        SET
        + """
        const all = count();
        set("chapter", "02_misaligned_reads"); set("generation", "Fermi"); set("evidence", "counted");
        const filtered = { chapters: cells(0), devices: cells(4), evidence: cells(5) };
        set("verdict", "reproduced");
        const reproduced = cells(7);
        document.querySelector('th[data-column="value"] button').click();
        const up = cells(6);
        document.querySelector('th[data-column="value"] button').click();
        const sorted = document.querySelector('th[data-column="value"]').ariaSort;
        const down = cells(6);
        document.querySelector("form").reset();
        await new Promise((done) => setTimeout(done, 10));
        return { all, filtered, reproduced, up, down, sorted, again: count(), rows: cells(0).length };
        """,
    )
    assert "error" not in outcome, outcome
    assert set(outcome["filtered"]["chapters"]) == {"02_misaligned_reads"}
    assert set(outcome["filtered"]["devices"]) == {"emulated-fermi"}
    assert set(outcome["filtered"]["evidence"]) == {"counted"}
    assert outcome["reproduced"] and all("reproduced" in word for word in outcome["reproduced"])
    assert outcome["up"] == list(reversed(outcome["down"])) and outcome["sorted"] == "descending"
    assert outcome["again"] == outcome["all"] and outcome["rows"] == 100


@browser
def test_two_devices_are_compared(report: Path) -> None:
    outcome = run(
        report / "compare.html",
        SET
        + """
        set("first", "emulated-fermi"); set("second", "emulated-hopper"); set("chapter", "02_misaligned_reads");
        const differing = cells(1).map((claim, at) => [claim, cells(3)[at], cells(4)[at]]);
        set("differing", false);
        const heads = [...document.querySelectorAll("th")].map((head) => head.textContent);
        const address = location.hash;
        document.querySelector("form").reset(); restore(document.getElementById("pair"));
        const again = document.querySelector("[name=chapter]").value;
        return { differing, all: cells(1).length, heads, address, again };
        """,
    )
    assert "error" not in outcome, outcome
    assert outcome["heads"][3:] == ["emulated-fermi", "emulated-hopper"]
    assert "first=emulated-fermi&second=emulated-hopper" in outcome["address"]
    assert outcome["again"] == "02_misaligned_reads", "the choice is in the address"
    rows = {claim: (first, second) for claim, first, second in outcome["differing"]}
    halves = next(value for claim, value in rows.items() if "halves" in claim)
    assert halves[0].startswith("reproduced 0.50×") and halves[1].startswith("weaker 0.80×")
    assert 0 < len(rows) < outcome["all"]


AXE = """
const results = {};
for (const theme of ["light", "dark"]) {
  setTheme(theme);
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  const serious = violations.filter((each) => ["serious", "critical"].includes(each.impact));
  results[theme] = serious.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`);
  if (root.scrollWidth > innerWidth) results[theme].push("wider than the screen");
}
return results;
"""


# Chromium's window cannot be that narrow, a frame can; all frames share one browser.
FRAMES = """<body><script>
const widths = %s, found = {};
addEventListener("message", ({ data }) => {
  found[data.width] = data.found;
  if (Object.keys(found).length < widths.length) return;
  const made = document.createElement("pre"); made.id = "result";
  made.textContent = JSON.stringify(found); document.body.append(made);
});
for (const width of widths) {
  const frame = document.createElement("iframe");
  frame.style = `width: ${width}px; height: 1000px; border: 0`;
  frame.src = "%s"; document.body.append(frame);
}
</script></body>"""


@browser
@pytest.mark.parametrize("name", ["index", "02_misaligned_reads", "verdicts", "compare"])
def test_pages_are_accessible_and_fit(report: Path, name: str) -> None:
    outcome = run(report / f"{name}.html", AXE, axe=True, widths=(375, 1280))
    fine: dict[str, list[str]] = {"light": [], "dark": []}
    assert outcome == {"375": fine, "1280": fine}


PRINT = """
// The rules of a printer on the screen, 18 cm wide as the text of a page.
setTheme("dark");
for (const rule of document.styleSheets[0].cssRules) if (rule.media) rule.media.mediaText = "all";
root.style.width = "18cm";
document.querySelectorAll("details").forEach((each) => { each.open = true; });
const style = (selector) => getComputedStyle(document.querySelector(selector));
const edge = document.body.getBoundingClientRect().right + 1;
const beyond = [...document.querySelectorAll("main *")].filter((each) => each.getBoundingClientRect().right > edge);
return {
  header: style("header").display, text: style("body").color, back: style("body").backgroundColor,
  beyond: beyond.slice(0, 3).map((each) => each.outerHTML.slice(0, 200)),
};
"""


@browser
@pytest.mark.parametrize("name", ["index", "15_bank_conflicts", "verdicts", "compare", "kernels"])
def test_pages_can_be_printed(report: Path, name: str) -> None:
    """Dark ink also of the dark theme, no navigation, nothing beyond the paper."""
    assert run(report / f"{name}.html", PRINT) == {
        "header": "none",
        "text": "rgb(27, 31, 36)",
        "back": "rgb(255, 255, 255)",
        "beyond": [],
    }


@browser
def test_a_print_has_all_sections_and_is_short(report: Path, tmp_path: Path) -> None:
    pdf = tmp_path / "page.pdf"
    page = report / "08_block_size.html"
    subprocess.run(
        [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--print-to-pdf={pdf}", page.as_uri()],
        capture_output=True, check=True, timeout=120,
    )  # fmt: skip
    sheets = len(re.findall(rb"/Type /Page\b(?!s)", pdf.read_bytes()))
    assert 4 <= sheets <= 8  # folded parts included, no sheet left empty before a table


KEYS = """
const usable = "a[href], button, select, input, summary, [tabindex]";
const order = [...document.querySelectorAll(usable)].filter((each) => each.checkVisibility());
const skipped = order.filter((each) => each.tabIndex !== 0).map((each) => each.outerHTML.slice(0, 200));
const faint = order.filter((each) => {
  each.focus();
  const { outlineStyle, outlineWidth } = getComputedStyle(each);
  return document.activeElement !== each || outlineStyle === "none" || parseFloat(outlineWidth) < 2;
}).map((each) => each.outerHTML.slice(0, 200));
order[0].focus();
const skip = order[0].getBoundingClientRect();
const scrolled = [...document.querySelectorAll(".scroll, pre")]
  .filter((each) => each.scrollWidth > each.clientWidth && each.tabIndex !== 0 && !each.querySelector(usable))
  .map((each) => each.outerHTML.slice(0, 200));
return { first: order[0].textContent, seen: skip.left >= 0, skipped, faint, scrolled };
"""


@browser
@pytest.mark.parametrize("name", ["index", "15_bank_conflicts", "verdicts", "compare", "kernels"])
def test_pages_are_used_by_keyboard(report: Path, name: str) -> None:
    """Tab comes by everything in the order of the page, the first is the link past the navigation, and
    what has the focus is outlined; what scrolls sideways is reached, too."""
    assert run(report / f"{name}.html", KEYS, width=500) == {
        "first": "Skip to the content",
        "seen": True,
        "skipped": [],
        "faint": [],
        "scrolled": [],
    }


@browser
@pytest.mark.parametrize("width", [1012, 1600])
def test_the_commands_of_the_front_page_stand_on_two_screens(report: Path, width: int) -> None:
    """Of 1,000 pixels; below them the table of rules."""
    height = run(
        report / "index.html",
        "return document.querySelector('main pre').getBoundingClientRect().bottom + scrollY;",
        width,
    )
    assert 500 < height <= 2000
