"""What can go wrong, as exceptions with the library's own sentence."""
from __future__ import annotations

from typing import NoReturn


class TamisError(Exception):
    """The library could not do what was asked for; the text says why, and what to do."""


class UsageError(TamisError, ValueError):
    """An option or an argument is wrong."""


class DataError(TamisError, ValueError):
    """The data or the model file is wrong."""


class NumericError(TamisError, RuntimeError):
    """A computation failed."""


class SystemFailure(TamisError, RuntimeError):
    """A file could not be written, or a library failed."""


class OutOfMemory(TamisError, MemoryError):
    """Not enough memory; the text says how much was needed."""


class TamisWarning(UserWarning):
    """A note of the library: dropped rows, approximations, doubts."""


_BY_STATUS: dict[int, type[BaseException]] = {
    1: NumericError, 2: OutOfMemory, 3: SystemFailure, 4: UsageError, 5: DataError, 6: KeyboardInterrupt}


def raise_status(status: int, sentence: str) -> NoReturn:
    """Raises the exception of a status (enum tamis_status)."""
    raise _BY_STATUS[status](sentence)
