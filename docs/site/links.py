"""Checks of the HTML: links and anchors lead somewhere, and nothing comes from another host."""

from __future__ import annotations

import pathlib
import re
import urllib.parse
from html.parser import HTMLParser

# The relations of a `link` by which a browser asks a host for something.
_LOADED = {"stylesheet", "preload", "icon", "preconnect", "dns-prefetch", "modulepreload"}


class _Reader(HTMLParser):
    """The ids of a page, where its links lead, and what a browser loads for it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.lost: list[str] = []  # references of the text that Sphinx could not resolve
        self._in_link = self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
            self._in_link = True
        self._in_style = tag == "style"
        if tag == "code" and "xref" in values.get("class", "").split() and not self._in_link:
            self.lost.append(values["class"])
        if tag == "link" and "href" in values:
            kinds = values.get("rel", "").split()
            (self.loads if _LOADED & set(kinds) else self.links).append(values["href"])
        if tag != "a":
            self.loads += [values[n] for n in ("src", "data", "poster", "action") if n in values]
            self.loads += [part.split()[0] for part in values.get("srcset", "").split(",") if part]
        self.loads += _of_style(values.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loads += _of_style(data)

    def handle_endtag(self, tag: str) -> None:
        self._in_link = self._in_link and tag != "a"
        self._in_style = self._in_style and tag != "style"


def _of_style(text: str) -> list[str]:
    """What a style sheet loads."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(
        r"@import\s+['\"]([^'\"]+)", text)


def _is_foreign(address: str) -> bool:
    return bool(re.match(r"(?!data:)[a-z][a-z0-9+.-]*:|//", address, re.I))


def problems(folder: pathlib.Path) -> list[str]:
    """What is wrong with the pages in a folder: a line for each link that leads nowhere and for
    each thing that is loaded from elsewhere."""
    pages = {p: _Reader(p.read_text(encoding="utf-8")) for p in sorted(folder.rglob("*.html"))}
    found = []
    for page, reader in pages.items():
        name = page.relative_to(folder).as_posix()
        found += [f"{name}: a name leads to no entry ({kind})" for kind in reader.lost]
        for address in reader.loads:
            if _is_foreign(address):
                found.append(f"{name}: {address} is loaded from another host")
        for address in reader.links + [a for a in reader.loads if not _is_foreign(a)]:
            if _is_foreign(address) or address.startswith("data:"):
                continue
            parts = urllib.parse.urlsplit(address)
            target = page
            if parts.path:
                target = (page.parent / urllib.parse.unquote(parts.path)).resolve()
            if not target.is_file():
                found.append(f"{name}: {address} leads to nothing")
            elif parts.fragment and target in pages:
                anchor = urllib.parse.unquote(parts.fragment)
                if anchor not in pages[target].ids:
                    found.append(f"{name}: {address}: the page has no such anchor")
    for sheet in sorted(folder.rglob("*.css")):
        for address in _of_style(sheet.read_text(encoding="utf-8")):
            if _is_foreign(address):
                found.append(f"{sheet.relative_to(folder)}: {address} is loaded from another host")
    return found
