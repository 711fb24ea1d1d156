"""JSON Lines that several processes append to: whole lines only, whatever happens to whoever writes them.

Every append holds a lock, and first cuts off what a writer that was killed has left of its last line. Readers need
no lock: they stop at the last newline. A line is with the operating system when `append` returns, so it survives the
death of the process (not that of the machine).
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from saferag.errors import DataError, UserError
from saferag.locks import lock, unlock

_WRITER = 2**62  # the byte that writers lock: far behind any line
_BLOCK = 1 << 16


def line(value: Mapping[str, Any]) -> str:
    """One line of JSON, newline included; readable as it is, unless it holds half a surrogate pair."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")) + "\n"
    return text


def append(path: Path, text: str) -> tuple[int, int]:
    """Append whole lines.

    Returns:
        Where they begin and end in the file.

    Raises:
        UserError: They cannot be written (disk full, for example); the file is then as it was.
    """
    data = text.encode()
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    except OSError as error:
        raise _unwritable(path, error) from None
    try:
        lock(descriptor, _WRITER, wait=True)
        begin = _end_of_lines(descriptor)
        try:
            _write(descriptor, data, begin)
        except OSError as error:
            with contextlib.suppress(OSError):  # the next writer cuts it off anyway
                os.ftruncate(descriptor, begin)
            raise _unwritable(path, error) from None
        finally:
            unlock(descriptor, _WRITER)
        return begin, begin + len(data)
    finally:
        os.close(descriptor)


def _write(descriptor: int, data: bytes, place: int) -> None:
    os.lseek(descriptor, place, os.SEEK_SET)
    while data:
        data = data[os.write(descriptor, data) :]


def _end_of_lines(descriptor: int) -> int:
    """Where the last whole line ends; what stands behind it is cut off."""
    size = end = os.fstat(descriptor).st_size
    while end:
        start = max(0, end - (_BLOCK if end < size else 1))  # nearly always the last byte is the end of a line
        os.lseek(descriptor, start, os.SEEK_SET)
        newline = os.read(descriptor, end - start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < size:
        os.ftruncate(descriptor, end)
    return end


def _unwritable(path: Path, error: OSError) -> UserError:
    return UserError(f"{path} cannot be written: {error.strerror}; what was finished is kept")


def read(path: Path, begin: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The whole lines of a file from a place on, and where they end. A missing file has none.

    Raises:
        DataError: A line is not JSON.
    """
    if not path.exists():
        return [], begin
    with path.open("rb") as file:
        file.seek(begin)
        data = file.read()
    end = data.rfind(b"\n") + 1
    found = []
    for number, text in enumerate(data[:end].split(b"\n")[:-1], 1):
        try:
            found.append(json.loads(text))
        except ValueError as error:
            where = number if begin == 0 else None
            raise DataError(f"is not JSON ({error})", path=path, line=where) from None
    return found, begin + end
