#!/usr/bin/env python3
"""Rule files of the simplicial games with a number of heaps, each with its closed forms as claims.

usage: atlas.py NIMRULE HEAPS FOLDER

The games and the forms are those of `nimrule atlas HEAPS`, under normal and misere play. A game
without a closed form has no file.
"""
import csv
import pathlib
import subprocess
import sys


def main():
    nimrule, heaps, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    claims = {}
    for options, convention in ([], ""), (["--misere"], "misere "):
        table = subprocess.run([nimrule, "atlas", heaps, "--quiet", "--format", "csv", *options],
                               check=True, capture_output=True, text=True).stdout
        for row in csv.DictReader(table.splitlines()):
            if row["form"]:
                claims.setdefault((row["number"], row["faces"]), []).append(
                    f"claim {convention}P iff {row['form']}\n")
    names = " ".join("abcdefgh"[: int(heaps)])
    for (number, facets), stated in claims.items():
        facets = ", ".join(f"{{{', '.join(facet)}}}" for facet in facets.split())
        name = f"simplicial_{heaps}_{int(number):02}"
        (folder / f"{name}.nimrule").write_text(
            f"game {name}\nheaps {names}\nfamily facet = {facets}\nmove take from one facet\n{''.join(stated)}")


main()
