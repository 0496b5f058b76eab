"""What a sitting needs besides answers: errors, limits, interrupts, pickles, lists."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from reference import Move, Rule

import nimrule
from nimrule import (
    Automaton,
    Game,
    LimitError,
    Limits,
    Listed,
    NoAnswer,
    Position,
    PositionError,
    RuleError,
    Sum,
    games,
    perfect,
)

NIM = "game nim heaps a b c move take from one heap"


def test_errors_have_places() -> None:
    with pytest.raises(RuleError) as caught:
        Game('game g "Größe 🎲"\nheaps a b\nmove take from c')
    finding = caught.value.findings[0]
    assert (finding.line, finding.column, finding.length) == (3, 16, 1)
    assert "move take from c\n                 ^" in str(caught.value)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)


def test_wrong_parameters() -> None:
    with pytest.raises(RuleError, match="parameter"):
        games["nim"].with_(piles=0)
    with pytest.raises(RuleError):
        games["nim"].with_(heaps=3)


@pytest.mark.parametrize("wrong", [(1, 2), "(1,2)", (1, 2, -3), (1.5, 2, 3), (1, 2, "x"), None])
def test_wrong_positions(wrong: object) -> None:
    with pytest.raises(PositionError):
        Game(NIM).solve(wrong)  # type: ignore[arg-type]  # pyright: ignore


class Integer:
    """As Sage's integers are."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


def test_positions_are_any_integers() -> None:
    game = Game(NIM)
    as_written = game.solve("3,4,5").winning_moves
    assert game.solve([Integer(3), np.int64(4), Integer(5)]).winning_moves == as_written
    assert game.solve(np.array([3, 4, 5])).winning_moves == as_written
    assert game.solve((2**80, 2**80, 1)).winning_moves == [(2**80, 2**80, 0)]
    assert games["grundys_game"].solve(7).outcome == "P"


def test_limits() -> None:
    with pytest.raises(LimitError):
        games["cube_edge"].limited(Limits(memory=1 << 20)).outcomes(63)
    begun = time.monotonic()
    with pytest.raises(LimitError):
        games["cube_edge"].limited(Limits(seconds=0.2)).grundy(40)
    assert time.monotonic() - begun < 5


def test_wrong_arguments() -> None:
    """What is no number, outcome or position is said to be none, and why."""
    game = Game(NIM)
    for wrong in ({"seconds": -1}, {"seconds": float("nan")}, {"memory": -1}, {"threads": 0}):
        with pytest.raises(ValueError, match=r"from 0 on|one thread"):
            Limits(**wrong)  # pyright: ignore[reportArgumentType]
    for ask in (game.outcomes, game.grundy, game.positions, game.check):
        for size in (-1, 2**70):
            with pytest.raises(ValueError, match="largest size"):
                ask(size)
    with pytest.raises(ValueError, match="`Q` is no outcome"):
        game.positions(3, outcomes="PQ")
    with pytest.raises(TypeError):
        game.position((1, 2, 3)) + 3  # type: ignore[operator]  # pyright: ignore


def test_progress() -> None:
    told: list[str] = []
    limits = Limits(threads=1, progress=lambda words, part: told.append(words))
    games["cube_edge"].limited(limits).grundy(12)
    assert any("positions" in words for words in told)


def test_interrupt() -> None:
    """Ctrl-C ends a question, and the game answers the next one."""
    game = games["circular_nim"].with_(n=8, k=3)
    # In the background a shell has its processes ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        game.discover()
    signal.signal(signal.SIGINT, before)
    assert time.monotonic() - begun < 3
    assert game.outcome((0, 0, 0, 0, 1, 0, 0, 0)) == "N"


def test_threads_run_meanwhile() -> None:
    """Python's other threads run while a question is answered."""
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    games["cube_edge"].limited(Limits(threads=1)).grundy(11)
    done.set()
    thread.join()
    assert counted > 10


@pytest.mark.parametrize("name", ["cube_edge", "kayles", "cat_and_mouse", "circular_nim"])
def test_pickles(name: str) -> None:
    game = games[name]
    copy: Game = pickle.loads(pickle.dumps(game))
    assert copy == game
    assert hash(copy) == hash(game)
    position = copy.position(copy.start or game.ask("random", wins=True)["text"])
    assert pickle.loads(pickle.dumps(position)) == position


