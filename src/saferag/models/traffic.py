"""What goes to models in a run and what comes back, counted as it happens, for people who wait."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from saferag.types import Usage

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackoffEvent:
    """A request failed and will be sent again.

    Attributes:
        endpoint: Which endpoint, such as ``gpt-4o at api.openai.com``; it holds no key.
        kind: The `ModelError.kind` of the failure.
        message: What happened, in one line.
        attempt: How often the request has been sent so far.
        wait: Seconds until it is sent again.
        concurrency: How many requests the endpoint may now have in flight.
    """

    endpoint: str
    kind: str
    message: str
    attempt: int
    wait: float
    concurrency: int


@dataclass(slots=True)
class Traffic:
    """Counters of one run.

    Attributes:
        sent: Requests that left for a provider, repeats included.
        backoffs: How many of them failed and were sent again.
        failed: Calls that failed for good.
        cached: Calls that the reply cache answered.
        joined: Calls that waited for an identical one in flight.
        unsaved: Replies that the reply cache could not keep (disk full, file locked).
        prompt_tokens, completion_tokens: Of the calls that were paid for, as the provider counted them.
        on_backoff: Told of every back-off, besides the log.
    """

    sent: int = 0
    backoffs: int = 0
    failed: int = 0
    cached: int = 0
    joined: int = 0
    unsaved: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    on_backoff: Callable[[BackoffEvent], None] | None = None

    def back_off(self, event: BackoffEvent) -> None:
        """Count a back-off, log it and tell whoever wants to know; a warning where nobody does."""
        self.backoffs += 1
        level = logging.WARNING if self.on_backoff is None else logging.INFO
        text = "%s: %s; again in %.1f s (attempt %d)"
        log.log(level, text, event.endpoint, event.message, event.wait, event.attempt)
        if self.on_backoff is not None:
            self.on_backoff(event)

    def pay(self, usage: Usage) -> None:
        """Count the tokens of a reply that a provider gave."""
        self.prompt_tokens += usage.prompt_tokens
        self.completion_tokens += usage.completion_tokens
