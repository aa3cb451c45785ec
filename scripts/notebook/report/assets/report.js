"use strict";
// Dark or light, printing, and the two tables: verdicts.html and compare.html.

const root = document.documentElement;

function keptTheme() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}

function setTheme(theme) {
  root.dataset.theme = theme;
  try { localStorage.setItem("theme", theme); } catch { /* some browsers keep nothing for files */ }
}

setTheme(keptTheme() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
document.getElementById("theme").addEventListener("click", () => {
  setTheme(root.dataset.theme === "dark" ? "light" : "dark");
});
addEventListener("beforeprint", () => {
  for (const each of document.querySelectorAll("details")) each.open = true;
});

// A link leads to a line inside of a fold.
function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const fold = target?.closest("details") ?? target?.querySelector("details");
  if (fold) { fold.open = true; target.scrollIntoView(); }
}
addEventListener("hashchange", unfold);

// The choices of a form stand in the address, so that it can be sent to others.
function restore(form) {
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    const field = form.elements[name];
    if (!field) continue;
    if (field.type === "checkbox") field.checked = value === "on";
    else if ([...(field.options ?? [{ value }])].some((option) => option.value === value)) field.value = value;
  }
}

function keep(form) {
  const chosen = [...form.elements].filter((field) => field.name)
    .map((field) => [field.name, field.type === "checkbox" ? (field.checked ? "on" : "off") : field.value])
    .filter(([, value]) => value !== "");
  history.replaceState(null, "", `#${new URLSearchParams(chosen)}`);
}

function loadRows() {
  const { fields, texts, rows } = JSON.parse(document.getElementById("data").textContent);
  return rows.map((row) => Object.fromEntries(fields.map((field, at) => [field, texts[row[at]]])));
}

function cell(text, name = "") {
  const made = document.createElement("td");
  const parts = text.split("`");
  if (parts.length % 2 === 0) made.textContent = text;
  else parts.forEach((part, at) => {
    const piece = document.createElement(at % 2 ? "code" : "span");
    // Long names break after an underscore, where a screen is narrow.
    const words = part.split(/(?<=_)/);
    piece.append(...words.flatMap((word, nth) => nth ? [document.createElement("wbr"), word] : [word]));
    made.append(piece);
  });
  if (name) made.className = name.replaceAll(" ", "-");
  return made;
}

// The class of a verdict; of several, as in "2 no effect, 1 holds", none.
function tone(verdict) {
  return /^\d/.test(verdict) ? "" : verdict;
}

function addOptions(select, values) {
  for (const value of [...new Set(values)].sort()) select.add(new Option(value, value));
}

function showCount(shown, all, what) {
  document.getElementById("count").textContent = `${shown} of ${all} ${what}`;
}

function showVerdicts(table) {
  const columns = ["chapter", "claim", "source", "printed", "device", "evidence", "value", "verdict", "why"];
  const page = 100;
  const rows = loadRows();
  const form = document.getElementById("filters");
  const more = document.getElementById("more");
  let order = { column: "chapter", sign: 1 };
  let limit = page;

  const wordsOf = (row) => row.verdict.split(", ").map((word) => word.replace(/^\d+ /, ""));
  addOptions(form.elements.chapter, rows.map((row) => row.chapter));
  addOptions(form.elements.generation, rows.map((row) => row.generation));
  addOptions(form.elements.evidence, rows.map((row) => row.evidence));
  addOptions(form.elements.verdict, rows.flatMap(wordsOf));

  function matches(row) {
    const wanted = Object.fromEntries(new FormData(form));
    const text = `${row.claim} ${row.source} ${row.device} ${row.why}`.toLowerCase();
    return ["chapter", "generation", "evidence"].every((field) => !wanted[field] || row[field] === wanted[field])
      && (!wanted.verdict || wordsOf(row).includes(wanted.verdict))
      && text.includes(wanted.search.toLowerCase());
  }

  function draw() {
    const compare = new Intl.Collator("en", { numeric: true }).compare;
    const found = rows.filter(matches);
    found.sort((a, b) => order.sign * compare(a[order.column], b[order.column]));
    table.tBodies[0].replaceChildren(...found.slice(0, limit).map((row) => {
      const line = document.createElement("tr");
      for (const column of columns) line.append(cell(row[column], column === "verdict" ? tone(row.verdict) : ""));
      return line;
    }));
    more.hidden = found.length <= limit;
    showCount(found.length, rows.length, "verdicts");
    for (const head of table.tHead.rows[0].cells) {
      const isSorted = head.dataset.column === order.column;
      head.ariaSort = isSorted ? (order.sign > 0 ? "ascending" : "descending") : "none";
    }
  }

  for (const column of columns) {
    const head = document.createElement("th");
    head.scope = "col";
    head.dataset.column = column;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = column;
    button.addEventListener("click", () => {
      order = { column, sign: order.column === column ? -order.sign : 1 };
      draw();
    });
    head.append(button);
    table.tHead.rows[0].append(head);
  }
  restore(form);
  form.addEventListener("input", () => { limit = page; keep(form); draw(); });
  form.addEventListener("reset", () => setTimeout(() => { limit = page; keep(form); draw(); }));
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", () => { limit += page; draw(); });
  draw();
}

function showComparison(table) {
  const rows = loadRows();
  const form = document.getElementById("pair");
  addOptions(form.elements.chapter, rows.map((row) => row.chapter));

  function draw() {
    const wanted = Object.fromEntries(new FormData(form));
    const of = (device) => new Map(rows.filter((row) => row.device === device).map((row) => [`${row.chapter} ${row.claim}`, row]));
    const [first, second] = [of(wanted.first), of(wanted.second)];
    const both = [...first.keys()].filter((key) => second.has(key))
      .filter((key) => !wanted.chapter || first.get(key).chapter === wanted.chapter);
    const shown = both.filter((key) => {
      const [a, b] = [first.get(key), second.get(key)];
      return !wanted.differing || a.verdict !== b.verdict || a.value !== b.value;
    });
    table.tHead.rows[0].replaceChildren(...["chapter", "claim", "printed", wanted.first, wanted.second].map((text) => {
      const head = document.createElement("th");
      head.scope = "col";
      head.textContent = text;
      return head;
    }));
    table.tBodies[0].replaceChildren(...shown.map((key) => {
      const [a, b] = [first.get(key), second.get(key)];
      const line = document.createElement("tr");
      line.append(cell(a.chapter), cell(a.claim), cell(a.printed));
      for (const row of [a, b]) line.append(cell(`${row.verdict} ${row.value}`.trim(), tone(row.verdict)));
      return line;
    }));
    showCount(shown.length, both.length, "claims on both devices");
  }

  restore(form);
  form.addEventListener("input", () => { keep(form); draw(); });
  draw();
}

const verdicts = document.getElementById("verdicts");
if (verdicts) showVerdicts(verdicts);
const comparison = document.getElementById("comparison");
if (comparison) showComparison(comparison);
if (document.querySelector("section details")) unfold();
