"""The gallery: a page for each example, with what it prints and draws when it is run."""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from pages import GALLERY, ROOT, SiteError
from prose import fenced, markdown, plain

EXAMPLES = ROOT / GALLERY
SECONDS = 300  # the longest that an example may run; the longest take half a minute alone

FIELDS = {
    "Physics and chemistry": "kinetics molecules orbit patterns shallow_water wave_packet",
    "Engineering": "robot_arm tracking truss",
    "Images and sounds": "deblur echo tomography",
    "Statistics and data": "epidemic gaussian_process logistic_regression newton page_rank "
                           "ratings sampler",
    "Finance": "black_scholes",
    "Neural networks": "autoencoder characters lenet mlp neural_ode per_example_gradients "
                       "softmax_regression",
    "Ways of writing programs": "imperative line_search",
}
OTHER = "More"  # the field of examples that have none

RUN = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
importlib.import_module(sys.argv[2]).main(plot=sys.argv[3])
"""


@dataclasses.dataclass
class Result:
    """What an example printed, its picture, or why there is neither."""

    printed: str = ""
    picture: pathlib.Path | None = None
    missing: str = ""


def examples() -> list[pathlib.Path]:
    """The scripts of the gallery."""
    return sorted(p for p in EXAMPLES.glob("*.py") if p.stem != "support")


def kept_at(script: pathlib.Path, results: pathlib.Path) -> pathlib.Path:
    """The folder of a script's result, named by the content of what it is made of."""
    digest = hashlib.sha256(script.read_bytes())
    digest.update((EXAMPLES / "support.py").read_bytes())
    return results / f"{script.stem}-{digest.hexdigest()[:16]}"


def kept(folder: pathlib.Path) -> Result | None:
    """The result that an earlier build left in a folder, if it did."""
    if not (folder / "printed.txt").exists():
        return None
    picture = folder / "picture.png"
    return Result((folder / "printed.txt").read_text(), picture if picture.exists() else None)


def result_of(script: pathlib.Path, results: pathlib.Path, run: bool = True,
              seconds: float = SECONDS) -> Result:
    """The result of a script: the kept one, or that of a run. SiteError if it fails."""
    folder = kept_at(script, results)
    found = kept(folder)
    if found is not None or not run:
        return found or Result(missing="It was not run for this build of the page.")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    with tempfile.TemporaryDirectory() as place:
        picture = pathlib.Path(place) / "picture.png"
        command = [sys.executable, "-c", RUN, str(script.parent), script.stem, str(picture)]
        try:
            done = subprocess.run(command, cwd=place, env=environment, capture_output=True,
                                  text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Result(missing=f"It took more than the {seconds:g} seconds that examples have "
                                  "while these pages are built.")
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            if last.startswith("FileNotFoundError"):
                return Result(missing="It was not run, since its data was not there when this "
                                      "page was built.")
            raise SiteError(f"gallery: {script.name} failed:\n{done.stderr}")
        for old in results.glob(f"{script.stem}-" + 16 * "?"):
            shutil.rmtree(old)
        folder.mkdir(parents=True)
        if picture.exists():
            shutil.copy(picture, folder)
        (folder / "printed.txt").write_text(done.stdout)
    return kept(folder) or Result()


def title_of(script: pathlib.Path) -> tuple[str, str]:
    """The first line of a script's docstring, and the rest of it."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or script.stem
    first, _, rest = text.partition("\n")
    return first.removesuffix("."), rest.strip("\n")


def page_text(script: pathlib.Path, result: Result) -> str:
    """The page of an example."""
    title, rest = title_of(script)
    parts = [f"# {plain(title)}", markdown(rest)]
    if result.picture is not None:
        parts.append(f"![{plain(title)}]({script.stem}.png)")
    if result.printed.strip():
        parts += ["It prints", fenced(result.printed, "text")]
    if result.missing:
        parts.append(f"**{plain(result.missing)}**")
    parts += [f"## {script.name}", fenced(script.read_text(encoding="utf-8"), "python")]
    return "\n\n".join(parts) + "\n"


def short(title: str) -> str:
    """A title for menus: what stands before a colon or bracket, or else before a comma."""
    first = re.split(r"[:(]", title)[0]
    return (first if first != title else title.split(",")[0]).strip()


def fields(there: list[str]) -> dict[str, list[str]]:
    """Which of these scripts are of each field."""
    found = {field: [n for n in names.split() if n in there] for field, names in FIELDS.items()}
    placed = {name for names in found.values() for name in names}
    found[OTHER] = [name for name in there if name not in placed]
    return {field: names for field, names in found.items() if names}


def card(name: str, title: str, has_picture: bool) -> str:
    """A thumbnail of an example and its title, links to its page."""
    picture = f"[![{plain(title)}]({name}.png)]({name}.md)\n\n" if has_picture else ""
    return f":::{{container}} card\n{picture}[{plain(title)}]({name}.md)\n:::"


def gallery(results: pathlib.Path, run: bool = True) -> tuple[dict[str, str],
                                                              dict[str, pathlib.Path]]:
    """The pages of the gallery and their pictures, by their paths in the site's source."""
    texts, pictures, titles = {}, {}, {}
    for script in examples():
        result = result_of(script, results, run)
        titles[script.stem] = title_of(script)[0]
        texts[f"gallery/{script.stem}.md"] = page_text(script, result)
        if result.picture is not None:
            pictures[f"gallery/{script.stem}.png"] = result.picture
    parts = ["# Gallery", "Each page has the source of a program, what it prints and what it "
             "draws. The programs are those of `frontend/python/examples`."]
    for field, names in fields(list(titles)).items():
        cards = "\n".join(card(name, titles[name], f"gallery/{name}.png" in pictures)
                          for name in names)
        listed = "\n".join(f"{short(titles[name])} <{name}>" for name in names)
        parts += [f"## {field}", f"::::{{container}} cards\n{cards}\n::::",
                  fenced(f":hidden:\n:caption: {field}\n\n{listed}", "{toctree}")]
    texts["gallery/index.md"] = "\n\n".join(parts) + "\n"
    return texts, pictures
