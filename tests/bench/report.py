"""The table of compare.py: rows that are kept as JSON, and their text."""

from __future__ import annotations

import json
import pathlib
from typing import Any

COLUMNS = ["numpy", "numba", "jax", "torch", "torch-compile", "pytensor", "products",
           "handwritten"]
Row = dict[str, Any]


def duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def megabytes(size: float | None) -> str:
    return "" if size is None else f"{size / 1e6:.3g} MB"


def ratio(row: Row, system: str) -> float | None:
    """How many times the duration of ours goes into that of `system`."""
    theirs = row["seconds"].get(system)
    return None if theirs is None else theirs / row["seconds"]["gnomon"]


def behind(row: Row) -> dict[str, float]:
    """For each target that is missed, which part of it is reached."""
    reached = {s: (ratio(row, s), wanted) for s, wanted in row["target"].items()}
    return {s: r / wanted for s, (r, wanted) in reached.items() if r is not None and r < wanted}


def target(row: Row, system: str) -> str:
    found = ratio(row, system)
    return f"{system} {found:.2f} of {row['target'][system]:.2f}"


def line(row: Row) -> str:
    """One row as it is measured."""
    words = [f"{row['case']} ({row['threads']}t): {duration(row['seconds']['gnomon'])};"]
    words += [f"{s} {ratio(row, s):.2f}" for s in COLUMNS if s in row["seconds"]]
    if "limit" in row["seconds"]:
        words.append(f"limit {ratio(row, 'limit'):.2f}")
    missed = behind(row)
    if missed:
        words.append("; missed: " + ", ".join(target(row, s) for s in missed))
    return " ".join(words)


class Table:
    """Rows by case and number of threads, in the order they were measured."""

    def __init__(self, folder: pathlib.Path, machine: str, keep: bool) -> None:
        self.folder, self.machine = folder, machine
        self.rows: dict[str, Row] = {}
        file = folder / "table.json"
        if keep and file.exists():
            self.rows = json.loads(file.read_text())["rows"]

    def add(self, row: Row) -> None:
        self.rows[f"{row['case']} / {row['threads']}"] = row

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        data = {"machine": self.machine, "rows": self.rows}
        (self.folder / "table.json").write_text(json.dumps(data, indent=1) + "\n")
        (self.folder / "table.md").write_text(self.text())

    def unequal_bits(self, case: str) -> list[str]:
        rows = [r for r in self.rows.values() if r["case"] == case]
        if len({r["bits"] for r in rows if "bits" in r}) < 2:
            return []
        return [f"{case}: results differ between thread counts"]

    def text(self) -> str:
        rows = list(self.rows.values())
        shown = [s for s in COLUMNS if any(s in r["seconds"] for r in rows)]
        head = ["case", "threads", "ours", *shown, "limit", "cold", "cached", "memory"]
        body = [self.cells(row, shown) for row in rows]
        lines = [head, ["---"] * len(head), *body]
        parts = ["| " + " | ".join(cells) + " |" for cells in lines]
        missed = sorted(
            (part, f"{row['case']}, {row['threads']} threads: {target(row, system)}")
            for row in rows
            for system, part in behind(row).items()
        )
        parts += ["", f"{self.machine}. Cells of other systems: their time, and its ratio to ours."]
        parts += self.scaling()
        parts += [f"Missed: {text}" for _, text in missed]
        return "\n".join(parts) + "\n"

    def scaling(self) -> list[str]:
        """How much faster more threads are than one, beside what the machine's limit gains."""
        lines = []
        for row in self.rows.values():
            one = self.rows.get(f"{row['case']} / 1")
            if row["threads"] == 1 or one is None:
                continue
            gains = {s: one["seconds"][s] / row["seconds"][s] for s in ("gnomon", "limit")
                     if s in one["seconds"] and s in row["seconds"]}
            text = f"{row['case']}: {row['threads']} threads are {gains['gnomon']:.2f} x one"
            lines.append(text + (f"; the limit {gains['limit']:.2f} x" if "limit" in gains else ""))
        return lines

    def cells(self, row: Row, shown: list[str]) -> list[str]:
        seconds = row["seconds"]
        others = [
            f"{duration(seconds[s])} ({ratio(row, s):.2f})" if s in seconds else "" for s in shown
        ]
        limit = ratio(row, "limit")
        reached = "" if limit is None else f"{100 * limit:.0f} %"
        return [
            row["case"],
            str(row["threads"]),
            duration(seconds["gnomon"]),
            *others,
            reached,
            duration(row.get("cold", {}).get("gnomon")),
            duration(row.get("cached", {}).get("gnomon")),
            megabytes(row["memory"].get("gnomon")),
        ]
