"""Puts the source of the site together, has Sphinx make HTML of it, and checks the links."""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys

from gallery import gallery
from links import problems
from pages import ROOT, SiteError, site_pages
from reference import reference


def write(folder: pathlib.Path, texts: dict[str, str], pictures: dict[str, pathlib.Path]) -> None:
    """Makes `folder` hold these files and no others; those that are the same are not touched."""
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    for name, picture in pictures.items():
        file = folder / name
        if not file.exists() or file.read_bytes() != picture.read_bytes():
            shutil.copy(picture, file)
    for file in [p for p in folder.rglob("*") if p.is_file()]:
        if file.relative_to(folder).as_posix() not in {*texts, *pictures}:
            file.unlink()


def main() -> int:
    """The exit status: 0 if all pages were made and every link leads somewhere."""
    parser = argparse.ArgumentParser(prog="site", description=__doc__)
    parser.add_argument("--out", default=str(ROOT / "build" / "site"), metavar="DIR",
                        help="the folder of html, source and the results of examples")
    parser.add_argument("--check", action="store_true", help="also check the links of the HTML")
    parser.add_argument("--no-run", action="store_true", help="run no example: take kept results")
    options = parser.parse_args()
    out = pathlib.Path(options.out).resolve()
    try:
        drawn, pictures = gallery(out / "gallery", run=not options.no_run)
        pages = site_pages()
        texts = {**pages.texts, **reference(), **drawn}
    except SiteError as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    write(out / "source", texts, {**pages.pictures, **pictures})
    # All pages anew: Sphinx does not see all that menus and links depend on.
    command = [sys.executable, "-m", "sphinx", "-E", "-a", "-q", "-W", "--keep-going", "-b", "html",
               "-c", str(ROOT / "docs"), "-d", str(out / "doctrees"), str(out / "source"),
               str(out / "html")]
    if subprocess.run(command).returncode != 0:
        return 1
    found = problems(out / "html") if options.check else []
    for problem in found:
        print(f"site: {problem}", file=sys.stderr)
    print(f"site: {len(texts)} pages in {out / 'html'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
