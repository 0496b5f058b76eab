"""Who wins a position of a shipped game: `python who_wins.py cube_edge 3,4,5,3,4,6`."""

from __future__ import annotations

import sys

from nimrule import NimruleError, games


def main(name: str, position: str) -> str:
    """Answer in words."""
    try:
        answer = games[name].solve(position)
    except KeyError:
        return f"there is no game `{name}`; there are {', '.join(games)}"
    except NimruleError as error:
        return str(error)
    return "\n".join([str(answer), *answer.moves_in_words])


if __name__ == "__main__":
    print(main(*sys.argv[1:3]))
