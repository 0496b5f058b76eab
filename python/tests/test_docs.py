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


@pytest.mark.parametrize("page", ["python/README.md", "docs/src/python.md"])
def test_page(page: str) -> None:
    path = Path(__file__).parents[2] / page
    found = doctest.testfile(str(path), module_relative=False, optionflags=FLAGS)
    assert found.attempted > 5
    assert found.failed == 0
