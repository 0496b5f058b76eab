"""Random rules are answered as a brute force answers them that reads the book alone."""

from functools import cache
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import RULES, Rule

from nimrule import Game, NoAnswer, P

MOST = 4


@settings(max_examples=150, deadline=None)
@given(RULES)
def test_values(rule: Rule) -> None:
    game = Game(rule.text())
    values = rule.values(MOST)
    table = game.grundy(MOST)
    outcomes = game.outcomes(MOST)
    assert isinstance(table, np.ndarray)
    assert isinstance(outcomes, np.ndarray)
    for position, value in values.items():
        assert table[position] == value, (rule.text(), position)
        assert (outcomes[position] == P) == (value == 0), (rule.text(), position)


@settings(max_examples=60, deadline=None)
@given(RULES)
def test_answers(rule: Rule) -> None:
    game = Game(rule.text())
    values = rule.values(MOST)
    for position in list(product(range(MOST + 1), repeat=rule.heaps))[-3:]:
        answer = game.solve(position)
        winning = {to for to in rule.options(position) if values[to] == 0}
        assert (answer.outcome == "P") == (values[position] == 0), rule.text()
        assert set(answer.winning_moves) == winning, (rule.text(), position)
        assert set(game.options(position)) == rule.options(position), (rule.text(), position)


@settings(max_examples=60, deadline=None)
@given(RULES)
def test_misere(rule: Rule) -> None:
    outcomes = Game(rule.text(), misere=True).outcomes(MOST)
    assert isinstance(outcomes, np.ndarray)
    for position, loses in rule.misere(MOST).items():
        assert (outcomes[position] == P) == loses, (rule.text(), position)


@settings(max_examples=20, deadline=None)
@given(RULES, RULES, st.booleans(), st.booleans())
def test_sums(one: Rule, other: Rule, misere: bool, is_mixed: bool) -> None:
    """A sum is under the convention of its games, and a mixed one is refused."""
    games = (
        Game(one.text(), misere=misere),
        Game(other.text(), misere=misere != is_mixed),
    )
    largest = (2,) * one.heaps, (2,) * other.heaps

    @cache
    def loses(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
        options = [(to, second) for to in one.options(first)]
        options += [(first, to) for to in other.options(second)]
        return not any(loses(*to) for to in options) and bool(options or not misere)

    parts = [game.position(at) for game, at in zip(games, largest, strict=True)]
    try:
        answer = (parts[0] + parts[1]).solve()
    except NoAnswer:
        assert is_mixed
        return
    assert not is_mixed
    assert (answer.outcome == "P") == loses(*largest), (one.text(), other.text(), misere)
