"""Many machines, through Dask: atlases, searches over parameters, claims of families of games.

The user brings a client (``dask.distributed.Client``), whose workers have this package. Results
come as they are found. What a worker that dies was computing is computed again by another one,
and what is written to a table is not computed again at all: it is the table that ``nimrule
atlas --output`` and ``nimrule search --output`` write, and either goes on with the other's. Each
row says what it is of, and a table of another game, rule, claim or version is refused.
"""

from __future__ import annotations

import csv
import io
import os
import stat
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
_SEARCH = ("number", "parameters", "standing", "detail", "seconds")


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
    game = [str(heaps), *(["--misere"] if misere else [])]
    head = command("atlas", *game, "--each", "0", "--only", "1")

    def stands(row: dict[str, str]) -> bool:
        return row["standing"] == "proved" or float(row["seconds"]) >= each

    arguments = [*game, "--each", str(each)]
    with _Table(output, _ATLAS, head["identity"], int(head["games"]), stands) as table:
        yield from _rows(client, table, _atlas_row, (arguments,), retries)


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
    the time for the proof of a claim, in seconds, and ``most`` the number of values. Rows of the
    table stand if more time would change nothing, or none is given.
    """
    options = ["--most", str(most), *settings_of(game)]
    with RuleFile(game) as path:
        head = command("search", path, "--each", "0", *options, "--only", "1")

    def stands(row: dict[str, str]) -> bool:
        return row["standing"] in ("proved", "fails", "no rule") or float(row["seconds"]) >= each

    arguments = ["--each", str(each), *options]
    with _Table(output, _SEARCH, head["identity"], int(head["choices"]), stands) as table:
        yield from _rows(client, table, _search_row, (game, arguments), retries)


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
    client: Any, table: _Table, task: Any, arguments: tuple[Any, ...], retries: int
) -> Iterator[dict[str, Any]]:
    """Compute the rows that do not stand, and yield all."""
    from dask.distributed import as_completed

    yield from (row for number, row in sorted(table.rows.items()) if number in table.standing)
    wanted = [number for number in range(1, table.count + 1) if number not in table.standing]
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
    """The table of a run as a CSV file, to which rows are appended.

    As that of the command line (``src/cli/resumable.rs``): a row is a line, its last cell says
    what it is of, and a line without its end was cut off. At the end the rows are in order.
    """

    def __init__(
        self, path: Any, columns: tuple[str, ...], identity: str, count: int, stands: Any
    ) -> None:
        self.path = None if path is None else Path(path).resolve()
        self.columns = columns
        self.identity = identity
        self.count = count
        self.lines: dict[int, str] = {}
        self.rows: dict[int, dict[str, Any]] = {}
        self.standing: set[int] = set()
        self.order: list[int] = []
        self.file: io.BufferedRandom | None = None
        if self.path is None:
            return
        self.file = _locked(self.path)
        try:
            self._read(self.file, stands)
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file, and write it anew if its rows are not in order."""
        if self.file is None or self.path is None:
            return
        with self.file:
            if self.order == sorted(set(self.order)):
                return
            # A run that is stopped leaves the table that was there.
            with tempfile.NamedTemporaryFile("wb", dir=self.path.parent, delete=False) as file:
                Path(file.name).chmod(stat.S_IMODE(self.path.stat().st_mode))
                lines = [self._head(), *(line for _, line in sorted(self.lines.items()))]
                file.write("".join(lines).encode())
            Path(file.name).replace(self.path)

    def _read(self, file: io.BufferedRandom, stands: Any) -> None:
        """Read the rows of an earlier run."""
        file.seek(0)
        written = file.read()
        whole = written[: written.rfind(b"\n") + 1]
        if not whole and not self._head().encode().startswith(written):
            raise self._refused("it is a line without an end")
        file.truncate(len(whole))
        if not whole:
            self._append(self._head())
            return
        reader = csv.DictReader(io.StringIO(whole.decode("utf-8"), newline=""))
        names = tuple(reader.fieldnames or ())
        if names != (*self.columns, "identity"):
            earlier = "it does not say what its rows are of"
            known = set(names) <= set(self.columns)
            raise self._refused(earlier if known else "it has other columns")
        for cells in reader:
            identity = cells["identity"]
            if identity != self.identity:
                raise self._refused(f"it is of `{identity}` and not of `{self.identity}`")
            number = int(cells["number"])
            if not 1 <= number <= self.count:
                raise self._refused(f"it has the row {number}, and this run has {self.count}")
            self.order.append(number)
            self.lines[number] = self._line([cells[column] for column in self.columns])
            self.rows[number] = {column: _read(column, cells[column]) for column in self.columns}
            self.standing.discard(number)
            if stands(cells):
                self.standing.add(number)

    def add(self, row: dict[str, Any]) -> None:
        """Add a row, and append it to the file."""
        number = int(row["number"])
        self.rows[number] = row
        self.lines[number] = self._line([_written(row[column]) for column in self.columns])
        self.order.append(number)
        self._append(self.lines[number])

    def _append(self, line: str) -> None:
        if self.file is not None:
            self.file.write(line.encode())
            self.file.flush()

    def _head(self) -> str:
        return _line([*self.columns, "identity"])

    def _line(self, cells: list[str]) -> str:
        return _line([*cells, self.identity])

    def _refused(self, why: str) -> ValueError:
        rest = f"{why}: choose another file, or delete it"
        return ValueError(f"`{self.path}` is no table of this run: {rest}")


def _locked(path: Path) -> io.BufferedRandom:
    """Open the file of a table, which no other run may use meanwhile."""
    while True:
        file = path.open("a+b")
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise ValueError(f"another run writes `{path}`: choose another file") from None
        except (ImportError, OSError):
            # Some systems have no locks.
            return file
        # The run that had it may have written the table anew.
        if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
            return file
        file.close()


def _line(cells: list[str]) -> str:
    """Cells as a line of CSV."""
    line = io.StringIO()
    writer = csv.writer(line, lineterminator="\n")
    writer.writerow([cell.replace("\n", " ").replace("\r", " ") for cell in cells])
    return line.getvalue()


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
