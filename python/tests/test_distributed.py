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


def test_a_wrong_table(client: Any, tmp_path: Path) -> None:
    table = tmp_path / "other.csv"
    table.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="no table of this run"):
        list(distributed.atlas(2, client, output=table))
