"""Our data files: UTF-8, one case per line. What was written reads back the same, and writes the same bytes again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from saferag.data.records import dump_case, parse_case
from saferag.errors import DataError
from saferag.types import Case


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read a file of cases.

    Raises:
        DataError: The file cannot be read, or a line is malformed; the message has file, line and field.
    """
    return parse_cases(read_bytes(path), path)


def parse_cases(data: bytes, path: object = None) -> tuple[Case, ...]:
    """Read cases from the bytes of a file; ``path`` is for messages. Empty lines are skipped."""
    cases: list[Case] = []
    lines: dict[str, int] = {}
    # Only a line feed ends a line: str.splitlines would also split at U+2028 inside a text.
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        case = parse_case(_decode(line, path, number), path=path, line=number)
        if case.id in lines:
            raise DataError(
                f"the id '{case.id}' stands on line {lines[case.id]} too", path=path, line=number, field="id"
            )
        lines[case.id] = number
        cases.append(case)
    if not cases:
        raise DataError("holds no cases", path=path)
    return tuple(cases)


def format_cases(cases: Iterable[Case]) -> bytes:
    """The bytes of a file of cases: fixed key order, no needless space, a line feed after each case.

    Raises:
        DataError: A case cannot be written.
    """
    return b"".join(
        json.dumps(dump_case(case), ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for case in cases
    )


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Write a file of cases."""
    path.write_bytes(format_cases(cases))


def read_bytes(path: Path) -> bytes:
    """Read a file.

    Raises:
        DataError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", path=path) from None


def _decode(line: bytes, path: object, number: int) -> object:
    try:
        return json.loads(line.decode(), object_pairs_hook=_unique_keys)
    except UnicodeDecodeError as error:
        raise DataError(f"is not UTF-8 at byte {error.start + 1} of the line", path=path, line=number) from None
    except json.JSONDecodeError as error:
        raise DataError(f"is not JSON: {error.msg} at column {error.colno}", path=path, line=number) from None
    except RecursionError:
        raise DataError("is not JSON: nested too deeply", path=path, line=number) from None
    except _RepeatedKeyError as error:
        raise DataError("the key stands twice in one object", path=path, line=number, field=str(error)) from None


class _RepeatedKeyError(ValueError):
    """A JSON object has a key twice; the message is the key."""


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return found
