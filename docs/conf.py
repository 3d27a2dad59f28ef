"""How Sphinx makes the site of the pages that docs/site/make.py puts together."""

import pathlib
import sys

import gnomon

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "site"))

project = "Gnomon"
version = release = gnomon.__version__
copyright = "the authors of Gnomon"
extensions = ["myst_parser", "entries"]

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
smartquotes = False
python_use_unqualified_type_names = True
toc_object_entries = False  # pages have tables of their names; each of them in each menu is slow
# One object of several names is on one page, so it does not matter which of them a type means.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"Gnomon {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
templates_path: list[str] = []
