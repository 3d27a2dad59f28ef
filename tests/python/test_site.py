"""The documentation site: every page and name is on it, its links lead somewhere, and what it loads
is its own."""

import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import types

import pytest

import gnomon as gn

for module in ("sphinx", "myst_parser", "furo", "matplotlib"):
    pytest.importorskip(module, reason="docs/site/requirements.txt is not installed")

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


@pytest.fixture
def site(monkeypatch):
    """A module of docs/site by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "site"))
    yield importlib.import_module
    for path in (ROOT / "docs" / "site").glob("*.py"):
        sys.modules.pop(path.stem, None)


def public_names(module, path, seen):
    """The public names of a module and of the public modules in it."""
    seen.add(id(module))
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        if name[0] == "_" or id(value) in seen:
            continue
        if isinstance(value, types.ModuleType):
            if value.__name__.startswith("gnomon"):
                yield from public_names(value, f"{path}.{name}", seen)
        else:
            yield f"{path}.{name}"


def searchable(html):
    """The names of the reference that the search index has."""
    text = (html / "searchindex.js").read_text()
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.S)[1])
    return {f"{prefix}.{row[4]}" for prefix, rows in index["objects"].items() for row in rows}


def test_the_site_is_whole(site, tmp_path):
    results = tmp_path / "gallery"
    script = ROOT / "frontend" / "python" / "examples" / "black_scholes.py"
    ran = site("gallery").result_of(script, results)
    assert ran.picture is not None

    done = subprocess.run(
        [ROOT / "tools" / "site", "--out", tmp_path, "--no-run", "--check"],
        capture_output=True, text=True, env={**os.environ, "PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr

    html = tmp_path / "html"
    made = {path.relative_to(html).with_suffix("").as_posix() for path in html.rglob("*.html")}
    for path in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "design").glob("*.md")]:
        assert path.relative_to(ROOT / "docs").with_suffix("").as_posix() in made
    assert {"readme", "search", "gallery/index", "reference/index"} <= made

    names = set(public_names(gn, "gnomon", set()))
    assert {"gnomon.sort", "gnomon.linalg.det", "gnomon.scipy.signal.windows.hann",
            "gnomon.tree.map", "gnomon.lib.stride_tricks.broadcast_to"} <= names
    methods = {f"gnomon.{owner}.{name}" for owner, name in (
        ("Array", "sum"), ("Array", "shape"), ("Expr", "eval"), ("Shared", "set_value"),
        ("Function", "source"), ("Dim", "bit_length"), ("DType", "itemsize"))}
    pages = {path: path.read_text() for path in (html / "reference").glob("*.html")}
    anchors = {a for text in pages.values() for a in re.findall(r'id="(gnomon\.[^"]+)"', text)}
    assert not (names | methods) - anchors
    assert not (names | methods) - searchable(html)
    for path, text in pages.items():
        # Docstrings are no reST: nothing in them is emphasis, a footnote or a target.
        assert not re.search(r"<em>|<strong>|problematic|footnote", text), path

    # A name in the text is a link to its entry.
    assert 'href="reference/compiled.html#gnomon.compiled"' in (html / "python.html").read_text()
    shown = (html / "gallery" / "black_scholes.html").read_text()
    assert ran.printed.splitlines()[0] in shown
    assert 'src="../_images/black_scholes.png"' in shown
    overview = (html / "gallery" / "index.html").read_text()
    for path in script.parent.glob("*.py"):
        assert path.stem == "support" or f'href="{path.stem}.html"' in overview


def test_the_checks_find_what_is_wrong(site, tmp_path):
    problems = site("links").problems
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "page.html").write_text('<p id="here">')
    (tmp_path / "good.html").write_text(
        '<a href="deep/page.html#here">a</a> <a href="https://elsewhere.org">b</a>'
        '<img src="x.svg"> <style>p { background: url(x.svg) }</style> <i id="own"></i>'
        '<img src="data:image/png;base64,AA"> <a href="#own"><code class="xref">gn.sort</code></a>')
    (tmp_path / "x.svg").write_text("<svg/>")
    assert problems(tmp_path) == []
    for bad, said in (
        ('<a href="none.html">', "leads to nothing"),
        ('<a href="deep/page.html#there">', "no such anchor"),
        ('<a href="#there">', "no such anchor"),
        ('<img src="none.png">', "leads to nothing"),
        ('<script src="https://elsewhere.org/a.js"></script>', "another host"),
        ('<script src="//elsewhere.org/a.js"></script>', "another host"),
        ('<link rel="stylesheet" href="https://elsewhere.org/a.css">', "another host"),
        ('<p style="background: url(https://elsewhere.org/a.png)">', "another host"),
        ('<style>@import "https://elsewhere.org/a.css";</style>', "another host"),
        ('<code class="xref py">gn.sort</code>', "no entry"),
    ):
        (tmp_path / "bad.html").write_text(bad)
        found = problems(tmp_path)
        assert len(found) == 1 and said in found[0] and "bad.html" in found[0], bad
    (tmp_path / "bad.html").unlink()
    (tmp_path / "a.css").write_text("@font-face { src: url('https://elsewhere.org/a.woff') }")
    assert "another host" in problems(tmp_path)[0]


@pytest.mark.parametrize("text", [
    "Takes *args and **kwargs, and x*y*z.",
    "Of x_ and y_, [m, n] and a[i][j]; see [x](y).",
    "Where a < b > c & d, $x$ and {name} #1 ~y~.",
    "A line\n- 1 and\n+ 2 and\n% 3 and\n3. and\n> 4\n=== no more",
    "(name)=",
    "# no title\n| no | table |",
    "A \\ and __init__ and <https://x.org> and ![x](y)",
])
def test_a_docstring_renders_as_it_stands(site, text):
    tree = parsed(site("prose").markdown(text))
    assert tree.astext() == text
    assert {type(node).__name__ for node in tree.findall()} <= {"document", "paragraph", "Text"}


def parsed(markdown):
    from docutils.core import publish_doctree
    from myst_parser.docutils_ import Parser

    return publish_doctree(markdown, parser=Parser(), settings_overrides={
        "report_level": 2, "myst_enable_extensions": ["colon_fence"]})


def test_code_lists_and_examples_of_a_docstring(site):
    text = """What it does with `a_b*`.

    x = f(y)

    if x: y = 1

