"""The site's source: the pages of docs/, with links into the tree turned into links to pages."""

from __future__ import annotations

import pathlib
import posixpath
import re
from collections.abc import Iterator

from prose import fenced

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".md": "markdown", ".txt": "text",
             ".toml": "toml", "": "sh"}
README = "Installing and first programs"  # the title of its page
GALLERY = "frontend/python/examples"  # the folder that the gallery shows


class SiteError(Exception):
    """What keeps the site from being made."""


_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"(`+)(?:.+?)\1|(\]\()([^)\s]+)(\))")


class Pages:
    """Pages by their paths in the site's source, and the source files that they link to."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.wanted: list[str] = []
        self.pictures: dict[str, pathlib.Path] = {}  # by their paths in the site's source

    def add(self, page: str, text: str, home: str) -> None:
        """A page that stands at `home` in the tree, from where its links are read."""
        lines, fence = [], ""
        for line in text.splitlines():
            found = _FENCE.match(line)
            if found and not fence:
                fence = found[1]
            elif fence and line.strip().startswith(fence):
                fence = ""
            elif not fence:
                line = _LINK.sub(lambda m: self._link(m, page, home), line)
            lines.append(line)
        self.texts[page] = "\n".join(lines) + "\n"

    def _link(self, found: re.Match[str], page: str, home: str) -> str:
        """A link as it must be on the page; code stays as it is."""
        target = found[3]
        if target is None or re.match(r"[a-z]+:|#", target):
            return found[0]
        path, _, anchor = target.partition("#")
        inside = posixpath.normpath(posixpath.join(posixpath.dirname(home), path))
        if inside.startswith("../"):
            raise SiteError(f"pages: {home}: {target} is outside of the tree")
        to = self._page_of(inside, f"{home}: {target}")
        way = posixpath.relpath(to, posixpath.dirname(page) or ".")
        return f"{found[2]}{way}{'#' + anchor if anchor else ''}{found[4]}"

    def _page_of(self, path: str, link: str) -> str:
        """The page that shows a file or folder of the tree."""
        if not (ROOT / path).exists():
            raise SiteError(f"pages: {link}: there is no {path}")
        if path == "README.md":
            return "readme.md"
        if path.startswith("docs/") and path.endswith(".md"):
            return path.removeprefix("docs/")
        if path.startswith("docs/") and path.endswith(".png"):
            self.pictures[path.removeprefix("docs/")] = ROOT / path
            return path.removeprefix("docs/")
        if path == GALLERY:
            return "gallery/index.md"
        if path not in self.wanted:
            self.wanted.append(path)
        return f"tree/{path}/index.md" if (ROOT / path).is_dir() else f"tree/{path}.md"

    def add_wanted(self) -> None:
        """Pages of the files and folders that pages link to, and that those link to."""
        for path in self.wanted:  # grows meanwhile
            if (ROOT / path).is_dir():
                files = sorted(p for p in (ROOT / path).iterdir() if p.is_file())
                text = "\n".join(f"* [{file.name}]({file.name})" for file in files)
                self.add(f"tree/{path}/index.md", f"---\norphan: true\n---\n\n# {path}\n\n{text}",
                         f"{path}/index.md")
            else:
                file = ROOT / path
                code = fenced(file.read_text(encoding="utf-8"), LANGUAGES.get(file.suffix, "text"))
                self.texts[f"tree/{path}.md"] = f"---\norphan: true\n---\n\n# {path}\n\n{code}\n"


def documents() -> Iterator[pathlib.Path]:
    """The pages that are kept in the tree."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted((ROOT / "docs" / "design").glob("*.md"))


def site_pages() -> Pages:
    """The pages of the tree and those of the files that they link to."""
    pages = Pages()
    for path in documents():
        home = path.relative_to(ROOT).as_posix()
        text = path.read_text(encoding="utf-8")
        if home == "README.md":  # index.md is the page with the title Gnomon
            pages.add("readme.md", text.replace("# Gnomon\n", f"# {README}\n", 1), home)
        else:
            pages.add(home.removeprefix("docs/"), text, home)
    pages.add_wanted()
    return pages
