"""Games: rules at values of their parameters, and what is asked about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from operator import index

from nimrule import _core
from nimrule._errors import Finding, NoAnswer, PositionError, error_of, findings
from nimrule._limits import Limits

# `typing` takes longer to import than all of this.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, SupportsIndex, TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    from nimrule._automata import Automaton
    from nimrule._command import Quotient, SequenceOfValues
    from nimrule._play import Play, Strategy

    # A number of a position: a size, the name or the coordinates of a vertex, or a kind of
    # heap with a size.
    Number: TypeAlias = int | str | "tuple[str | int, ...]"
    # A position: as the language writes it, its numbers, or one number in a game of one heap.
    PositionLike: TypeAlias = (
        str
        | SupportsIndex
        | "Position"
        | Iterable["SupportsIndex | str | Sequence[SupportsIndex | str]"]
    )
    # A value of a parameter: a number, a set, a list or a tuple, or as the language writes it.
    ParamValue: TypeAlias = int | str | Iterable[int]

N, P, NONE, L, R, D = range(6)
"""The codes of outcomes in tables: `NONE` where there is no position."""
OUTCOMES = ("N", "P", "", "L", "R", "D")
"""The outcomes by their codes."""


class Listed(tuple["list[tuple[Number, ...]]", "NDArray[Any]"]):
    """What is known of a list of positions: ``positions, values = game.grundy(6)``."""

    __slots__ = ()

    @property
    def positions(self) -> list[tuple[Number, ...]]:
        """The positions."""
        return self[0]

    @property
    def values(self) -> NDArray[Any]:
        """The codes of their outcomes, or their Grundy values."""
        return self[1]


class Answer:
    """Who wins at a position, and how.

    >>> from nimrule import games
    >>> answer = games["cube_edge"].solve((3, 4, 5, 3, 4, 6))
    >>> answer.outcome, answer.winning_moves
    ('N', [(3, 4, 5, 3, 4, 5)])
    """

    __slots__ = ("_solved", "json")

    def __init__(self, solved: dict[str, Any], json: dict[str, Any]) -> None:
        self._solved = solved
        self.json = json
        """What ``nimrule solve FILE POSITION --format json`` writes."""

    @property
    def outcome(self) -> str:
        """``P`` if the previous player wins, ``N`` if the next one does.

        In loopy and partizan games also ``D``, ``L`` and ``R``.
        """
        return str(self.json["outcome"])

    @property
    def grundy(self) -> int | None:
        """The Grundy value, if it costs little more than the outcome."""
        value = self.json["grundy"]
        return None if value is None else int(value)

    @property
    def winning_moves(self) -> list[tuple[Number, ...]]:
        """The positions after the moves that win or, where none does, that draw."""
        return [numbers(move["to"]["text"]) for move in self._solved["winning"]]

    @property
    def moves_in_words(self) -> list[str]:
        """The moves that win, in words."""
        return [str(move["words"]) for move in self._solved["winning"]]

    @property
    def all_moves(self) -> bool:
        """Whether these are all."""
        return bool(self._solved["all"])

    @property
    def result(self) -> str:
        """What the player to move achieves: ``wins``, ``loses`` or ``draws``."""
        return str(self._solved["turn"])

    @property
    def remoteness(self) -> int | None:
        """The number of moves to the end, where it is known."""
        return None if self._solved["remoteness"] is None else int(self._solved["remoteness"])

    @property
    def basis(self) -> str:
        """What the answer rests on."""
        return str(self._solved["basis"])

    def __str__(self) -> str:
        return str(self._solved["headline"])

    def __repr__(self) -> str:
        value = "" if self.grundy is None else f", grundy={self.grundy}"
        return f"<{self.outcome}{value}: {counted(len(self.winning_moves), 'move')}>"


class Verdict:
    """Whether a claim holds.

    >>> from nimrule import games
    >>> games["cube_edge"].prove()[0]
    <proved: claim 1 ...>
    """

    __slots__ = ("counterexample", "json", "number", "passes", "proved", "words")

    def __init__(self, number: int, verdict: dict[str, Any]) -> None:
        self.number = number
        """The number of the claim in the file, from 1."""
        self.json: dict[str, Any] = verdict["json"]
        """Its fields in ``nimrule test FILE --format json``."""
        self.words = str(verdict["words"])
        """The verdict in words."""
        self.passes: bool | None = verdict["passes"]
        """Whether it is as the file says; ``None`` if it is not decided."""
        self.proved: bool = verdict["proved"]
        """Whether it is proved for all sizes."""
        at = verdict["counterexample"]
        self.counterexample = None if at is None else numbers(at["text"])
        """The smallest position at which it fails."""

    @property
    def claim(self) -> str:
        """The claim as the file writes it."""
        return str(self.json["claim"])

    @property
    def standing(self) -> str:
        """``proved``, ``holds``, ``fails``, ``open`` and such."""
        return str(self.json["standing"])

    def __repr__(self) -> str:
        at = "" if self.counterexample is None else f" at {self.counterexample}"
        return f"<{self.standing}{at}: claim {self.number} {self.claim}>"


class Verdicts(list[Verdict]):
    """The verdicts on the claims of a game; a table in a notebook."""

    @property
    def passes(self) -> bool | None:
        """Whether all are as the file says; ``None`` if one is not decided and none fails."""
        each = [verdict.passes for verdict in self]
        return False if False in each else None if None in each else True

    def _repr_html_(self) -> str:
        from html import escape

        rows = (
            f"<tr><td>{one.number}</td><td><code>{escape(one.claim)}</code></td>"
            f"<td><b>{escape(one.standing)}</b></td><td>{escape(one.words)}</td></tr>"
            for one in self
        )
        head = "<tr><th></th><th>claim</th><th></th><th></th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


class Picture(str):
    """An SVG document; the picture in a notebook."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document to a file."""
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(self)


