"""Progress of a run: a bar on standard error, or a function of the program."""
from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Optional, Union

Progress = Union[bool, None, Callable[[str, float, float], object]]


class _Plain:
    """One line, drawn again at most four times per second."""

    def __init__(self) -> None:
        self.drawn = 0.0
        self.width = 0

    def __call__(self, what: str, done: float, total: float) -> None:
        now = time.monotonic()
        if now - self.drawn < 0.25:
            return
        self.drawn = now
        share = min(done / total, 1.0) if total > 0 else 0.0
        line = f"{what}: {'#' * round(30 * share):<30} {100 * share:3.0f} %"
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()
        self.width = len(line)

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


class _Tqdm:
    def __init__(self, tqdm: Any) -> None:
        self.make, self.bar, self.what = tqdm.tqdm, None, ""

    def __call__(self, what: str, done: float, total: float) -> None:
        bar: Any = self.bar
        if bar is None or what != self.what:
            self.close()
            self.what = what
            self.bar = bar = self.make(total=total, desc=what, leave=False, bar_format="{l_bar}{bar}| {elapsed}")
        bar.total = total
        bar.update(done - bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


Bar = Union[_Plain, _Tqdm]


def bar() -> Bar:
    """tqdm's where it is installed."""
    try:
        return _Tqdm(importlib.import_module("tqdm.auto"))
    except ImportError:
        return _Plain()


def hook(progress: Progress) -> tuple[Optional[Callable[[str, float, float], object]], Callable[[], None]]:
    """The function that the library calls, and what to do at the end."""
    if progress is None or progress is False:
        return None, lambda: None
    if progress is True:
        drawn = bar()
        return drawn, drawn.close
    return progress, lambda: None
