"""How much a question may take."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    # Called with what is done, in words, and the part that is done, where it is known.
    Progress = Callable[[str, float | None], object]


class Limits:
    """The limits of a question: time in seconds, memory in bytes, and threads.

    Without them there is no limit of time, most of the free memory is used, and as many threads
    as the machine has processors.

    >>> Limits(seconds=5, memory=2**30)
    Limits(seconds=5, memory=1073741824)
    """

    __slots__ = ("memory", "progress", "seconds", "threads")

    def __init__(
        self,
        seconds: float | None = None,
        memory: int | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        if seconds is not None and not seconds >= 0:
            raise ValueError("the seconds are a number from 0 on")
        if memory is not None and memory < 0:
            raise ValueError("the memory is a number of bytes from 0 on")
        if threads is not None and threads < 1:
            raise ValueError("at least one thread is needed")
        self.seconds = seconds
        self.memory = memory
        self.threads = threads
        self.progress = progress

    def __repr__(self) -> str:
        set_here = (
            f"{name}={getattr(self, name)!r}"
            for name in ("seconds", "memory", "threads", "progress")
            if getattr(self, name) is not None
        )
        return f"Limits({', '.join(set_here)})"

    @classmethod
    def strictest(cls, each: Iterable[Limits]) -> Limits:
        """The strictest of several limits.

        >>> Limits.strictest([Limits(seconds=5), Limits(seconds=9, threads=2)])
        Limits(seconds=5, threads=2)
        """
        every = list(each)

        def least(name: str) -> Any:
            known = (getattr(one, name) for one in every)
            return min((limit for limit in known if limit is not None), default=None)

        progress = next((one.progress for one in every if one.progress is not None), None)
        return cls(least("seconds"), least("memory"), least("threads"), progress)

    def options(self) -> list[str]:
        """The options of the command line for these limits."""
        options: list[str] = []
        if self.seconds is not None:
            options += ["--time-limit", str(self.seconds)]
        if self.memory is not None:
            options += ["--memory-limit", str(self.memory)]
        if self.threads is not None:
            options += ["--threads", str(self.threads)]
        return options


def bar(description: str = "nimrule") -> Progress:
    """Progress as a bar of tqdm, for ``Limits(progress=nimrule.bar())``."""
    from tqdm.auto import tqdm

    shown = tqdm(total=1.0, desc=description, bar_format="{desc}: {percentage:3.0f}%|{bar}|")

    def tell(words: str, part: float | None) -> None:
        shown.set_description_str(words)
        shown.n = part or 0.0
        shown.refresh()

    return tell