class Why:
    """Why a position is won or lost: the claims worked out there, the moves and the replies."""

    __slots__ = ("json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json
        """What ``nimrule why FILE POSITION --format json`` writes."""

    def __str__(self) -> str:
        lines = [str(self.json["headline"])]
        for claim in self.json["claims"]:
            lines.append(f"{claim['claim']}: {_shown(claim['value'])}")
            for part in claim["parts"]:
                indent = "  " * (part["depth"] + 1)
                lines.append(f"{indent}{part['words']}: {_shown(part['value'])}")
                for one in part["sums"]:
                    lines += [f"{indent}  {line}" for line in _columns(one)]
        for side in self.json["to_move"]:
            lines.append(str(side["summary"]))
            for move in side["moves"]:
                reply = move["reply"]
                answer = "" if reply is None else f"; the reply: {reply['words']}"
                lines.append(f"  {move['words']}{answer}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{self.json['headline']}>"


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _columns(one: dict[str, Any]) -> list[str]:
    """A sum without carry, as columns of digits."""
    rows = [(str(term["term"]), int(term["value"])) for term in one["terms"]]
    rows.append(("sum", int(one["sum"])))
    base = int(one["base"])
    digits = 1
    while any(value >= base**digits for _, value in rows):
        digits += 1
    names = max(len(name) for name, _ in rows)
    sizes = max(len(str(value)) for _, value in rows)
    return [
        f"{name:<{names}} = {value:>{sizes}}  "
        + " ".join(str(value // base**place % base) for place in reversed(range(digits)))
        for name, value in rows
    ]


class Discovery:
    """The P-positions for heaps of all sizes, found and proved."""

    __slots__ = ("_automaton", "checked", "claim", "form", "picture", "words")

    def __init__(
        self, found: dict[str, Any], automaton: Automaton | None, form: str | None
    ) -> None:
        self.words = str(found["words"])
        """What was found, in words."""
        self.claim: str | None = found["claim"]
        """A claim of this form, to add to the rule."""
        self.checked: list[str] = found["checked"]
        """What the proof consists of."""
        self._automaton = automaton
        self.form = form
        """The closed form, if one was found and proved."""
        drawn = found["picture"]
        self.picture = None if drawn is None else Picture(drawn["svg"])
        """The automaton, if it is small enough for a picture."""

    @property
    def automaton(self) -> Automaton:
        """The automaton over the digits of the sizes.

        A theorem about any number of heaps has none: `NoAnswer`.
        """
        if self._automaton is None:
            raise NoAnswer("any number of heaps has no automaton")
        return self._automaton

    def is_p(self, position: Iterable[SupportsIndex]) -> bool:
        """Whether a position, with heaps of any size, is a P-position."""
        return self.automaton.accepts(position)

    def _repr_svg_(self) -> str | None:
        return self.picture

    def __repr__(self) -> str:
        if self._automaton is None:
            return f"<any number of heaps: {self.claim}>"
        form = f": P iff {self.form}" if self.form else ""
        return f"<{len(self._automaton.transitions)} states{form}>"


class Claim:
    """A claim of a file."""

    __slots__ = ("applies", "misere", "number", "words")

    def __init__(self, claim: dict[str, Any]) -> None:
        self.number: int = claim["number"]
        """From 1."""
        self.words: str = claim["words"]
        """As the file writes it."""
        self.misere: bool = claim["misere"]
        """Whether it is about misère play."""
        self.applies: bool = claim["applies"]
        """Whether it is about these values of the parameters."""

    def __repr__(self) -> str:
        return f"<claim {self.number}: {self.words}>"


class _Files:
    """Reads the files that a rule names, and notes their names.

    The thread of a game has it, and no reference to the game: a game that nothing refers to ends.
    """

    __slots__ = ("folder", "names")

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.names: set[str] = set()

    def read(self, name: str) -> bytes:
        if self.folder is None:
            return _core.shipped_file(name)
        with open(os.path.join(self.folder, name), "rb") as file:  # noqa: PTH118, PTH123
            return file.read()

    def __call__(self, name: str) -> bytes:
        self.names.add(name)
        return self.read(name)


class Game:
    """A rule at values of its parameters, under a play convention.

    >>> from nimrule import Game
    >>> nim = Game("game nim  heaps a b c  move take from one heap")
    >>> nim.solve((3, 4, 5)).winning_moves
    [(1, 4, 5)]
    >>> int(nim.outcomes(7)[1, 2, 3]) == nimrule.P
    True
    """

    __slots__ = (
        "_asked",
        "_files",
        "_misere",
        "_opened",
        "_params",
        "_process",
        "_text",
        "limits",
    )

    def __init__(
        self,
        text: str,
        params: Mapping[str, ParamValue] | None = None,
        *,
        misere: bool = False,
        folder: str | os.PathLike[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Read a rule; the files that it names are in the folder.

        Without a folder these are files of the shipped games.
        """
        self._text = text
        self._params = {name: written_value(value) for name, value in (params or {}).items()}
        self._misere = misere
        self.limits = limits or Limits()
        """The limits of its questions."""
        self._files = _Files(None if folder is None else os.fspath(folder))
        self._process = 0
        self._asked = _core.Host(self._files)
        self._opened: dict[str, Any] = self._open()

    def file(self, name: str) -> bytes:
        """A file that the rule names, such as a board."""
        return self._files.read(name)

    def _open(self) -> dict[str, Any]:
        params = list(self._params.items())
        self._process = os.getpid()
        opened: dict[str, Any] = self.ask(
            "open", text=self._text, params=params, misere=self._misere
        )
        return opened

    def _host(self) -> _core.Host:
        """What answers; a process that was forked has none of its parent's threads."""
        if self._process != os.getpid():
            self._asked = _core.Host(self._files)
            self._open()
        return self._asked

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        params: Mapping[str, ParamValue] | None = None,
        *,
        misere: bool = False,
        limits: Limits | None = None,
    ) -> Game:
        """Read a rule from a file."""
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read()
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
        return cls(text, params, misere=misere, folder=folder, limits=limits)

    def __reduce__(self) -> tuple[Any, ...]:
        limits = Limits(self.limits.seconds, self.limits.memory, self.limits.threads)
        return (_rebuilt, (self._text, self._params, self._misere, self._files.folder, limits))

    def ask(self, ask: str, **question: object) -> Any:
        """Ask a question as the page in a browser does: see `crates/host/src/messages.rs`.

        >>> from nimrule import games
        >>> games["nim"].ask("read", written="3,4,5,6")["numbers"]
        ['3', '4', '5', '6']
        """
        import json

        answer = json.loads(self._host().ask(json.dumps({"ask": ask, **question}), self.limits))
        if "fault" in answer:
            raise error_of(answer["fault"], self._text)
        return answer["value"]

    def _of_host(self, question: str, *arguments: object) -> Any:
        """Ask what has no message: `table` or `automaton`."""
        import json

        try:
            return getattr(self._host(), question)(*arguments, self.limits)
        except _core.Fault as fault:
            raise error_of(json.loads(str(fault)), self._text) from None

    def ask_opened(self, name: str) -> Any:
        """A field of what the page is told when it opens a game: see `Opened` of the messages."""
        return self._opened[name]

    def _with(self, **changed: Any) -> Game:
        arguments: dict[str, Any] = {
            "params": self._params,
            "misere": self._misere,
            "folder": self._files.folder,
            "limits": self.limits,
        }
        return Game(self._text, **(arguments | changed))

    def with_(self, **params: ParamValue) -> Game:
        """The rule at other values of its parameters.

        >>> from nimrule import games
        >>> len(games["nim"].with_(piles=6).heaps)
        6
        """
        return self._with(params={**self._params, **params})

    def misere(self) -> Game:
        """The game under misère play: the player who cannot move wins."""
        return self._with(misere=True)

    def normal(self) -> Game:
        """The game under normal play: the player who cannot move loses."""
        return self._with(misere=False)

    def limited(self, limits: Limits) -> Game:
        """The game with other limits of its questions.

        >>> from nimrule import Limits, games
        >>> games["nim"].limited(Limits(seconds=10)).limits
        Limits(seconds=10)
        """
        return self._with(limits=limits)

    @property
    def text(self) -> str:
        """The text of the rule."""
        return self._text

    @property
    def name(self) -> str:
        """The name."""
        return str(self._opened["name"])

    @property
    def title(self) -> str:
        """The title with the values of the parameters."""
        return str(self._opened["heading"])

    @property
    def sources(self) -> list[str]:
        """The works that the rule is from."""
        return list(self._opened["sources"])

    @property
    def notes(self) -> list[str]:
        """The notes of the file."""
        return list(self._opened["notes"])

    @property
    def heaps(self) -> list[str]:
        """The names of the heaps, tokens and states, in the order of a position."""
        return list(self._opened["names"])

    @property
    def kind(self) -> str:
        """What a position is: of ``heaps``, a ``bag`` of them, ``tokens``, or ``reals``."""
        return str(self._opened["kind"])

    @property
    def params(self) -> dict[str, Any]:
        """The values of the parameters."""
        return dict(self._opened["values"])

    @property
    def settings(self) -> dict[str, str]:
        """The values of parameters that were set, as the language writes them."""
        return dict(self._params)

    @property
    def files(self) -> list[str]:
        """The names of the files that the rule names."""
        return sorted(self._files.names)

    @property
    def is_misere(self) -> bool:
        """Whether the player who cannot move wins."""
        return self._misere

    @property
    def warnings(self) -> list[Finding]:
        """The warnings about the text."""
        return findings(self._text, self._opened["warnings"])

    @property
    def claims(self) -> list[Claim]:
        """The claims of the file."""
        return [Claim(one) for one in self._opened["claims"]]

    @property
    def start(self) -> tuple[Number, ...] | None:
        """The position with which play begins, if the file says one."""
        start = self._opened["start"]
        return None if start is None else numbers(start["text"])

    def __repr__(self) -> str:
        play = ", misère" if self._misere else ""
        params = "".join(f", {name}={value}" for name, value in self.params.items())
        return f"<Game {self.name}{params}{play}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return bool(self.__reduce__()[1][:4] == other.__reduce__()[1][:4])

    def __hash__(self) -> int:
        return hash((self._text, tuple(sorted(self._params.items())), self._misere))

    def written(self, position: PositionLike) -> str:
        """A position as the language writes it.

        >>> from nimrule import games
        >>> games["kayles"].written([4, 3])
        '{3,4}'
        """
        return str(self.ask("read", written=self._written(position))["text"])

    def _written(self, position: PositionLike) -> str:
        """A position as text; `written` reads it as well."""
        if isinstance(position, str):
            text = position.strip()
            is_bare = text[:1].isdigit() and all(one.strip().isdigit() for one in text.split(","))
            return f"({text})" if is_bare and self.kind != "bag" else text
        if isinstance(position, Position):
            return position.text
        if not isinstance(position, Iterable):
            position = [position]
        kinds = set(self._opened["bag_kinds"])
        try:
            parts = [_part(one, kinds, self.kind == "bag") for one in position]
        except TypeError as error:
            raise PositionError(f"{position!r} is no position: {error}") from None
        if self.kind != "bag":
            return f"({','.join(parts)})"
        states = [part for part in parts if "=" in part]
        heaps = [part for part in parts if "=" not in part]
        written = " ".join(heaps) if kinds and heaps else f"{{{','.join(heaps)}}}"
        return " ".join([written, *states])

    def position(self, position: PositionLike) -> Position:
        """A position of the game, with its picture, its answers and sums.

        >>> from nimrule import games
        >>> games["kayles"].position([3, 4]).grundy
        2
        """
        return Position(self, self.ask("read", written=self._written(position)))

    def index(self, position: PositionLike) -> tuple[int, ...]:
        """The place of a position in a table: the numbers by which an array is indexed."""
        return tuple(int(one) for one in self.position(position).spot["numbers"])

    def solve(self, position: PositionLike, side: str | None = None) -> Answer:
        """Who wins at a position, and by which moves.

        ``side`` is ``left`` or ``right`` where the players have moves of their own.
        """
        solved = self.ask("solve", position=self._written(position), side=side)
        return Answer(solved, solved["json"])

    def outcome(self, position: PositionLike) -> str:
        """The outcome of a position."""
        return self.solve(position).outcome

    def options(self, position: PositionLike, side: str | None = None) -> list[tuple[Number, ...]]:
        """The positions after one move."""
        found = self.ask("options", position=self._written(position), side=side)
        if not found["all"]:
            raise PositionError("there are too many moves for a list")
        return [numbers(move["to"]["text"]) for move in found["list"]]

    def why(self, position: PositionLike) -> Why:
        """Why a position is won or lost."""
        return Why(self.ask("why", position=self._written(position)))

    def reply(
        self, position: PositionLike, errs: int = 0, side: str | None = None
    ) -> tuple[Number, ...]:
        """The program's move; of a hundred moves, ``errs`` are random."""
        found = self.ask("reply", position=self._written(position), side=side, errs=errs)
        return numbers(found["to"]["text"])

    def outcomes(self, max: int | None = None) -> NDArray[np.uint8] | Listed:
        """The outcomes of all positions up to a size, as codes (``nimrule.P`` and so on).

        An array with a side for each heap, which positions index; a list where there is no box,
        as for any number of heaps. The array owns the memory that the engine wrote.

        >>> from nimrule import games
        >>> games["nim"].with_(piles=2).outcomes(2)
        array([[1, 0, 0],
               [0, 1, 0],
               [0, 0, 1]], dtype=uint8)
        """
        found: NDArray[np.uint8] | Listed = self._table(max, False)
        return found

    def grundy(self, max: int | None = None) -> NDArray[np.uint32] | Listed:
        """The Grundy values of all positions up to a size, as `outcomes`.

        Where there is no position the value is ``2**32 - 1``.
        """
        found: NDArray[np.uint32] | Listed = self._table(max, True)
        return found

    def _table(self, most: int | None, grundy: bool) -> Any:
        _check_size(most)
        array, _, positions, _ = self._of_host("table", most, grundy)
        if positions is None:
            return array
        return Listed(([numbers(text) for text in positions], array))

    def p_positions(self, max: int | None = None, *, up_to_symmetry: bool = False) -> Any:
        """The P-positions up to a size.

        A DataFrame if pandas is there, else a list of rows. With ``up_to_symmetry`` one of each
        set of positions that are alike, and how many they are.
        """
        return self.positions(max, outcomes="P", up_to_symmetry=up_to_symmetry)

    def positions(
        self,
        max: int | None = None,
        *,
        outcomes: str = "PNLRD",
        grundy: bool = False,
        up_to_symmetry: bool = False,
    ) -> Any:
        """The positions up to a size, a row for each.

        A DataFrame if pandas is there, else a list of rows; the columns are the heaps, the
        outcome, the value and the number of positions that are alike.
        """
        _check_size(max)
        if unknown := set(outcomes) - set(OUTCOMES):
            raise ValueError(f"`{min(unknown)}` is no outcome: they are P, N, L, R and D")
        found = self.ask(
            "list",
            max=max,
            outcomes=list(outcomes),
            grundy=grundy,
            up_to_symmetry=up_to_symmetry,
            most=2**32,
        )
        rows = [[int(cell) if cell.isdecimal() else cell for cell in row] for row in found["rows"]]
        try:
            import pandas as pd
        except ImportError:
            return rows
        return pd.DataFrame(rows, columns=found["columns"])

    def check(self, max: int | None = None, *, proofs: bool = True) -> Verdicts:
        """The verdicts on the claims that apply, as ``nimrule test`` gives them.

        Each is proved in a second or, without a proof, compared with the answers at all
        positions up to a size.
        """
        _check_size(max)
        return self._verdicts(max=max, prove=False, box_alone=not proofs)

    def prove(self) -> Verdicts:
        """Decide the claims that apply for heaps of all sizes; minutes, unless limited."""
        return self._verdicts(prove=True)

    def _verdicts(self, **effort: object) -> Verdicts:
        here = [claim.number for claim in self.claims if claim.applies]
        return Verdicts(Verdict(at, self.ask("claim", number=at, **effort)) for at in here)

    def discover(self) -> Discovery | None:
        """Search for the P-positions of all sizes; ``None`` if none was found and proved.

        With any number of heaps the result is a claim.

        >>> from nimrule import games
        >>> found = games["cube_edge"].discover()
        >>> found.form, found.is_p([2**100, 0, 0, 2**100, 0, 0])
        ('a ^ b ^ A ^ B == 0 and a ^ c ^ A ^ C == 0', True)
        """
        import json

        from nimrule._automata import Automaton

        found = self.ask("discover")
        if not found["proved"]:
            return None
        if not found["has_automaton"]:
            return Discovery(found, None, None)
        table = json.loads(self._of_host("automaton"))
        form = table.pop("form")
        del table["checked"]
        return Discovery(found, Automaton(**table), form)

    def sequence(
        self, to: int = 100, *, heap: str | None = None, kind: str | None = None
    ) -> SequenceOfValues:
        """The Grundy values of single heaps, and their period.

        Under misère play there are none: `NoAnswer`; `quotient` says there what heaps are.

        >>> from nimrule import games
        >>> games["kayles"].sequence(200).period
        12
        """
        from nimrule._command import sequence

        return sequence(self, to, heap, kind)

    def quotient(self, to: int, most: int = 1000) -> Quotient:
        """The misère quotient of heaps up to a size, of at most so many elements.

        It is about misère play, whatever the convention of the game is.
        """
        from nimrule._command import quotient

        return quotient(self, to, most)

    def play(self, first: Strategy, second: Strategy, start: PositionLike | None = None) -> Play:
        """Let two strategies play: functions of the game and a position to an option.

        >>> from nimrule import games, perfect
        >>> games["nim"].play(perfect, perfect, (1, 2, 3, 4)).winner
        0
        """
        from nimrule._play import played

        return played(self, first, second, start)

    def widget(self, start: PositionLike | None = None) -> Any:
        """A widget for notebooks, in which the game is played against the program."""
        from nimrule._notebook import widget

        return widget(self, start)

    def svg(
        self, position: PositionLike | None = None, after: PositionLike | None = None
    ) -> Picture:
        """The picture of a position and of a move; without one, the names of the heaps."""
        drawn = self.ask(
            "picture",
            position=None if position is None else self._written(position),
            after=None if after is None else self._written(after),
        )
        return Picture(drawn["svg"])

    def _repr_html_(self) -> str:
        from html import escape

        try:
            picture = str(self.svg(self.start))
        except Exception:  # A game without a picture is shown without.
            picture = ""
        lines = [
            f"<h4>{escape(self.title)}</h4>",
            *(f"<i>{escape(one)}</i><br>" for one in self.sources),
        ]
        return "".join([*lines, picture, f"<pre>{escape(self._text)}</pre>"])


class Position:
    """A position of a game.

    >>> from nimrule import games
    >>> nim, kayles = games["nim"].with_(piles=2), games["kayles"]
    >>> (nim.position((1, 2)) + kayles.position([3])).solve().outcome
    'P'
    """

    __slots__ = ("game", "spot")

    def __init__(self, game: Game, spot: dict[str, Any]) -> None:
        self.game = game
        """The game."""
        self.spot = spot

    @property
    def text(self) -> str:
        """The position as the language writes it."""
        return str(self.spot["text"])

    @property
    def numbers(self) -> tuple[Number, ...]:
        """Its numbers."""
        return numbers(self.text)

    def __iter__(self) -> Iterator[Number]:
        return iter(self.numbers)

    def solve(self, side: str | None = None) -> Answer:
        """Who wins here, and by which moves."""
        return self.game.solve(self, side)

    @property
    def outcome(self) -> str:
        """The outcome."""
        return self.solve().outcome

    @property
    def grundy(self) -> int | None:
        """The Grundy value, if it costs little more than the outcome."""
        return self.solve().grundy

    @property
    def options(self) -> list[Position]:
        """The positions after one move."""
        return [self.game.position(to) for to in self.game.options(self)]

    def why(self) -> Why:
        """Why it is won or lost."""
        return self.game.why(self)

    def svg(self) -> Picture:
        """Its picture."""
        return self.game.svg(self)

    def _repr_svg_(self) -> str:
        return str(self.svg())

    def __add__(self, other: Position | Sum) -> Sum:
        return Sum([self]) + other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (self.game, self.text) == (other.game, other.text)

    def __hash__(self) -> int:
        return hash((self.game, self.text))

    def __repr__(self) -> str:
        return f"<{self.text} of {self.game.name}>"


class Sum:
    """Positions of several games that are played as one, under one convention.

    >>> from nimrule import games
    >>> nim = games["nim"].with_(piles=2).misere()
    >>> (nim.position((1, 0)) + nim.position((0, 0))).solve().outcome
    'P'
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Position]) -> None:
        self.parts = list(parts)
        """The positions."""
        if len({part.game.is_misere for part in self.parts}) > 1:
            raise NoAnswer(
                "a position under misère play and one under normal play cannot be added: "
                "choose one convention for all, by `misere()` or `normal()` of their games"
            )

    @property
    def is_misere(self) -> bool:
        """Whether the player who cannot move wins: the convention of the games."""
        return any(part.game.is_misere for part in self.parts)

    def __add__(self, other: Position | Sum) -> Sum:
        if isinstance(other, Sum):
            return Sum([*self.parts, *other.parts])
        if isinstance(other, Position):  # pyright: ignore[reportUnnecessaryIsInstance]
            return Sum([*self.parts, other])
        return NotImplemented

    def solve(
        self,
        compound: str = "disjunctive",
        *,
        misere: bool | None = None,
        limits: Limits | None = None,
    ) -> SumAnswer:
        """Who wins, and by which moves: see ``nimrule sum --help`` for the compounds.

        The convention is that of the games, and the limits are the strictest of theirs, where no
        others are given.
        """
        from nimrule._command import compound as ask

        if limits is None:
            limits = Limits.strictest(part.game.limits for part in self.parts)
        return SumAnswer(ask(self, compound, self.is_misere if misere is None else misere, limits))

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


class SumAnswer:
    """Who wins a sum, and how."""

    __slots__ = ("json",)

    def __init__(self, json: dict[str, Any]) -> None:
        self.json = json
        """What ``nimrule sum … --format json`` writes."""

    @property
    def outcome(self) -> str:
        """The outcome."""
        return str(self.json["outcome"])

    @property
    def grundy(self) -> int | None:
        """The Grundy value, where it is computed."""
        return None if self.json["grundy"] is None else int(self.json["grundy"])

    @property
    def winning_moves(self) -> list[Any]:
        """The moves that win: the index of the part from 0, and the position after the move."""
        moves = self.json.get("winning_moves")
        return list(self.json.get("winning_moves_found", []) if moves is None else moves)

    def __repr__(self) -> str:
        value = "" if self.grundy is None else f", grundy={self.grundy}"
        return f"<{self.outcome}{value}: {counted(len(self.winning_moves), 'move')}>"


class Games(Mapping[str, Game]):
    """The shipped games, by name.

    >>> from nimrule import games
    >>> games["circular_nim"].with_(n=6, k=3).title
    'Circular Nim CN(n,k), n = 6, k = 3'
    """

    __slots__ = ("_texts",)

    def __init__(self) -> None:
        self._texts: dict[str, str] | None = None

    def _all(self) -> dict[str, str]:
        if self._texts is None:
            self._texts = dict(_core.shipped())
        return self._texts

    def __getitem__(self, name: str) -> Game:
        return Game(self._all()[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def text(self, name: str) -> str:
        """The text of a shipped rule."""
        return self._all()[name]

    def __repr__(self) -> str:
        return f"<{len(self)} games: {', '.join(self)}>"


def _rebuilt(
    text: str, params: dict[str, str], misere: bool, folder: str | None, limits: Limits
) -> Game:
    return Game(text, params, misere=misere, folder=folder, limits=limits)


def _check_size(most: int | None) -> None:
    if most is not None and not 0 <= most < 2**32:
        raise ValueError("the largest size is a number from 0 to 2**32 - 1")


def counted(number: int, thing: str) -> str:
    """A number of things: `1 move`, `2 moves`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def written_value(value: ParamValue) -> str:
    """A value of a parameter as the language writes it.

    >>> written_value(3), written_value({2, 1}), written_value([3, 1, 3])
    ('3', '{1,2}', '(3,1,3)')
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, Iterable):
        return str(index(value))
    if isinstance(value, (set, frozenset, range)):
        return f"{{{','.join(str(index(one)) for one in sorted(value))}}}"
    return f"({','.join(str(index(one)) for one in value)})"


def _part(one: Any, kinds: set[str], in_bag: bool) -> str:
    """A number of a position as text."""
    if isinstance(one, str):
        return one
    if hasattr(one, "__len__"):
        if in_bag and len(one) == 2:
            between = " " if one[0] in kinds else "="
            return f"{one[0]}{between}{index(one[1])}"
        return f"({','.join(_part(inner, kinds, False) for inner in one)})"
    return str(index(one))


def numbers(text: str) -> tuple[Number, ...]:
    """The numbers of a position from its text.

    >>> numbers("(3,a,(2,5))"), numbers("{3,4} last=2"), numbers("ring 7 row 3")
    ((3, 'a', (2, 5)), (3, 4, ('last', 2)), (('ring', 7), ('row', 3)))
    """
    if text.startswith("("):
        return tuple(_number(one) for one in _split(text[1:-1]))
    found: list[Number] = []
    heaps, _, rest = text.partition("}") if text.startswith("{") else ("{", "", text)
    found += [_number(one) for one in heaps[1:].split(",") if one]
    words = rest.split()
    while words:
        word = words.pop(0)
        name, is_state, value = word.partition("=")
        found.append((name, _plain(value if is_state else words.pop(0))))
    return tuple(found)


def _plain(text: str) -> int | str:
    return int(text) if text.isdecimal() or (text[:1] == "-" and text[1:].isdecimal()) else text


def _number(text: str) -> Number:
    text = text.strip()
    return (
        tuple(_plain(one) for one in text[1:-1].split(","))
        if text.startswith("(")
        else _plain(text)
    )


def _split(text: str) -> list[str]:
    """Split at the commas that are in no bracket."""
    parts: list[str] = []
    depth, begun = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[begun:at])
            begun = at + 1
    return [*parts, text[begun:]] if text else []
