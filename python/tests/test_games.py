"""The shipped games are answered as the command line answers them."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nimrule import Game, games

FOLDER = Path(__file__).parents[2] / "games"
TIMES = {"seconds", "took"}


def command(*arguments: str) -> Any:
    run = [sys.executable, "-m", "nimrule", *arguments, "--format", "json", "--quiet"]
    done = subprocess.run(run, capture_output=True, check=False, text=True)
    return json.loads(done.stdout.splitlines()[0])


def without_times(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in TIMES}


def test_all_are_shipped() -> None:
    # Proofs may be kept beside the games, in a folder.
    paths = [path for path in FOLDER.glob("*.nimrule") if path.is_file()]
    files = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    assert {name: games.text(name) for name in games} == files


def examples(name: str) -> list[str]:
    """The positions of the examples of a game that apply to its parameters."""
    found = games[name].ask_opened("examples")
    here = [one for one in found if one["applies"] and not one["misere"]]
    return list(dict.fromkeys(one["position"]["text"] for one in here))[:2]


@pytest.mark.parametrize("name", games)
def test_positions(name: str) -> None:
    game = games[name]
    if game.kind == "reals":
        return
    positions = examples(name)
    start = game.ask_opened("start")
    if not positions and start is not None:
        positions = [start["text"]]
    # Of a large position of many moves the value is given if it is found in a second or two.
    if name == "objects_on_a_board":
        positions = ["all 0"]
    for position in positions:
        try:
            answer: Any = game.solve(position).json
        except Exception as error:
            answer = {"error": type(error).__name__}
        path = str(FOLDER / f"{name}.nimrule")
        expected = command("solve", path, position, "--no-cache")
        if "error" in expected:
            assert "error" in answer, expected
        else:
            assert without_times(answer) == without_times(expected)


def verdicts(game: Game) -> list[dict[str, Any]]:
    # What is outside of any procedure is not checked.
    all_of_them = [without_times(one.json) for one in game.check(proofs=False)]
    return [one for one in all_of_them if one["standing"] != "outside"]


def test_claims() -> None:
    """All claims, against `nimrule test --box games`, whose JSON NIMRULE_VERDICTS may name."""
    known = os.environ.get("NIMRULE_VERDICTS")
    if known:
        found = json.loads(Path(known).read_text(encoding="utf-8"))
    else:
        found = command("test", "--box", str(FOLDER))
    expected: dict[str, list[dict[str, Any]]] = {name: [] for name in games}
    for one in found["results"]:
        name = Path(one["file"]).stem
        if one.get("claim") == one["statement"] and one["params"] == games[name].params:
            expected[name].append(one)
    compared = 0
    with ThreadPoolExecutor() as threads:
        each = {name: threads.submit(verdicts, games[name]) for name in games}
        for name, asked in each.items():
            answers = asked.result()
            assert len(answers) == len(expected[name]), name
            for answer, wanted in zip(answers, expected[name], strict=True):
                for field, value in answer.items():
                    assert wanted[field] == value, (name, field)
                compared += 1
    assert compared > 100
