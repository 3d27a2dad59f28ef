"""Pages that show functions, in a real browser."""

import json
import pathlib
import re
import subprocess

import numpy as np
import pytest
from browser import Browser

import gnomon as gn

PROGRAM = pathlib.Path(gn._core.__file__).parent / "gnomon"


@pytest.fixture(scope="module")
def browser():
    with Browser() as b:
        yield b
        assert b.console == []


def layer(h, w):
    return gn.tanh(h @ w)


def network():
    x, w = gn.matrix("x </script>"), gn.matrix("w")
    hidden = layer(layer(x, w), w)
    total = gn.fori_loop(0, 40, lambda i, s: s * 0.5 + 1.0, gn.sum(hidden, axis=0))
    return gn.function([x, w], {"total": total}, profile=True, name="net </script>")


X, W = np.array([[1.0, -2.0], [0.5, 4.0]]), np.array([[1.0, 0.25], [-3.0, 2.0]])


@pytest.fixture(scope="module")
def net():
    f = network()
    f(X, W)
    return f


@pytest.fixture
def opened(browser, net, tmp_path):
    path = tmp_path / "net.html"
    net.view(X, W).save(path)
    browser.open(path)
    return browser


def labels(browser):
    return browser.run("panes[0].graph.nodes.map(n => n.label)")


def place_of(browser, test):
    """Where the first node stands in the window for which `test` of JavaScript holds."""
    return browser.run(
        "(() => { const p = panes[0], r = p.canvas.getBoundingClientRect();"
        f"const n = p.graph.nodes.find(n => {test});"
        "return [r.left + (n.x - p.left) * p.scale, r.top + (n.y - p.top) * p.scale]; })()")


def data(page):
    text = re.search(r'<script type="application/json" id="graph">(.*?)</script>', page, re.S)[1]
    return json.loads(text)


def test_the_page_has_all_stages_from_the_captured_graph_to_kernels(opened):
    names = opened.run("[...document.getElementById('stage').options].map(o => o.text)")
    assert names[0].endswith(" captured") and names[-1].endswith(" kernels") and len(names) > 2
    assert opened.run("document.title") == "net </script>"
    assert "x </script>" in labels(opened) and labels(opened).count("tanh") == 2


def test_stepping_changes_the_picture(opened):
    seen = []
    count = opened.run("page.stages.length")
    for s in range(count):
        assert opened.run("document.querySelector('#first .title').textContent") == opened.run(
            f"page.stages[{s}].name")
        seen.append(opened.screenshot())
        opened.run("document.getElementById('next').click()")
        opened.drawn()
    assert len(set(seen)) == count
    assert opened.run("document.getElementById('next').disabled")
    opened.run("document.getElementById('stage').value = 0;"
               "document.getElementById('stage').dispatchEvent(new Event('change'));"
               "document.getElementById('beside').click()")
    titles = opened.run("[...document.querySelectorAll('.title')].map(t => t.textContent)")
    assert titles == opened.run("page.stages.slice(0, 2).map(s => s.name)")


def test_the_rewrites_of_a_pass_stand_beside_it(browser, tmp_path):
    x = gn.vector("x")
    page = tmp_path / "soft.html"
    gn.function([x], gn.log(1 + gn.exp(x))).view().save(page)
    browser.open(page)
    at = browser.run("page.stages.findIndex(s => s.name === 'stabilize')")
    assert at > 0
    browser.run(f"go({at})")
    told = browser.run("document.getElementById('side').textContent")
    assert "Rewrites of this pass" in told and "log" in told and "test_view.py:" in told
    made = browser.run("panes[0].graph.nodes.filter(n => n.isNew).map(n => n.label)")
    assert made and not browser.run("go(0), panes[0].graph.nodes.some(n => n.isNew)")
    assert browser.run("panes[0].graph.nodes.some(n => n.goes)")


def test_search_finds_and_goes_there(opened):
    def search(text):
        opened.run(f"document.getElementById('search').value = {json.dumps(text)};"
                   "document.getElementById('search').dispatchEvent(new Event('input'))")
        return opened.run("document.getElementById('found').textContent")

    assert search("no such node") == "nothing found"
    assert search("test_view.py:") != "nothing found"
    assert search("tanh(h @ w)") != "nothing found"
    assert search("x </script>") != "nothing found"
    opened.run("document.getElementById('search').dispatchEvent("
               "new KeyboardEvent('keydown', {key: 'Enter'}))")
    assert opened.run("document.querySelector('#side h2').textContent") == "x </script>"


