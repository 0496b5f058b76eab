"""Why there is no answer."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Finding:
    """An error or a warning about the text of a rule, with its place."""

    __slots__ = ("code", "column", "help", "is_warning", "length", "line", "message")

    def __init__(self, message: str, help: str | None, code: str, is_warning: bool) -> None:
        self.message = message
        """What is wrong."""
        self.help = help
        """How it is corrected."""
        self.code = code
        """The code that ``nimrule explain`` explains."""
        self.is_warning = is_warning
        """Whether the rule is correct all the same."""
        self.line = 1
        """From 1."""
        self.column = 1
        """From 1, in characters."""
        self.length = 0
        """In characters; 0 where something is missing."""

    def __repr__(self) -> str:
        return f"<{self.line}:{self.column}: {self.message}>"


class NimruleError(Exception):
    """Why there is no answer."""


class RuleError(NimruleError):
    """The text is no rule, or not at these values of its parameters.

    >>> from nimrule import Game
    >>> try:
    ...     Game("game g heaps a move take from b")
    ... except RuleError as error:
    ...     print(error.findings[0].code, error.findings[0].column)
    names::unknown 31
    """

    def __init__(self, words: str, text: str, findings: list[Finding]) -> None:
        super().__init__(words, text, findings)
        self.words = words
        """What is wrong, without the places."""
        self.text = text
        """The text of the rule."""
        self.findings = findings
        """The errors, in the order of their places."""

    def __str__(self) -> str:
        lines = [self.words]
        lines += [underlined(self.text, finding) for finding in self.findings]
        return "\n".join(lines)


class PositionError(NimruleError, ValueError):
    """No position of the game."""


class LimitError(NimruleError):
    """A limit of time or memory was met."""


class NoAnswer(NimruleError):
    """The question has no answer for this game, or none was found; the words say why."""


def underlined(text: str, finding: Finding) -> str:
    """The line of a finding, with what is meant underlined."""
    line = text.splitlines()[finding.line - 1] if text else ""
    mark = " " * (finding.column - 1) + "^" * max(1, min(finding.length, len(line)))
    kind = "warning" if finding.is_warning else "error"
    shown = f"{finding.line}:{finding.column}: {kind}: {finding.message}\n  {line}\n  {mark}"
    return f"{shown}\n  help: {finding.help}" if finding.help else shown


def findings(text: str, found: list[dict[str, Any]]) -> list[Finding]:
    """Findings as messages have them, whose places are in UTF-16 code units."""
    units = text.encode("utf-16-le")

    def characters(unit: int) -> int:
        return len(units[: 2 * unit].decode("utf-16-le", "ignore"))

    def one(finding: dict[str, Any]) -> Finding:
        start, end = (characters(finding["at"][side]) for side in ("from", "to"))
        before = text[:start]
        one = Finding(finding["message"], finding["help"], finding["code"], finding["is_warning"])
        one.line = before.count("\n") + 1
        one.column = start - (before.rfind("\n") + 1) + 1
        one.length = end - start
        return one

    return [one(finding) for finding in found]


def error_of(fault: dict[str, Any], text: str) -> BaseException:
    """The exception of a fault."""
    words, kind = fault["words"], fault["kind"]
    if kind == "rule":
        return RuleError(words, text, findings(text, fault["findings"]))
    if kind == "position":
        return PositionError(words)
    if kind == "limit":
        return LimitError(words)
    if kind == "stopped":
        return KeyboardInterrupt()
    return NoAnswer(words)
