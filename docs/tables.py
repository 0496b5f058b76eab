#!/usr/bin/env python3
"""Writes the tables of the book that `nimrule discover` makes.

    docs/tables.py [--nimrule PROGRAM] [NAME…]

Each table stands in a page between `<!-- tables.py NAME -->` and `<!-- end -->`. Every row is a
run of `nimrule discover --no-cache` without a time limit of its own, so that it ends where the
residuals have only grown, or after the 300 seconds of a search. A row is written as soon as it is
known. `proved` has the number of states, `grows` and `open` are no proofs that no automaton
exists; the seconds are of this run.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

BOOK = pathlib.Path(__file__).parent / "src"
GAMES = pathlib.Path(__file__).parent.parent / "games"


def discovered(program, rule, *options):
    """What `discover` finds of a rule file or a text: words, and the seconds."""
    return answer(program, rule, *options)[:2]


def answer(program, rule, *options):
    """Likewise, with the answer of the program."""
    with tempfile.TemporaryDirectory() as folder:
        path = GAMES / rule
        if "\n" in rule:
            path = pathlib.Path(folder) / "rule.nimrule"
            path.write_text(rule)
        command = [program, "discover", path, "--no-cache", "--quiet", "--format", "json"]
        begun = time.monotonic()
        run = subprocess.run(
            [*command, *options], stdout=subprocess.PIPE, encoding="utf-8", check=False
        )
        took = time.monotonic() - begun
    seconds = f"{took:.1f}" if took < 10 else f"{took:.0f}"
    if not run.stdout:
        return "out of memory or time", seconds, None
    found = json.loads(run.stdout)
    match found["standing"]:
        case "proved":
            return str(found["states"]), seconds, found
        case "unknown":
            return ("grows" if found["gave_up"] else "open"), seconds, found
        case _:
            return "unsupported", seconds, found


def board(on, heaps, part):
    """The rule that takes from one part of a board."""
    return f"game g\nboard {on}\nheaps on {heaps}\nmove take from one {part}\n"


def prisms(program):
    """Prisms and antiprisms to 8 heaps."""
    yield "| board | heaps on | a move takes from | normal | seconds | misere | seconds |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    names = {
        "prism(3)": ["faces", "vertices"],
        "prism(4)": ["faces", "vertices"],
        "prism(5)": ["faces"],
        "prism(6)": ["faces"],
        "antiprism(3)": ["faces", "vertices"],
        "antiprism(4)": ["vertices"],
    }
    for on, all_heaps in names.items():
        for heaps in all_heaps:
            for part in ["vertex", "edge"] if heaps == "faces" else ["edge", "face"]:
                rule = board(on, heaps, part)
                normal = discovered(program, rule)
                misere = discovered(program, rule, "--misere")
                cells = [f"`{on}`", heaps, f"one {part}", *normal, *misere]
                yield f"| {' | '.join(cells)} |"


def final_sets(program):
    """Wythoff's game with a final set, l = 0 to 14."""
    yield "| l | normal | seconds |"
    yield "| --- | --- | --- |"
    for number in range(15):
        found = discovered(program, "wythoff_final_set.nimrule", "--set", f"k={number}")
        yield f"| {number} | {' | '.join(found)} |"


def circular(program):
    """Numbers of circular Nim."""
    yield "| game | states | seconds | invariant | a(m) | recurrence | growth |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    games = [(4, 2), (5, 2), (5, 3), (6, 3), (6, 4), (6, 5), (7, 3), (7, 4), (8, 6)]
    for heaps, arc in games:
        options = ["--set", f"n={heaps}", "--set", f"k={arc}", "--numbers"]
        states, seconds, found = answer(program, "circular_nim.nimrule", *options)
        cells = [f"CN({heaps},{arc})", states, seconds]
        if found and "numbers" in found:
            numbers = found["numbers"]
            vectors = numbers["invariant"]["minimal"]
            cells.append(" ".join("".join(map(str, vector)) for vector in vectors) or "none")
            cells.append(", ".join(map(str, numbers["p_positions"][:5])))
            cells.append(", ".join(map(str, numbers["recurrence"])))
            cells.append(f"N^{numbers['exponent']:.4g} of N^{heaps}")
        yield f"| {' | '.join(cells)} |"


def blocking(program):
    """Blocking Wythoff Nim, k = 0 to 3."""
    yield "| k | normal | seconds | misere | seconds |"
    yield "| --- | --- | --- | --- | --- |"
    for number in range(4):
        choice = ["--set", f"k={number}"]
        normal = discovered(program, "blocking_wythoff.nimrule", *choice)
        misere = discovered(program, "blocking_wythoff.nimrule", *choice, "--misere")
        yield f"| {number} | {' | '.join([*normal, *misere])} |"


TABLES = {
    "prisms": ("cookbook/planar.md", prisms),
    "final-sets": ("theorems.md", final_sets),
    "circular": ("theorems.md", circular),
    "blocking": ("theorems.md", blocking),
}


def written(name, rows):
    """Writes the rows of a table in its page, the ones of an earlier run after them removed."""
    page = BOOK / TABLES[name][0]
    text = page.read_text()
    begin = f"<!-- tables.py {name} -->\n"
    before, after = text.split(begin)
    _, after = after.split("<!-- end -->", 1)
    page.write_text(before + begin + "\n" + "\n".join(rows) + "\n\n<!-- end -->" + after)


def main():
    """Makes the tables that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nimrule", default="nimrule", help="the program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    arguments = parser.parse_args()
    for name in arguments.names or TABLES:
        rows = []
        for row in TABLES[name][1](arguments.nimrule):
            rows.append(row)
            written(name, rows)


if __name__ == "__main__":
    main()
