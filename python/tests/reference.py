"""Random rules, and their answers by brute force, from the definition of a rule in the book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

from hypothesis import strategies as st

NAMES = "abc"


@dataclass(frozen=True)
class Move:
    """A move takes from the heaps of one set, as the table "Amounts" of the book says."""

    sets: tuple[tuple[int, ...], ...]
    """The sets, of which one is chosen."""
    way: str
    """`""`, `slow`, `all` or `equal`."""
    amounts: tuple[int, ...] | None
    """The numbers of tokens that may be taken from a heap; any without."""

    def text(self) -> str:
        sets = ", ".join("{" + " ".join(NAMES[heap] for heap in one) + "}" for one in self.sets)
        amounts = "" if self.amounts is None else "{" + ",".join(map(str, self.amounts)) + "}"
        return " ".join(f"move take {self.way} {amounts} from one of {sets}".split())

    def options(self, position: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        for chosen in self.sets:
            sizes = [position[heap] for heap in chosen]
            taken: Iterable[tuple[int, ...]]
            if self.way == "all":
                taken = [tuple(sizes)]
            elif self.way == "equal":
                equal = self.amounts or range(1, min(sizes) + 1)
                taken = [(amount,) * len(chosen) for amount in equal]
            else:
                few = (1,) if self.way == "slow" else self.amounts
                taken = product(*((0, *(few or range(1, size + 1))) for size in sizes))
            for one in taken:
                left = dict(zip(chosen, one, strict=True))
                after = tuple(size - left.get(heap, 0) for heap, size in enumerate(position))
                if any(one) and min(after) >= 0:
                    yield after


@dataclass(frozen=True)
class Rule:
    """A rule of loose heaps."""

    heaps: int
    moves: tuple[Move, ...]

    def text(self) -> str:
        moves = [move.text() for move in self.moves]
        return "\n".join([f"game random heaps {' '.join(NAMES[: self.heaps])}", *moves])

    def options(self, position: tuple[int, ...]) -> set[tuple[int, ...]]:
        return {option for move in self.moves for option in move.options(position)}

    def values(self, most: int) -> dict[tuple[int, ...], int]:
        """The Grundy values of all positions up to a size."""

        @cache
        def value(position: tuple[int, ...]) -> int:
            reached = {value(option) for option in self.options(position)}
            return next(n for n in range(len(reached) + 1) if n not in reached)

        return {at: value(at) for at in product(range(most + 1), repeat=self.heaps)}

    def misere(self, most: int) -> dict[tuple[int, ...], bool]:
        """Whether the player to move loses under misère play, for all positions up to a size."""

        @cache
        def loses(position: tuple[int, ...]) -> bool:
            options = self.options(position)
            return bool(options) and not any(loses(option) for option in options)

        return {at: loses(at) for at in product(range(most + 1), repeat=self.heaps)}


def _moves(heaps: int) -> st.SearchStrategy[Move]:
    all_sets = [one for size in range(1, heaps + 1) for one in combinations(range(heaps), size)]
    sets = st.lists(st.sampled_from(all_sets), min_size=1, max_size=3, unique=True).map(tuple)
    some = st.frozensets(st.integers(1, 4), min_size=1, max_size=3)
    amounts = st.none() | some.map(lambda found: tuple(sorted(found)))
    limited = st.builds(Move, sets, st.sampled_from(["", "equal"]), amounts)
    return limited | st.builds(Move, sets, st.sampled_from(["slow", "all"]), st.none())


RULES = st.integers(1, 3).flatmap(
    lambda heaps: st.builds(
        Rule, st.just(heaps), st.lists(_moves(heaps), min_size=1, max_size=2).map(tuple)
    )
)
