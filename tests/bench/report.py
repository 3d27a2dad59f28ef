"""The table of compare.py: rows that are kept as JSON, and their text."""

from __future__ import annotations

import json
import pathlib
from typing import Any

COLUMNS = ["numpy", "numba", "jax", "torch", "torch-compile", "pytensor", "pythran", "dace",
           "products", "handwritten"]
YARDSTICKS = {"products", "handwritten"}
REACHED = 1.03  # times the limit of memory: what counts as reaching it
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

    name = "table"
    cold = ["gnomon"]  # whose first calls are shown

    def __init__(self, folder: pathlib.Path, machine: str, keep: bool) -> None:
        self.folder, self.machine = folder, machine
        self.rows: dict[str, Row] = {}
        file = folder / f"{self.name}.json"
        if keep and file.exists():
            self.rows = json.loads(file.read_text())["rows"]

    def add(self, row: Row) -> None:
        self.rows[f"{row['case']} / {row['threads']}"] = row

    def write(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        data = {"machine": self.machine, "rows": self.rows}
        (self.folder / f"{self.name}.json").write_text(json.dumps(data, indent=1) + "\n")
        (self.folder / f"{self.name}.md").write_text(self.text())

    def unequal_bits(self, case: str) -> list[str]:
        rows = [r for r in self.rows.values() if r["case"] == case]
        if len({r["bits"] for r in rows if "bits" in r}) < 2:
            return []
        return [f"{case}: results differ between thread counts"]

    def text(self) -> str:
        rows = list(self.rows.values())
        shown = [s for s in COLUMNS if any(s in r["seconds"] for r in rows)]
        cold = ["cold", *(f"cold {system}" for system in self.cold[1:])]
        head = ["case", "threads", "ours", *shown, "limit", *cold, "cached", "memory"]
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
            *(duration(row.get("cold", {}).get(system)) for system in self.cold),
            duration(row.get("cached", {}).get("gnomon")),
            megabytes(row["memory"].get("gnomon")),
        ]


class WildTable(Table):
    """The rows of the programs of wild/, and how many of them nobody runs faster."""

    name = "wild"
    cold = ["gnomon", "jax"]

    def text(self) -> str:
        return super().text() + "\n" + "\n".join(self.summary()) + "\n"

    def summary(self) -> list[str]:
        """The programs by how far ahead the best of the others is, then the counts."""
        if not self.rows:
            return []
        rows = sorted(self.rows.values(), key=lambda row: best(row)[0])
        head = ["best peer / ours", "case", "threads", "ours", "best peer", "limit", "cold",
                "cold jax"]
        lines = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head))]
        for row in rows:
            times, system = best(row)
            limit = ratio(row, "limit")
            cells = [
                f"{times:.2f}", row["case"], str(row["threads"]),
                duration(row["seconds"]["gnomon"]),
                f"{system} {duration(row['seconds'].get(system))}",
                "" if limit is None else f"{100 * limit:.0f} %",
                *(duration(row.get("cold", {}).get(s)) for s in self.cold),
            ]
            lines.append("| " + " | ".join(cells) + " |")
        return [*lines, "", self.counts(rows)]

    def counts(self, rows: list[Row]) -> str:
        fine = [row for row in rows if best(row)[0] > 1 or is_at_limit(row)]
        rest = [row for row in rows if not is_at_limit(row)]
        slow = [row for row in rest if best(row)[0] < 0.9]
        cold = [row["cold"] for row in rows if {"gnomon", "jax"} <= row.get("cold", {}).keys()]
        quicker = [taken for taken in cold if taken["gnomon"] < taken["jax"]]
        worst = min(rest or rows, key=lambda row: best(row)[0])
        return (f"{len(fine)} of {len(rows)} programs ahead of every peer or within 3 % of "
                f"memory's limit; worst: {worst['case']} {best(worst)[0]:.2f}; "
                f"{len(slow)} under 0.9; "
                f"cold compile ahead of JAX's in {len(quicker)} of {len(cold)}.")


def best(row: Row) -> tuple[float, str]:
    """How many times the duration of ours goes into that of the fastest other, and which it is."""
    others = [(t, s) for s, t in row["seconds"].items() if s in COLUMNS and s not in YARDSTICKS]
    if not others:
        return float("inf"), ""
    seconds, system = min(others)
    return seconds / row["seconds"]["gnomon"], system


def is_at_limit(row: Row) -> bool:
    limit = row["seconds"].get("limit")
    return limit is not None and row["seconds"]["gnomon"] <= REACHED * limit
