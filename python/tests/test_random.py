"""Random rules are answered as a brute force answers them that reads the book alone."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from reference import RULES, Rule

from nimrule import Game, P

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
