"""The examples of the module and of the README."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import nimrule

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
MODULES = [name for _, name, _ in pkgutil.iter_modules(nimrule.__path__) if name != "__main__"]


@pytest.mark.parametrize("name", ["nimrule", *(f"nimrule.{name}" for name in MODULES)])
def test_module(name: str) -> None:
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=FLAGS, extraglobs={"nimrule": nimrule}).failed == 0


def test_readme() -> None:
    readme = Path(__file__).parent.parent / "README.md"
    found = doctest.testfile(str(readme), module_relative=False, optionflags=FLAGS)
    assert found.attempted > 5
    assert found.failed == 0
