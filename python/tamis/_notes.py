"""Notes of the library: warnings where the program called the package, or sentences for a function."""
from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Any, Optional

from ._errors import TamisWarning

Note = Optional[Callable[[str], object]]
_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _stack_level() -> int:
    """How many calls up the first one outside of the package is, for warnings.warn of our caller."""
    level = 1
    while sys._getframe(level).f_code.co_filename.startswith(_HERE) and sys._getframe(level).f_back is not None:
        level += 1
    return level


class Notes:
    """What takes the notes of one call; at its end they become warnings, unless there is a function or it failed."""

    def __init__(self, note: Note) -> None:
        self.sentences: list[str] = []
        self.warns = note is None
        self.hook: Callable[[str], object] = self.sentences.append if note is None else note

    def __enter__(self) -> Notes:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None and self.warns:
            for sentence in self.sentences:
                warnings.warn(sentence, TamisWarning, stacklevel=_stack_level())
