"""Pages as HTML: Markdown of the repository, made safe, with figures inline and links inside the site."""

import base64
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CudaLexer

from notebook.base import files

_TAGS = {
    *("h1", "h2", "h3", "h4", "p", "a", "img", "em", "strong", "code", "pre", "ul", "ol", "li"),
    *("table", "thead", "tbody", "tr", "th", "td", "br", "hr", "details", "summary"),
    *("sub", "sup", "span", "div", "blockquote"),
}
_ATTRIBUTES = {
    "*": {"class", "id"},
    "a": {"href", "title"},
    "img": {"src", "alt"},
    "div": {"role", "tabindex", "aria-label"},
    "pre": {"role", "tabindex", "aria-label"},
}
_FIGURE = "data:image/svg+xml;base64,"
# nh3 has one list of schemes; a link must not use the one that figures need.
_SCHEMES = {"http", "https", "data"}
_FORMATTER = HtmlFormatter(nowrap=True)


def page(
    path: Path,
    root: Path,
    links: Mapping[Path, str],
    code: Mapping[str, str] = MappingProxyType({}),
) -> Markup:
    """A Markdown file as HTML. `links` names the site's page of a file or folder; links to other
    files of the repository become plain text. `code` names the place of a kernel."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = markdown.parse(files.text_of(path))
    for token in _all(tokens):
        token.children = _linked(token.children, code)
        if token.type == "image":
            _inline_figure(token, path, root)
        elif token.type == "link_open":
            _redirect(token, path, root, links)
        elif token.type == "heading_open":
            heading = tokens[tokens.index(token) + 1].content
            token.attrSet("id", re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"))
    html = markdown.renderer.render(tokens, markdown.options, {})
    region = '<div class="scroll" role="region" tabindex="0" aria-label="table"><table>'
    html = html.replace("<table>", region).replace("</table>", "</table></div>")
    html = html.replace("<pre>", '<pre role="region" tabindex="0" aria-label="code">')
    figure = r'<div class="scroll figure" role="region" tabindex="0" aria-label="figure">\1</div>'
    html = re.sub(r"<p>(<img [^>]*>)</p>", figure, html)
    return Markup(_safe(html))


def _linked(tokens: list[Token] | None, code: Mapping[str, str]) -> list[Token] | None:
    """The tokens of a line, in which names of kernels become links, except within links."""
    if not tokens:
        return tokens
    linked, depth = [], 0
    for token in tokens:
        depth += token.nesting if token.type.startswith("link_") else 0
        place = code.get(token.content) if token.type == "code_inline" and not depth else None
        if place is None:
            linked.append(token)
        else:
            opening = Token("link_open", "a", 1, attrs={"href": place})
            linked += [opening, token, Token("link_close", "a", -1)]
    return linked


def with_code(text: str) -> Markup:
    """Text in which words between backticks are code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return Markup(escape(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def _safe(html: str) -> str:
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=_filtered,
        url_schemes=_SCHEMES,
    )


def _filtered(tag: str, name: str, value: str) -> str | None:
    if name == "src":
        return value if value.startswith(_FIGURE) else None
    if name == "href" and value.startswith("data:"):
        return None
    return value


def _all(tokens: list[Token]) -> list[Token]:
    return [descendant for token in tokens for descendant in (token, *_all(token.children or []))]


def figure(path: Path) -> str:
    """An SVG as the address of an image: scripts in it cannot run there."""
    return _FIGURE + base64.b64encode(files.text_of(path).encode()).decode("ascii")


def _target(token: Token, name: str, page: Path, root: Path) -> Path | None:
    """The file of the repository that a link or an image names."""
    text = str(token.attrGet(name) or "").partition("#")[0]
    if not text or ":" in text:
        return None
    path = (page.parent / text).resolve()
    return path if path.is_relative_to(root) and path.exists() else None


def _inline_figure(token: Token, page: Path, root: Path) -> None:
    path = _target(token, "src", page, root)
    if path is not None and path.suffix == ".svg":
        token.attrSet("src", figure(path))
    else:
        token.attrSet("src", "")


def _redirect(token: Token, page: Path, root: Path, links: Mapping[Path, str]) -> None:
    address = str(token.attrGet("href") or "")
    if address.startswith(("http://", "https://", "#")):
        return
    path = _target(token, "href", page, root)
    token.attrs = {"title": address}
    if path is not None and path in links:
        fragment = address.partition("#")[2]
        token.attrSet("href", links[path] + (f"#{fragment}" if fragment else ""))


def cuda(text: str) -> list[Markup]:
    """The lines of CUDA source, highlighted."""
    lines = highlight(text, CudaLexer(stripnl=False), _FORMATTER).split("\n")
    return [Markup(line) for line in lines]


def highlighting() -> str:
    """The style sheet of highlighted source, for light and dark pages."""
    light: Any = HtmlFormatter(style="xcode")
    dark: Any = HtmlFormatter(style="github-dark")
    return "\n".join(
        [light.get_style_defs(".source"), dark.get_style_defs('[data-theme="dark"] .source')]
    )
