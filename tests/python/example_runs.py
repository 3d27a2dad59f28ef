"""How tests run the examples: their folder, and one with its picture."""

import importlib
import importlib.util
import pathlib

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "frontend" / "python" / "examples"


def run(name, tmp_path, **options):
    """What `main` of an example gives; it draws its picture where matplotlib is installed."""
    plot = tmp_path / f"{name}.png"
    result = importlib.import_module(name).main(plot=plot, **options)
    if importlib.util.find_spec("matplotlib") is not None:
        assert plot.stat().st_size > 0
    return result