def test_calls_of_functions_and_loops_are_opened_and_closed(opened):
    before = len(labels(opened))
    opened.run("document.getElementById('close').click()")
    closed = labels(opened)
    assert {"layer #1", "layer #2"} <= set(closed) and "tanh" not in closed
    opened.drawn()
    opened.click(*place_of(opened, "n.label === 'layer #2'"), count=2)
    assert "tanh" in labels(opened) and "layer #2" not in labels(opened)
    assert "layer #1" in labels(opened)
    opened.run("document.getElementById('open').click()")
    assert len(labels(opened)) > before  # the body of the loop
    opened.run("go(page.stages.length - 1)")
    steps = len(labels(opened))
    assert "for" in labels(opened)
    opened.drawn()
    opened.click(*place_of(opened, "n.kind === 'loop'"), count=2)
    assert "for" in labels(opened) and len(labels(opened)) < steps
    opened.run("document.getElementById('toggle').click()")
    assert len(labels(opened)) == steps


class Encoder:
    def forward(self, h, w):
        return gn.tanh(h @ w)


class Decoder:
    def forward(self, h, w):
        return gn.exp(gn.fori_loop(0, 3, lambda i, s: gn.sin(s) + 0.5, h) @ w)


def test_functions_of_one_name_are_told_apart(browser, tmp_path, monkeypatch):
    """Methods by their classes, others by numbers; loops go with the calls they are in."""
    (tmp_path / "other_layers.py").write_text(
        "import gnomon as gn\n\n\ndef layer(h, w):\n    return gn.cosh(h - w)\n")
    monkeypatch.syspath_prepend(tmp_path)
    import other_layers

    x, w = gn.matrix("x"), gn.matrix("w")
    h = other_layers.layer(layer(x, w), w)
    y = Decoder().forward(Encoder().forward(h, w), w)
    gn.function([x, w], {"y": y}, name="two names").view(X, W).save(tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert "fori" in labels(browser)
    browser.run("document.getElementById('close').click()")
    closed = labels(browser)
    calls = sorted(label for label in closed if "#" in label)
    assert calls == ["Decoder.forward #1", "Encoder.forward #1", "layer #1", "layer #2"]
    assert not {"fori", "sin", "exp", "tanh", "cosh"} & set(closed)
    browser.drawn()
    browser.click(*place_of(browser, "n.label === 'Decoder.forward #1'"), count=2)
    assert {"fori", "exp"} <= set(labels(browser)) and "tanh" not in labels(browser)
    browser.run("document.getElementById('open').click()")
    assert "sin" in labels(browser)  # the body of the loop
    browser.drawn()
    browser.click(*place_of(browser, "n.label === 'fori'"), count=2)
    assert "fori" in labels(browser) and "sin" not in labels(browser)


def test_the_mouse_shows_type_line_and_range(opened):
    x, y = place_of(opened, "n.label === 'x </script>'")
    opened.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    tip = opened.run("document.getElementById('tip').textContent")
    assert "f64[" in tip and "values: -2 to 4" in tip
    x, y = place_of(opened, "n.label === 'tanh'")
    opened.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    tip = opened.run("document.getElementById('tip').textContent")
    line = layer.__code__.co_firstlineno + 1
    assert f"test_view.py:{line}  return gn.tanh(h @ w)" in tip
    hidden = np.tanh(X @ W)
    least, greatest = (float(v) for v in re.search(r"values: (\S+) to (\S+)", tip).groups())
    assert least == pytest.approx(hidden.min(), rel=1e-5)
    assert greatest == pytest.approx(hidden.max(), rel=1e-5)


def test_a_click_on_a_kernel_shows_its_code_and_profile(opened, net):
    opened.run("go(page.stages.length - 1)")
    opened.drawn()
    opened.click(*place_of(opened, "n.kind === 'kernel' && n.lines.length"))
    side = opened.run("document.getElementById('side').textContent")
    assert "gnomon_" in side and "{" in side and "test_view.py:" in side
    assert re.search(r"\d+ calls, \S+ ms", side)
    (profiled,) = net.profile().functions
    steps = [s for s in opened.run("page.stages[page.stages.length - 1].steps")
             if s["kind"] not in ("parameter", "output")]
    assert [(s["kind"], s["name"]) for s in steps] == [(s.kind, s.name) for s in profiled.steps]
    # Of steps one of which runs, as for small products, all make what the next ones read.
    drawn = opened.run("panes[0].graph.nodes.map(n => ({key: n.key, inputs: n.inputs}))")
    read = {key for node in drawn for key in node["inputs"]}
    results = {node["key"] for node in drawn} - read
    assert len(results) == 1, results  # the output, which nothing reads
    assert opened.run("document.querySelector('#side pre').textContent") in {
        s.get("code") for s in steps}


def test_halves_complex_numbers_and_shared_variables_have_ranges():
    z, h = gn.vector("z", dtype="complex128"), gn.vector("h", dtype="float16")
    s = gn.shared(np.array(2.5), name="s")
    f = gn.function([z, h], [gn.fft.fft(z), h * gn.astype(s, "float16")], updates={s: s + 1})
    page = data(f.view(np.array([3 + 4j, 0]), np.array([1, np.nan, -2], "float16")).html())
    # The first are those of the captured graph: passes bring others to native types.
    named = {page["parameters"][n["parameter"]]: n["range"] for n in reversed(page["nodes"])
             if "parameter" in n and "range" in n}
    assert named["z"] == ["magnitude 0 to 5"]
    assert named["h"] == ["-2 to 1, 1 NaN"] and named["s"] == ["2.5"]
    assert ["magnitude 5"] in [n.get("range") for n in page["nodes"] if n["op"] == "fft"]
    assert float(s.get_value()) == 2.5


def test_arguments_are_those_of_a_call(net, tmp_path):
    for wrong in (X[0], X[:, :1]):
        with pytest.raises(gn.ValueError):
            net.view(wrong, W)
    with pytest.raises(TypeError):
        net.view(X)
    with pytest.raises(gn.DeviceError, match="view: cannot write .*: No such file"):
        net.view().save(tmp_path / "none" / "net.html")
    assert "iframe srcdoc" in net.view()._repr_html_()


def test_a_compiled_function_has_a_page_of_its_arguments():
    @gn.compiled
    def twice(x):
        return gn.exp(x) * 2

    page = data(twice.view(np.array([0.0, 1.0])).html())
    assert ["1 to 2.71828"] in [n.get("range") for n in page["nodes"] if n["op"] == "exp"]


def test_a_function_from_the_cache_has_the_same_page(tmp_path):
    def made():
        x = gn.vector("x")
        return gn.function([x], gn.exp(x) * 3.5, cache_folder=str(tmp_path))

    first, second = made(), made()
    assert not first.was_cached and second.was_cached
    assert first.view().html() == second.view().html()


def test_the_command_writes_the_same_page_from_any_folder(net, tmp_path):
    pages = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        gn.save(folder / "net.gn", net)
        words = [PROGRAM, "view", "net.gn", "-o", "page.html"]
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        pages.append((folder / "page.html").read_bytes())
    assert pages[0] == pages[1] and str(tmp_path).encode() not in pages[0]
    wrong = [[PROGRAM, "view", "net.gn", "-o", "none/page.html"],
             [PROGRAM, "view", "net.gn", "w=1", "-o", "page.html"]]
    for words in wrong:
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
        assert result.returncode == 1 and result.stderr.startswith("gnomon: "), words


def test_ten_thousand_nodes_are_drawn_in_a_part_of_a_second(browser, tmp_path):
    x = gn.vector("x")
    path = tmp_path / "large.gn"
    gn.save(path, gn.function([x], x + 1))
    head = re.sub("# checksum.*\n", "", path.read_text().split("\ngraph", 1)[0]) + "\n"
    lines = ["graph[n](x: f64[n]) {", "  %0 = param(index=0, dtype=f64, shape=[n]): f64[n]"]
    for i in range(1, 10_000):
        other = max(0, i - 1 - i * 7919 % 50)
        lines.append(f"  %{i} = {'add' if i % 2 else 'maximum'}(%{i - 1}, %{other}): f64[n]")
    path.write_text(head + "\n".join([*lines, "  return %9999", "}"]) + "\n")
    page = tmp_path / "large.html"
    result = subprocess.run([PROGRAM, "view", path, "-o", page], capture_output=True, text=True,
                            timeout=300)
    assert (result.returncode, result.stderr) == (0, "")
    browser.open(page)
    assert browser.run("panes[0].graph.nodes.length") == 10_001
    measure = ("Array.from({length: 20}, () => { const t = performance.now();"
               "panes[0].draw(); return performance.now() - t; })")
    assert min(browser.run(measure)) < 100  # milliseconds, of all nodes
    browser.run("panes[0].centre(panes[0].graph.nodes[5000])")
    assert min(browser.run(measure)) < 100  # from near, with names
