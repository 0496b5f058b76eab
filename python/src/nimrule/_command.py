"""Answers of the command line, for what has no message: in a process of its own."""

from __future__ import annotations

import sys

from nimrule._errors import LimitError, NimruleError, NoAnswer
from nimrule._limits import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from nimrule._game import Game, Sum

_LIMIT = 3


def command(*arguments: str, limits: Limits | None = None) -> Any:
    """Run a verb of the command line, and return its JSON.

    >>> command("atlas", "2")["games"]
    2
    """
    # What few need is imported where it is needed, so that the module is there at once.
    import json
    import subprocess

    options = [*arguments, "--format", "json", "--quiet", *(limits or Limits()).options()]
    done = subprocess.run(
        [sys.executable, "-m", "nimrule", *options], capture_output=True, check=False, text=True
    )
    try:
        answer = json.loads(done.stdout.splitlines()[0])
    except (ValueError, IndexError):
        raise NimruleError(done.stderr.strip() or "the command gave no answer") from None
    if "error" in answer:
        error = LimitError if done.returncode == _LIMIT else NoAnswer
        raise error(answer.get("message") or done.stderr.strip())
    return answer


class File:
    """The rule of a game as a file, with the files that it names where it names them.

    Nothing is written outside of a folder that is made for them: where a name leads out of the
    folder of the rule, as ``../board.g6`` does, the rule is so many folders deep in it. The file
    of an absolute path is read where it is.
    """

    def __init__(self, game: Game) -> None:
        self.game = game

    def __enter__(self) -> str:
        import tempfile

        self.temporary = tempfile.TemporaryDirectory(prefix="nimrule-")
        try:
            return self._write(self.temporary.name)
        except BaseException:
            self.temporary.cleanup()
            raise

    def _write(self, made: str) -> str:
        from pathlib import Path, PurePath

        names = [name for name in self.game.files if not PurePath(name).anchor]
        above = max((_levels_above(PurePath(name).parts) for name in names), default=0)
        folder = Path(made).joinpath(*["rule"] * above)
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            named = folder / name
            named.parent.mkdir(parents=True, exist_ok=True)
            named.write_bytes(self.game.file(name))
        path = folder / "rule.nimrule"
        path.write_text(self.game.text, encoding="utf-8")
        return str(path)

    def __exit__(self, *_: object) -> None:
        self.temporary.cleanup()


def _levels_above(parts: Iterable[str]) -> int:
    """How far a path leads above the folder in which it begins."""
    depth = lowest = 0
    for part in parts:
        depth += -1 if part == ".." else 1
        lowest = min(lowest, depth)
    return -lowest


def settings_of(game: Game) -> list[str]:
    """The options of the command line for the parameters that were set."""
    return [part for name, value in game.settings.items() for part in ("--set", f"{name}={value}")]


class SequenceOfValues:
    """The Grundy values of single heaps, and their period.

    >>> from nimrule import games
    >>> games["kayles"].sequence(12).values
    [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4]
    """

    __slots__ = ("json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json
        """What ``nimrule sequence FILE --format json`` writes."""

    @property
    def values(self) -> list[int]:
        """The values of heaps from 0 on."""
        return list(self.json["values"])

    @property
    def period(self) -> int | None:
        """The period, if one was found."""
        return self._number("period")

    @property
    def preperiod(self) -> int | None:
        """Where the period begins."""
        return self._number("preperiod")

    @property
    def saltus(self) -> int | None:
        """By what values grow in a period."""
        return self._number("saltus")

    @property
    def is_proved(self) -> bool:
        """Whether the period is proved for all sizes."""
        return bool(self.json.get("standing") == "proved")

    def _number(self, name: str) -> int | None:
        value = self.json.get(name)
        return None if value is None else int(value)

    def __repr__(self) -> str:
        period = "no period found" if self.period is None else f"period {self.period}"
        return f"<{len(self.values)} values, {period}>"


class Quotient:
    """A misère quotient: what heaps are under misère play.

    >>> from nimrule import games
    >>> games["kayles"].quotient(5).order
    12
    """

    __slots__ = ("json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json
        """What ``nimrule quotient FILE --to N --format json`` writes."""

    @property
    def order(self) -> int:
        """The number of its elements."""
        return int(self.json["order"])

    @property
    def elements(self) -> list[str]:
        """The elements, as products of generators."""
        return list(self.json["elements"])

    @property
    def p_portion(self) -> list[str]:
        """The elements of P-positions."""
        return list(self.json["p_portion"])

    @property
    def phi(self) -> list[str]:
        """The element of each heap, from 1 on."""
        return list(self.json["phi"])

    @property
    def relations(self) -> list[str]:
        """The relations between the generators."""
        return list(self.json["relations"])

    def __repr__(self) -> str:
        return f"<order {self.order}, P = {{{', '.join(self.p_portion)}}}>"


def _about(game: Game, verb: str, *options: str) -> Any:
    """Ask a verb about a game: about its rule, at its parameters, within its limits."""
    with File(game) as path:
        return command(verb, path, *options, *settings_of(game), limits=game.limits)


def sequence(game: Game, to: int, heap: str | None, kind: str | None) -> SequenceOfValues:
    """Ask for the values of single heaps."""
    if game.is_misere:
        raise NoAnswer(
            "under misère play heaps have no Grundy values: `normal().sequence` has those of "
            "normal play, and `quotient` says what heaps are under misère play"
        )
    chosen = ["--heap", heap] if heap is not None else ["--kind", kind] if kind is not None else []
    return SequenceOfValues(_about(game, "sequence", "--to", str(to), *chosen))


def quotient(game: Game, to: int, most: int) -> Quotient:
    """Ask for a misère quotient."""
    return Quotient(_about(game, "quotient", "--to", str(to), "--most", str(most)))


def compound(parts: Sum, compound: str, misere: bool, limits: Limits) -> Any:
    """Ask about positions of several games that are played as one."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        games = {part.game for part in parts.parts}
        paths = {game: stack.enter_context(File(game)) for game in games}

        def written(game: Game, text: str) -> str:
            settings = ",".join(f"{name}={value}" for name, value in game.settings.items())
            return ":".join([paths[game], *([settings] if settings else []), text])

        components = [written(part.game, part.text) for part in parts.parts]
        play = ["--misere"] if misere else []
        options = ["--compound", compound, "--no-cache", *play]
        return command("sum", *components, *options, limits=limits)