def outcome_of_nim(_: int) -> str:
    return FORKED.outcome((1, 2, 3))


FORKED = Game(NIM)


def test_forks() -> None:
    """A process that is forked asks the games of its parent."""
    assert outcome_of_nim(0) == "P"
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map_async(outcome_of_nim, [0, 1]).get(20) == ["P", "P"]


def test_tables() -> None:
    cube = games["cube_edge"]
    table = cube.outcomes(5)
    assert isinstance(table, np.ndarray)
    assert table.dtype == np.uint8
    assert table.shape == (6,) * 6
    assert table.flags.owndata or table.base is not None
    assert int((table == nimrule.P).sum()) == 816
    values = games["kayles"].grundy(6)
    assert isinstance(values, Listed)
    assert values.values[values.positions.index((3, 4))] if (3, 4) in values.positions else True
    with pytest.raises(NoAnswer):
        games["cat_and_mouse"].grundy(3)
    with pytest.raises(NoAnswer):
        cube.misere().grundy(3)


def test_lists() -> None:
    rows = games["cube_edge"].p_positions(2, up_to_symmetry=True)
    assert isinstance(rows, pd.DataFrame)
    assert list(rows.columns) == ["a", "b", "c", "A", "B", "C", "outcome", "alike"]
    alike: Any = rows["alike"]
    assert alike.sum() == np.sum(np.asarray(games["cube_edge"].outcomes(2)) == nimrule.P)


def test_files() -> None:
    folder = Path(nimrule.__file__).parent
    assert folder.joinpath("py.typed").exists()
    graph = nx.petersen_graph()
    assert nx.is_isomorphic(nimrule.from_graph6(nimrule.graph6(graph)), graph)


def test_a_rule_with_a_board_file(tmp_path: Path) -> None:
    library: Any = nx
    graph = library.cycle_graph(5)
    (tmp_path / "cycle.g6").write_bytes(nimrule.graph6(graph))
    path = tmp_path / "rule.nimrule"
    path.write_text('game g board from "cycle.g6" heaps on vertices move take from one edge')
    game = Game.open(path)
    assert len(game.heaps) == 5
    assert game.files == ["cycle.g6"]
    assert pickle.loads(pickle.dumps(game)).outcome("all 1") == game.outcome("all 1")
    assert (game.position("all 1") + game.position("all 1")).solve().outcome == "P"


def test_nothing_is_written_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads out of the folder of a rule is not written to."""
    library: Any = nx
    rules, temporary = tmp_path / "rules", tmp_path / "temporary"
    for folder in (rules, temporary):
        folder.mkdir()
    for folder in (tmp_path, rules):
        (folder / "board.g6").write_bytes(nimrule.graph6(library.cycle_graph(3)))
    (temporary / "board.g6").write_text("of somebody else")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.g6")}
    for name in ("board.g6", "../board.g6", "../rules/../board.g6", str(tmp_path / "board.g6")):
        path = rules / "rule.nimrule"
        path.write_text(f'game g board from "{name}" heaps on vertices move take from one heap')
        game = Game.open(path)
        assert (game.position("all 1") + game.position((1, 1, 2))).solve().grundy == 3
        assert game.sequence(5).values == [0, 1, 2, 3, 4, 5]
        assert game.quotient(2).order == 6
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.g6")} == before
    assert [path.name for path in temporary.iterdir()] == ["board.g6"]


ENDS = """
import os, signal, time
from pathlib import Path
from nimrule import Game, RuleError, games

def taken():
    status = Path("/proc/self/status").read_text()
    return len(os.listdir("/proc/self/task")), int(status.split("VmSize:")[1].split()[0])

def settled(threads):
    deadline = time.monotonic() + 20
    while taken()[0] > threads and time.monotonic() < deadline:
        time.sleep(0.01)
    return taken()

