"""The notebooks of the examples run."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path: Path, tmp_path: Path) -> None:
    library: Any = nbformat
    book: Any = library.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in book.cells), (
        "a notebook is kept without outputs"
    )
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(book, timeout=120, resources=resources).execute()
    shown = [cell for cell in book.cells if cell.get("outputs")]
    assert len(shown) > 5
    done = tmp_path / path.name
    library.write(book, done)
    assert done.stat().st_size > path.stat().st_size


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["programmer", "teacher", "theorist"]


def test_script() -> None:
    script = Path(__file__).parents[1] / "examples" / "who_wins.py"
    run = [sys.executable, str(script), "cube_edge", "3,4,5,3,4,6"]
    done = subprocess.run(run, capture_output=True, check=True, text=True)
    assert done.stdout == "N-position: the player to move wins\ntake 1 from C\n"