and so

    y = f(x) for small x

The options are
`first`: one of
many. `second`: goes on.
`third`: the last.

* an item of
  two lines
* another

>>> f(1)
...
[1 2]
>>> g()

>>> h()
2
"""
    tree = parsed(site("prose").markdown(text))
    code = [(n["classes"][1], n.astext().rstrip()) for n in tree.findall()
            if n.tagname == "literal_block"]
    assert code == [("python", "x = f(y)\n\nif x: y = 1"), ("text", "y = f(x) for small x"),
                    ("pycon", ">>> f(1)\n...\n[1 2]\n>>> g()\n\n>>> h()\n2")]
    items = [n.astext() for n in tree.findall() if n.tagname == "list_item"]
    assert items == ["first: one of\nmany. second: goes on.", "third: the last.",
                     "an item of\ntwo lines", "another"]


def example(folder, name, body):
    path = folder / f"{name}.py"
    path.write_text(f'"""An example, short: what it shows.\n\nMore of it.\n"""\n\n\n'
                    f"def main(plot=None):\n    {body}\n")
    return path


def test_results_of_examples_are_kept_by_content(site, tmp_path):
    gallery, results = site("gallery"), tmp_path / "results"
    script = example(tmp_path, "counting", "print('one'); open(plot, 'w').write('picture')")
    first = gallery.result_of(script, results)
    assert first.printed == "one\n" and first.picture.read_text() == "picture"
    again = gallery.result_of(script, results, run=False)
    assert again == first
    example(tmp_path, "counting", "print('two')")
    assert gallery.result_of(script, results, run=False).printed == ""
    second = gallery.result_of(script, results)
    assert second.printed == "two\n" and second.picture is None
    assert len(list(results.iterdir())) == 1


def test_examples_that_do_not_run(site, tmp_path):
    gallery, results = site("gallery"), tmp_path / "results"
    without = example(tmp_path, "without", "open('/there/is/no/such/data')")
    slow = example(tmp_path, "slow", "import time; time.sleep(60)")
    wrong = example(tmp_path, "wrong", "raise ValueError('a mistake')")
    assert "data was not there" in gallery.result_of(without, results).missing
    assert "more than the 1 seconds" in gallery.result_of(slow, results, seconds=1).missing
    with pytest.raises(site("pages").SiteError, match="a mistake"):
        gallery.result_of(wrong, results)
    assert not results.exists()
    page = gallery.page_text(without, gallery.result_of(without, results))
    assert page.startswith("# An example, short: what it shows\n\nMore of it.")
    assert "data was not there" in page and "/there/is/no/such/data" in page


def test_every_example_is_of_a_field(site):
    gallery = site("gallery")
    names = [script.stem for script in gallery.examples()]
    assert names and gallery.OTHER not in gallery.fields(names)


def test_a_link_to_nothing_is_refused(site):
    pages = site("pages").Pages()
    pages.add("here.md", "[a](testing.md) [b](../README.md#start) `[c](none.md)` [d](style.md)",
              "docs/here.md")
    assert pages.texts["here.md"] == (
        "[a](testing.md) [b](readme.md#start) `[c](none.md)` [d](style.md)\n")
    pages.add("here.md", "[a](../tools) [b](../tools/wheel)", "docs/here.md")
    assert pages.texts["here.md"] == "[a](tree/tools/index.md) [b](tree/tools/wheel.md)\n"
    pages.add_wanted()
    assert "tools/wheel" in pages.texts["tree/tools/wheel.md"]
    with pytest.raises(site("pages").SiteError, match="there is no docs/none.md"):
        pages.add("here.md", "[a](none.md)", "docs/here.md")


def test_a_name_without_a_place_is_refused(site):
    reference = site("reference")
    entry = reference.Entry("nowhere", test_a_name_without_a_place_is_refused)
    with pytest.raises(site("pages").SiteError, match="nowhere"):
        reference.place_of(entry)