signal.signal(signal.SIGINT, signal.default_int_handler)
for run in range(2):
    for n in range(200):
        game = Game("game nim heaps a b c move take from one heap").misere()
        assert game.outcome((1, 1, n)) in "NP"
        assert game.position((1, 1, 1)).solve().outcome == "P"
        try:
            Game("game nim heaps a move take from b")
        except RuleError:
            pass
    hard = games["circular_nim"].with_(n=8, k=3)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        hard.discover()
    except KeyboardInterrupt:
        pass
    del game, hard
    print(*settled(1))
"""


def test_games_end() -> None:
    """What nothing refers to any more has neither a thread nor a stack, also when interrupted."""
    command = [sys.executable, "-c", ENDS]
    # Memory for small objects is reserved by threads that meet, as much as for a stack.
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1"}
    done = subprocess.run(command, capture_output=True, check=True, text=True, env=environment)
    (threads, first), (_, second) = (map(int, line.split()) for line in done.stdout.splitlines())
    assert threads == 1
    # In kB: a stack has 64 MB.
    assert second < first + (64 << 10)


def test_automata() -> None:
    found = games["wythoff"].discover()
    assert found is not None
    golden = (1 + 5**0.5) / 2
    for n in range(1, 40):
        a = int(n * golden)
        assert found.is_p((a, a + n))
        assert not found.is_p((a, a + n + 1))
    assert Automaton.from_walnut(found.automaton.to_walnut()) == found.automaton
    assert found.automaton.to_networkx().number_of_nodes() == found.automaton.states
    any_number = Game("game nim heaps any number move take from one heap").discover()
    assert any_number is not None
    assert any_number.claim == "claim P iff xor(heaps) == 0"
    assert repr(any_number) == "<any number of heaps: claim P iff xor(heaps) == 0>"
    with pytest.raises(NoAnswer, match="no automaton"):
        any_number.is_p((1, 1))
    with pytest.raises(ValueError, match="two arcs"):
        Automaton.from_walnut("msd_2\n0 1\n0 -> 0\n0 -> 0\n")


def test_play() -> None:
    assert Game(NIM).play(perfect, perfect, (3, 4, 5)).winner == 0
    assert (
        Game(NIM, misere=True).play(perfect, nimrule.at_random, (1, 1)[:0] or (1, 1, 1)).winner
        == 1
    )
    with pytest.raises(NoAnswer, match="no option"):
        Game(NIM).play(lambda position: (9, 9, 9), perfect, (3, 4, 5))


def test_every_answer_has_the_convention_of_its_game() -> None:
    rule = Rule(2, (Move(((0,), (1,)), "", None),))
    game = Game(rule.text()).misere()
    expected = rule.misere(3)
    lost = {at for at, loses in expected.items() if loses}
    for at, loses in expected.items():
        outcome = "P" if loses else "N"
        position = game.position(at)
        nothing = game.position((0, 0))
        winning = set(rule.options(at)) & lost
        assert [
            game.outcome(at),
            game.solve(at).outcome,
            position.outcome,
            position.solve().outcome,
            str(game.why(at))[0],
            str(position.why())[0],
        ] == [outcome] * 6, at
        assert set(game.solve(at).winning_moves) == winning
        assert game.solve(at).grundy is None
        assert position.grundy is None
        assert Sum([position]).solve().outcome == outcome
        assert (position + nothing).solve().outcome == outcome
        if winning:
            assert game.reply(at) in winning
        strategies = (perfect, nimrule.at_random) if not loses else (nimrule.at_random, perfect)
        assert game.play(*strategies, at).winner == int(loses)
    outcomes = np.asarray(game.outcomes(3))
    assert {at for at in expected if outcomes[at] == nimrule.P} == lost
    rows: Any = game.positions(3)
    assert {(row.a, row.b) for row in rows.itertuples() if row.outcome == "P"} == lost
    rows = game.p_positions(3)
    assert {(row.a, row.b) for row in rows.itertuples()} == lost
    found = game.discover()
    assert found is not None
    assert {at for at in expected if found.is_p(at)} == lost
    assert found.claim is not None
    assert found.claim.startswith("claim misere")
    judged = Game(f"{rule.text()} {found.claim}").misere()
    assert judged.claims[0].misere
    assert judged.prove().passes
    assert judged.check(3).passes
    assert games["kayles"].misere().quotient(5).order == games["kayles"].quotient(5).order
    with pytest.raises(NoAnswer, match="add up"):
        game.grundy(3)
    for heap in (None, "a"):
        with pytest.raises(NoAnswer, match="no Grundy values"):
            game.sequence(5, heap=heap)
    with pytest.raises(NoAnswer, match="no Grundy values"):
        games["kayles"].misere().sequence(5)
    assert games["kayles"].misere().normal().sequence(5).values == [0, 1, 2, 3, 1, 4]
    kept = [game.limited(Limits(threads=1)), game.misere(), pickle.loads(pickle.dumps(game))]
    kept.append(games["nim"].misere().with_(piles=2))
    assert [one.outcome((1, 0)) for one in kept] == ["P"] * 4
    assert all(one.is_misere for one in kept)


def test_every_method_is_compared() -> None:
    """A new method is compared above, or the convention does not matter for its answer."""
    compared = """
        solve outcome why reply play outcomes positions p_positions discover prove check quotient
        grundy sequence limited misere normal with_ is_misere claims
    """
    others = """
        ask ask_opened file files heaps index kind limits name notes open options params position
        settings sources start svg text title warnings widget written
    """
    assert {name for name in dir(Game) if name[0] != "_"} == {*compared.split(), *others.split()}
    of_position = "solve outcome grundy why game numbers options spot svg text"
    assert {name for name in dir(Position) if name[0] != "_"} == {*of_position.split()}
    assert {name for name in dir(Sum) if name[0] != "_"} == {"parts", "solve", "is_misere"}


def test_sums_have_one_convention() -> None:
    normal = games["nim"].with_(piles=2)
    misere = normal.misere()
    for one, other in ((normal, misere), (misere, normal)):
        with pytest.raises(NoAnswer, match="cannot be added"):
            _ = one.position((1, 0)) + other.position((0, 0))
        with pytest.raises(NoAnswer, match="cannot be added"):
            Sum([one.position((1, 0)), one.position((1, 1)), other.position((0, 0))])
    for compound in ("disjunctive", "conjunctive", "selective"):
        mine = misere.position((1, 0)) + games["kayles"].misere().position([1])
        asked = normal.position((1, 0)) + games["kayles"].position([1])
        answers = [mine.solve(compound).json, asked.solve(compound, misere=True).json]
        assert answers[0] == answers[1]
        assert answers[0]["convention"] == "misere"
        assert asked.solve(compound).json["convention"] == "normal"


def test_sums_have_the_parameters_and_limits_of_their_games() -> None:
    rule = """
        game own_limits
        param limits = (1, 3), amounts = {1, 2}
        heaps size(limits)
        move take t from one heap as h where t <= limits[index(h)] and t in amounts
    """
    game = Game(rule, {"limits": [2, 5, 1], "amounts": {1, 4}})
    one, other = game.position((1, 4, 1)), game.position((1, 1, 0))
    values = [part.grundy for part in (one, other)]
    assert (one + other).solve().json["components"][0]["params"] == game.params
    assert [part["grundy"] for part in (one + other).solve().json["components"]] == values
    hurried = games["cram"].misere().limited(Limits(seconds=0))
    position = hurried.position("all 1")
    with pytest.raises(LimitError):
        (position + games["kayles"].misere().position([9, 9, 9])).solve()


def test_pictures() -> None:
    for name in ["cube_edge", "kayles", "cat_and_mouse", "shrinking_circular_nim"]:
        game = games[name]
        assert game.svg(game.start).startswith("<svg")
        assert "<pre>" in game._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "<table>" in games["cube_edge"].prove()._repr_html_()  # pyright: ignore[reportPrivateUsage]


def test_import_is_quick() -> None:
    measured = (
        "import time; t = time.perf_counter(); import nimrule; print(time.perf_counter() - t)"
    )
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", measured], capture_output=True, check=True
            ).stdout
        )
        for _ in range(15)
    ]
    assert min(times) < 0.02
