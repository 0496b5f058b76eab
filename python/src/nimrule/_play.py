"""Play between strategies."""

from __future__ import annotations

from nimrule._errors import NoAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from nimrule._game import Game, Picture, Position, PositionLike

    # From a position to one of its options.
    Strategy = Callable[[Position], PositionLike]


def perfect(position: Position) -> PositionLike:
    """The strategy of the program."""
    return position.game.reply(position)


def at_random(position: Position) -> PositionLike:
    """The strategy of one who chooses any option."""
    import random

    return random.choice(position.options)


class Play:
    """A game that was played."""

    __slots__ = ("game", "positions", "winner")

    def __init__(self, game: Game, positions: list[Position], winner: int) -> None:
        self.game = game
        """The game."""
        self.positions = positions
        """The positions from the first to the last."""
        self.winner = winner
        """0 if the first strategy won, 1 if the second one did."""

    def __repr__(self) -> str:
        from nimrule._game import counted

        moves = counted(len(self.positions) - 1, "move")
        return f"<{moves}, won by the {('first', 'second')[self.winner]}>"

    def _repr_html_(self) -> str:
        pictures: list[Picture] = [position.svg() for position in self.positions]
        return "".join(f"<div style='display:inline-block'>{one}</div>" for one in pictures)


def played(game: Game, first: Strategy, second: Strategy, start: PositionLike | None) -> Play:
    """Play a game to its end."""
    if game.ask_opened("has_sides") or game.ask_opened("may_repeat"):
        raise NoAnswer(
            "strategies play games in which both players have the same moves and play ends"
        )
    at = game.start if start is None else start
    if at is None:
        raise NoAnswer("the file says no position with which play begins: give one")
    positions = [game.position(at)]
    strategies = (first, second)
    while options := positions[-1].options:
        strategy = strategies[(len(positions) - 1) % 2]
        chosen = game.position(strategy(positions[-1]))
        if chosen not in options:
            raise NoAnswer(f"{chosen.text} is no option of {positions[-1].text}")
        positions.append(chosen)
    unable = (len(positions) - 1) % 2
    return Play(game, positions, unable if game.is_misere else 1 - unable)
