"""Automata over the digits of numbers, and the texts of Walnut."""

from __future__ import annotations

from operator import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, SupportsIndex


class Automaton:
    """A set of tuples of numbers that a finite automaton recognises by their digits.

    It reads the most significant digits first, from state 0 on. The letter of digits
    ``d0, d1, …`` is ``d0 + d1 * digits + d2 * digits**2 + …``.

    >>> from nimrule import games
    >>> nim = games["nim"].with_(piles=3).discover().automaton
    >>> nim.accepts([1, 2, 3]), nim.accepts([2**70, 0, 1])
    (True, False)
    >>> Automaton.from_walnut(nim.to_walnut()) == nim
    True
    """

    __slots__ = ("accepting", "digits", "number", "numeration", "tracks", "transitions")

    def __init__(
        self,
        tracks: Sequence[str],
        numeration: str,
        number: int,
        digits: int,
        accepting: Iterable[int],
        transitions: Sequence[Sequence[int]],
    ) -> None:
        self.tracks = list(tracks)
        """The names of the numbers."""
        self.numeration = numeration
        """``base``, or ``ostrowski`` for sums of the denominators of a continued fraction."""
        self.number = number
        """The base, or the partial quotient: 1 for Zeckendorf's sums of Fibonacci numbers."""
        self.digits = digits
        """The number of digits."""
        self.accepting = frozenset(accepting)
        """The accepting states."""
        self.transitions = [list(row) for row in transitions]
        """By state and letter, the next state."""

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.transitions)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Automaton):
            return NotImplemented
        mine, others = (
            (one.numeration, one.number, one.digits, one.accepting, one.transitions)
            for one in (self, other)
        )
        return mine == others

    def __hash__(self) -> int:
        return hash((self.numeration, self.number, self.accepting, len(self.transitions)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Automaton,
            (
                self.tracks,
                self.numeration,
                self.number,
                self.digits,
                sorted(self.accepting),
                self.transitions,
            ),
        )

    def __repr__(self) -> str:
        return f"<{self.states} states over {self.numeration} {self.number}>"

    def written(self, number: SupportsIndex) -> list[int]:
        """The digits of a number, the most significant first.

        >>> Automaton(["n"], "ostrowski", 1, 2, [0], [[0, 0]]).written(11)
        [1, 0, 1, 0, 0]
        """
        rest = index(number)
        if rest < 0:
            raise ValueError("numbers are from 0 on")
        found: list[int] = []
        if self.numeration == "base":
            while rest:
                rest, digit = divmod(rest, self.number)
                found.append(digit)
            return found[::-1]
        worth = [1, self.number + 1]
        while worth[-1] <= rest:
            worth.append(self.number * worth[-1] + worth[-2])
        for place in reversed(worth):
            digit, rest = divmod(rest, place)
            if found or digit:
                found.append(digit)
        return found

    def accepts(self, numbers: Iterable[SupportsIndex]) -> bool:
        """Whether a tuple of numbers, of any size, is in the set."""
        rows = [self.written(number) for number in numbers]
        if len(rows) != len(self.tracks):
            raise ValueError(f"{len(self.tracks)} numbers are needed, and {len(rows)} are given")
        length = max((len(row) for row in rows), default=0)
        padded = [[0] * (length - len(row)) + row for row in rows]
        state = 0
        for at in range(length):
            letter = 0
            for row in reversed(padded):
                letter = letter * self.digits + row[at]
            state = self.transitions[state][letter]
        return state in self.accepting

    def digits_of(self, letter: int) -> tuple[int, ...]:
        """The digits of a letter, one for each number."""
        found: list[int] = []
        for _ in self.tracks:
            letter, digit = divmod(letter, self.digits)
            found.append(digit)
        return tuple(found)

    def to_networkx(self) -> Any:
        """The automaton as a networkx ``MultiDiGraph``.

        Its nodes have the field ``accepting``, and its arcs the field ``digits``.

        >>> from nimrule import games
        >>> games["nim"].with_(piles=2).discover().automaton.to_networkx().number_of_nodes()
        2
        """
        import networkx

        nx: Any = networkx
        graph = nx.MultiDiGraph(numeration=self.numeration, number=self.number)
        for state in range(self.states):
            graph.add_node(state, accepting=state in self.accepting, initial=state == 0)
        for state, row in enumerate(self.transitions):
            for letter, to in enumerate(row):
                graph.add_edge(state, to, digits=self.digits_of(letter))
        return graph

    def to_walnut(self) -> str:
        """The text of the automaton as Walnut reads it.

        Walnut has bases and Zeckendorf's numeration, ``msd_fib``.
        """
        if self.numeration == "base":
            name = f"msd_{self.number}"
        elif self.number == 1:
            name = "msd_fib"
        else:
            raise ValueError(f"Walnut has no numeration of the partial quotient {self.number}")
        lines = [" ".join([name] * len(self.tracks))]
        for state, row in enumerate(self.transitions):
            lines += ["", f"{state} {int(state in self.accepting)}"]
            for letter, to in enumerate(row):
                lines.append(f"{' '.join(map(str, self.digits_of(letter)))} -> {to}")
        return "\n".join(lines) + "\n"

    @classmethod
    def from_walnut(cls, text: str, tracks: Sequence[str] | None = None) -> Automaton:
        """An automaton from the text of a deterministic one of Walnut, in ``msd`` numerations.

        Letters without an arc lead to a state that accepts nothing.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        systems = lines[0].split() if lines else []
        kinds = {system.removeprefix("msd_") for system in systems}
        if len(kinds) != 1 or not all(system.startswith("msd_") for system in systems):
            raise ValueError(
                "the first line must have one numeration, such as msd_2, for each number"
            )
        kind = kinds.pop()
        if kind != "fib" and not kind.isdigit():
            raise ValueError(f"the numeration msd_{kind} is not known")
        number, digits = (1, 2) if kind == "fib" else (int(kind), int(kind))
        outputs: dict[int, int] = {}
        arcs: dict[tuple[int, int], int] = {}
        state = 0
        for line in lines[1:]:
            if "->" not in line:
                state, output = map(int, line.split())
                outputs[state] = output
                continue
            read, _, to = line.partition("->")
            letter = 0
            for digit in reversed(read.split()):
                letter = letter * digits + int(digit)
            if (state, letter) in arcs:
                raise ValueError(f"state {state} has two arcs for `{read.strip()}`")
            arcs[state, letter] = int(to)
        letters = range(digits ** len(systems))
        order = list(outputs)
        places = {state: place for place, state in enumerate(order)}
        sink = len(order)
        rows = [
            [places.get(arcs.get((state, letter), -1), sink) for letter in letters]
            for state in order
        ]
        if any(sink in row for row in rows):
            rows.append([sink for _ in letters])
        return cls(
            tracks=tracks or [f"n{at + 1}" for at in range(len(systems))],
            numeration="ostrowski" if kind == "fib" else "base",
            number=number,
            digits=digits,
            accepting=[places[state] for state, output in outputs.items() if output],
            transitions=rows,
        )
