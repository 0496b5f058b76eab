"""Dask, with two worker processes on this machine, one of which is killed."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dask.distributed import Client, LocalCluster

from nimrule import Game, NimruleError, command, distributed, games


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,  # pyright: ignore
        Client(cluster) as client,
    ):
        yield client


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [{name: value for name, value in row.items() if name != "seconds"} for row in rows]
    return sorted(kept, key=lambda row: int(row["number"]))


def test_atlas(client: Any, tmp_path: Path) -> None:
    """The atlas of four heaps, a worker killed in the middle, resumed by the command line."""
    table = tmp_path / "atlas.csv"
    workers = list(client.run(os.getpid).values())
    timer = threading.Timer(1.5, os.kill, (workers[0], signal.SIGKILL))
    timer.start()
    found = list(distributed.atlas(4, client, each=20, output=table))
    timer.join()
    expected = command("atlas", "4", "--each", "20")["rows"]
    assert without_times(found) == without_times(expected)
    again = command("atlas", "4", "--each", "20", "--output", str(table))["rows"]
    assert without_times(again) == without_times(expected)
    begun = time.monotonic()
    resumed = list(distributed.atlas(4, client, each=20, output=table))
    assert without_times(resumed) == without_times(expected)
    assert time.monotonic() - begun < 5, "rows that stand are computed again"


def test_search(client: Any) -> None:
    game = Game(
        "game g param k = 2 in 1..6 heaps a move take 1..k from a claim P iff a mod 3 == 0"
    )
    found = {row["parameters"]: row["standing"] for row in distributed.search(game, client)}
    assert found == {f"k={k}": "proved" if k == 2 else "fails" for k in range(1, 7)}


def test_claims(client: Any) -> None:
    family = [games["circular_nim"].with_(n=n, k=k) for n in range(3, 6) for k in range(1, n)]
    found = dict(distributed.claims(family, client))
    assert set(found) == set(family)
    for game, verdicts in found.items():
        assert not isinstance(verdicts, NimruleError)
        assert verdicts.passes is not False, game


def test_tables_of_others(client: Any, tmp_path: Path) -> None:
    """A table is that of the same heaps and convention, and stays as it is for others."""
    kinds = [(heaps, misere) for heaps in (2, 3) for misere in (False, True)]
    tables = {kind: tmp_path / f"{kind}.csv" for kind in kinds}
    for (heaps, misere), table in tables.items():
        list(distributed.atlas(heaps, client, misere=misere, output=table))
    for (heaps, misere), own in tables.items():
        for table in tables.values():
            before = table.read_bytes()
            if table == own:
                list(distributed.atlas(heaps, client, misere=misere, output=table))
            else:
                with pytest.raises(ValueError, match="no table of this run: it is of"):
                    list(distributed.atlas(heaps, client, misere=misere, output=table))
                play = ["--misere"] if misere else []
                with pytest.raises(NimruleError, match="cannot be resumed"):
                    command("atlas", str(heaps), *play, "--output", str(table))
            assert table.read_bytes() == before


def test_a_search_of_another_claim(client: Any, tmp_path: Path) -> None:
    """The table of a search is that of the same rule, claims and parameters."""
    table = tmp_path / "search.csv"
    rule = "game g param k = 2 in 1..3 param m = 1 in 1..2 heaps a move take 1..k from a claim "
    game = Game(rule + "P iff a mod (k + 1) == 0")
    found = list(distributed.search(game, client, output=table))
    assert {row["standing"] for row in found} == {"proved"}
    before = table.read_bytes()
    again = list(distributed.search(game, client, output=table))
    assert again == sorted(found, key=lambda row: int(row["number"]))
    others = [
        Game(rule + "P iff a == 0"),
        Game((rule + "P iff a mod (k + 1) == 0").replace("1..k", "2..k + 1")),
        game.with_(m=2),
    ]
    for other in others:
        with pytest.raises(ValueError, match="no table of this run"):
            list(distributed.search(other, client, output=table))
        assert table.read_bytes() == before


def test_a_table_is_completed(client: Any, tmp_path: Path) -> None:
    """Rows are appended to a table with its permissions, wherever it was cut off."""
    table = tmp_path / "atlas.csv"
    umask = os.umask(0o027)
    try:
        list(distributed.atlas(2, client, output=table))
    finally:
        os.umask(umask)
    assert table.stat().st_mode & 0o777 == 0o640
    whole = table.read_text()
    table.chmod(0o600)

    def without_seconds(text: str) -> list[list[str]]:
        return [line.split(",")[:5] + line.split(",")[6:] for line in text.splitlines()]

    lines = whole.splitlines(keepends=True)
    for text in [*(whole[:length] for length in range(0, len(whole), 60)), lines[0] + lines[2]]:
        table.write_text(text)
        list(distributed.atlas(2, client, output=table))
        assert without_seconds(table.read_text()) == without_seconds(whole)
    assert table.stat().st_mode & 0o777 == 0o600


def test_a_table_has_one_run_at_a_time(client: Any, tmp_path: Path) -> None:
    table = tmp_path / "atlas.csv"
    first = distributed.atlas(2, client, output=table)
    next(first)
    with pytest.raises(ValueError, match="another run writes"):
        list(distributed.atlas(2, client, output=table))
    with pytest.raises(NimruleError, match="another run writes"):
        command("atlas", "2", "--output", str(table))
    list(first)
    assert len(command("atlas", "2", "--output", str(table))["rows"]) == 2


def test_a_wrong_table(client: Any, tmp_path: Path) -> None:
    table = tmp_path / "other.csv"
    for text in ("a,b\n1,2\n", "number,faces\n1,ab\n", "my notes"):
        table.write_text(text)
        with pytest.raises(ValueError, match="no table of this run"):
            list(distributed.atlas(2, client, output=table))
        assert table.read_text() == text
