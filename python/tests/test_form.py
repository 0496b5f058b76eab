"""The types and the form of the package, its tests and its examples."""

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "tool",
    [
        ["mypy"],
        ["pyright", "--pythonpath", sys.executable],
        ["ruff", "check"],
        ["ruff", "format", "--check"],
    ],
    ids=lambda tool: " ".join(tool[:2]),
)
def test_form(tool: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *tool], cwd=HERE, capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
