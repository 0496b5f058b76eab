"""Many machines, through Dask: atlases, searches over parameters, claims of families of games.

The user brings a client (``dask.distributed.Client``), whose workers have this package. Results
come as they are found. What a worker that dies was computing is computed again by another one,
and what is written to a table is not computed again at all: it is the table that ``nimrule
atlas --output`` and ``nimrule search --output`` write, and either goes on with the other's.
"""

from __future__ import annotations

import csv
import os
import tempfile
from pathlib import Path

from nimrule._command import File as RuleFile
from nimrule._command import command, settings_of
from nimrule._errors import NimruleError
from nimrule._game import Game, Verdicts
from nimrule._limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_ATLAS = ("number", "faces", "standing", "states", "form", "seconds", "growth")
_SEARCH = ("number", "parameters", "standing", "detail")


def atlas(
    heaps: int,
    client: Any,
    *,
    misere: bool = False,
    each: float = 20,
    output: str | os.PathLike[str] | None = None,
    retries: int = 3,
) -> Iterator[dict[str, Any]]:
    """The games of simplicial Nim with a number of heaps, each with its P-positions.

    The rows of ``nimrule atlas --format json``, in the order in which they are found; rows of the
    table that stand come first. ``each`` is the time for each game, in seconds.
    """
    arguments = [str(heaps), "--each", str(each), *(["--misere"] if misere else [])]
    count = int(command("atlas", *arguments[:1], "--each", "0", "--only", "1")["games"])

    def stands(row: dict[str, str]) -> bool:
        return row["standing"] == "proved" or float(row["seconds"]) >= each

    table = _Table(output, _ATLAS, stands)
    yield from _rows(client, table, count, _atlas_row, (arguments,), retries)


def search(
    game: Game,
    client: Any,
    *,
    each: float = 2,
    most: int = 100_000,
    output: str | os.PathLike[str] | None = None,
    retries: int = 3,
) -> Iterator[dict[str, Any]]:
    """The values of the parameters of a rule, each with what is known of the claims there.

    The rows of ``nimrule search --format json``, in the order in which they are found. ``each`` is
    the time for the proof of a claim, in seconds, and ``most`` the number of values.
    """
    options = ["--most", str(most), *settings_of(game)]
    with RuleFile(game) as path:
        count = int(command("search", path, "--each", "0", *options, "--only", "1")["choices"])

    def stands(_: dict[str, str]) -> bool:
        return True

    table = _Table(output, _SEARCH, stands)
    arguments = ["--each", str(each), *options]
    yield from _rows(client, table, count, _search_row, (game, arguments), retries)


def claims(
    games: Iterable[Game],
    client: Any,
    *,
    prove: bool = False,
    max: int | None = None,
    retries: int = 3,
) -> Iterator[tuple[Game, Verdicts | NimruleError]]:
    """The claims of many games, each with its verdicts as they come, or why there are none.

    With ``prove`` as `Game.prove` gives them, else as `Game.check`.
    """
    from dask.distributed import as_completed

    futures = {
        client.submit(_verdicts, game, prove, max, retries=retries, pure=False): game
        for game in games
    }
    try:
        completed: Any = as_completed(futures)
        for future in completed:
            yield futures[future], future.result()
    finally:
        client.cancel(list(futures))


def _verdicts(game: Game, prove: bool, most: int | None) -> Verdicts | NimruleError:
    try:
        return game.prove() if prove else game.check(most)
    except NimruleError as error:
        return error


def _atlas_row(number: int, arguments: list[str]) -> dict[str, Any]:
    found = command("atlas", *arguments, "--only", str(number), limits=Limits(threads=1))
    return _only_row(found)


def _search_row(number: int, game: Game, arguments: list[str]) -> dict[str, Any]:
    with RuleFile(game) as path:
        only = ["--only", str(number)]
        return _only_row(command("search", path, *arguments, *only, limits=Limits(threads=1)))


def _only_row(found: Any) -> dict[str, Any]:
    rows: list[dict[str, Any]] = found["rows"]
    return rows[0]


def _rows(
    client: Any, table: _Table, count: int, task: Any, arguments: tuple[Any, ...], retries: int
) -> Iterator[dict[str, Any]]:
    """Compute the rows that do not stand, and yield all."""
    from dask.distributed import as_completed

    yield from (row for number, row in sorted(table.rows.items()) if number in table.standing)
    wanted = [number for number in range(1, count + 1) if number not in table.standing]
    futures = [
        client.submit(task, number, *arguments, retries=retries, pure=False) for number in wanted
    ]
    try:
        completed: Any = as_completed(futures)
        for future in completed:
            row: dict[str, Any] = future.result()
            table.add(row)
            yield row
    finally:
        client.cancel(futures)


class _Table:
    """The table of a run as a CSV file, written anew with each row."""

    def __init__(self, path: Any, columns: tuple[str, ...], stands: Any) -> None:
        self.path = None if path is None else Path(path)
        self.columns = columns
        self.cells: dict[int, list[str]] = {}
        self.rows: dict[int, dict[str, Any]] = {}
        self.standing: set[int] = set()
        if self.path is None or not self.path.exists():
            return
        with self.path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) != columns:
                raise ValueError(f"`{self.path}` is no table of this run: choose another file")
            for cells in reader:
                number = int(cells["number"])
                self.cells[number] = [cells[column] for column in columns]
                self.rows[number] = {column: _read(column, cells[column]) for column in columns}
                if stands(cells):
                    self.standing.add(number)

    def add(self, row: dict[str, Any]) -> None:
        """Add a row, and write the table."""
        number = int(row["number"])
        self.rows[number] = row
        self.cells[number] = [_written(row[column]) for column in self.columns]
        if self.path is None:
            return
        # A run that is stopped leaves the table that was there.
        folder = self.path.resolve().parent
        with tempfile.NamedTemporaryFile(
            "w", dir=folder, delete=False, newline="", encoding="utf-8"
        ) as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(cells for _, cells in sorted(self.cells.items()))
        Path(file.name).replace(self.path)


def _written(value: Any) -> str:
    if value is None:
        return ""
    return str(value) if isinstance(value, (int, float, str)) else " ".join(value)


def _read(column: str, cell: str) -> Any:
    if column in ("number", "states"):
        return int(cell) if cell else None
    if column == "seconds":
        return float(cell)
    if column == "faces":
        return cell.split(" ")
    return None if column in ("form", "growth") and not cell else cell
