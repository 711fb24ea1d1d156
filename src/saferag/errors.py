"""Everything that saferag raises on purpose.

SafeRAGError
├── UserError                what the user can fix; one line that says what to do
│   ├── OptionError          a wrong option or component parameter
│   ├── UnknownComponentError  no component of that name ("did you mean …")
│   ├── MissingExtraError    an optional package is not installed
│   ├── MissingKeyError      an API key is not in the environment
│   └── DataError            a data file is malformed, empty or inconsistent
└── ModelError               one call to a model failed; a recorded outcome of that call
    ├── ModelTimeoutError
    ├── RateLimitedError
    ├── ServerError          5xx, a broken connection, a reply cut in half
    ├── RequestRejectedError 4xx: wrong key, wrong model name, malformed request
    ├── ContentFilteredError the provider withheld the reply
    └── BadReplyError        the reply arrived and is empty or not what was asked for
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable


class SafeRAGError(Exception):
    """Base class of everything that saferag raises on purpose."""


class UserError(SafeRAGError):
    """Something that the user can fix. The message is one line and says what to do."""


class OptionError(UserError):
    """An option or a component parameter has a value that cannot be used."""


class UnknownComponentError(UserError):
    """No component of this kind has this name."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        super().__init__(f"unknown {kind} '{name}'{did_you_mean(name, names)}; known: {', '.join(names)}")


class MissingExtraError(UserError):
    """A package that only an optional feature needs is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: run  pip install 'saferag[{extra}]'")


class MissingKeyError(UserError):
    """An API key is not in the environment."""

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(f"{provider} needs a key: set the environment variable {variable}")


class DataError(UserError):
    """A data file is malformed, empty or inconsistent.

    Args:
        message: What is wrong.
        path: The file, if there is one.
        line: The 1-based line, if there is one.
        field: The field within the record, such as ``options[3].label``.
    """

    def __init__(self, message: str, *, path: object = None, line: int | None = None, field: str | None = None) -> None:
        where = "" if path is None else str(path) + ("" if line is None else f":{line}") + ": "
        what = "" if field is None else f"field '{field}': "
        super().__init__(f"{where}{what}{message}")


class ModelError(SafeRAGError):
    """One call to a model failed. It is recorded as the outcome of that call, never scored."""

    kind: ClassVar[str] = "model_error"


class ModelTimeoutError(ModelError):
    """No complete reply within the time limit."""

    kind = "timeout"


class RateLimitedError(ModelError):
    """The provider still answered 429 after the last retry."""

    kind = "rate_limited"


class ServerError(ModelError):
    """The server failed: 5xx, a broken connection, or a reply cut in half."""

    kind = "server_error"


class RequestRejectedError(ModelError):
    """The provider rejected the request: wrong key, wrong model name, malformed request."""

    kind = "rejected"


class ContentFilteredError(ModelError):
    """The provider withheld the reply."""

    kind = "content_filtered"


class BadReplyError(ModelError):
    """A reply arrived, and it is empty or not what was asked for."""

    kind = "bad_reply"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'x'?)"`` for the nearest known name, or an empty string."""
    close = get_close_matches(name.casefold(), list(known), n=1, cutoff=0.5)
    return f" (did you mean '{close[0]}'?)" if close else ""
