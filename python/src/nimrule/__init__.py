"""Take-away games as a paper states them.

>>> import nimrule
>>> cube = nimrule.games["cube_edge"]
>>> cube.solve((3, 4, 5, 3, 4, 6)).winning_moves
[(3, 4, 5, 3, 4, 5)]
>>> cube.prove().passes
True

A :class:`Game` is a rule at values of its parameters; :data:`games` has the shipped ones.
"""

from __future__ import annotations

from nimrule._automata import Automaton
from nimrule._command import Quotient, SequenceOfValues, command
from nimrule._core import __version__
from nimrule._errors import Finding, LimitError, NimruleError, NoAnswer, PositionError, RuleError
from nimrule._game import (
    NONE,
    OUTCOMES,
    Answer,
    Claim,
    D,
    Discovery,
    Game,
    Games,
    L,
    Listed,
    N,
    P,
    Picture,
    Position,
    R,
    Sum,
    SumAnswer,
    Verdict,
    Verdicts,
    Why,
)
from nimrule._graphs import board, from_graph6, graph6
from nimrule._limits import Limits, bar
from nimrule._notebook import load_ipython_extension
from nimrule._play import Play, at_random, perfect

games = Games()
"""The shipped games, by name."""

__all__ = [
    "NONE",
    "OUTCOMES",
    "Answer",
    "Automaton",
    "Claim",
    "D",
    "Discovery",
    "Finding",
    "Game",
    "Games",
    "L",
    "LimitError",
    "Limits",
    "Listed",
    "N",
    "NimruleError",
    "NoAnswer",
    "P",
    "Picture",
    "Play",
    "Position",
    "PositionError",
    "Quotient",
    "R",
    "RuleError",
    "SequenceOfValues",
    "Sum",
    "SumAnswer",
    "Verdict",
    "Verdicts",
    "Why",
    "__version__",
    "at_random",
    "bar",
    "board",
    "command",
    "from_graph6",
    "games",
    "graph6",
    "load_ipython_extension",
    "perfect",
]
