"""JSON requests to a server beside the chat models: embeddings and reranking, with typed errors and visible retries.

Retrieval is synchronous and may run while an event loop does, so this uses the synchronous OpenAI client.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from saferag.errors import ModelTimeoutError, OptionError, ServerError
from saferag.models.openai import Secret, find_key, is_loopback, public_url, root_cause, tries
from saferag.models.openai_wire import Trouble, clean, read_status
from saferag.models.presets import OPENAI_URL, Preset
from saferag.models.traffic import BackoffEvent, Traffic
from saferag.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openai import OpenAI

Body = dict[str, object]
_LONGEST_BACKOFF = 60.0


@dataclass(frozen=True, slots=True)
class JsonServer:
    """Sends JSON and reads JSON.

    Attributes:
        model: The model's name at the server.
        base_url: Root of the API, such as ``http://localhost:8000/v1``.
        key: The key, or a dummy for a server that asks for none.
        traffic: Where everything is counted.
        concurrency: The most requests in flight.
        timeout: Seconds for one request.
        retries: How often a failed request is sent again.
        backoff: Seconds before the first repeat; they double from there.
    """

    model: str
    base_url: str
    key: Secret
    traffic: Traffic
    concurrency: int
    timeout: float
    retries: int
    backoff: float
    _counting: Any = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def of(
        cls, resources: Resources, user: str, model: str | None, base_url: str | None, key_env: str | None
    ) -> JsonServer:
        """The server of a component's parameters.

        Args:
            resources: Limits, counters.
            user: Who asks, for error messages, such as ``retriever 'dense:endpoint'``.
            model: The model's name at the server; it has to be given.
            base_url: Root of the API; None: ``OPENAI_BASE_URL`` from the environment, or OpenAI.
            key_env: The environment variable that holds the key; None: ``OPENAI_API_KEY``.

        Raises:
            OptionError: There is no model, or the address is not one.
            MissingKeyError: There is no key, and the server is not on this machine.
        """
        if not model:
            raise OptionError(f"{user} needs a model: add (model=NAME), and base_url=URL where it is not OpenAI's")
        url = base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
        if urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).hostname:
            raise OptionError(f"{user}: base_url '{public_url(url)}' is not an http(s) address")
        key = find_key(Preset(model, url, key_env or "OPENAI_API_KEY", ""), optional=resources.dry_run)
        limits = (resources.concurrency, resources.timeout, resources.retries, resources.backoff)
        return cls(model, url, key, resources.traffic, *limits)

    @property
    def label(self) -> str:
        """For people, such as ``bge-m3 at localhost:8000``."""
        return f"{self.model} at {urlsplit(public_url(self.base_url)).netloc}"

    @property
    def identity(self) -> str:
        """Address and model, without a key."""
        return f"{public_url(self.base_url)} {self.model}"

    def post(self, path: str, bodies: Sequence[Body]) -> list[object]:
        """Send requests side by side, each until it is answered or there is no hope; the answers in their order.

        Raises:
            ModelError: One request failed for good; those that have not been sent stay unsent.
        """
        with self._client() as client, ThreadPoolExecutor(self.concurrency) as pool:
            answers = [pool.submit(self._post, client, path, body) for body in bodies]
            try:
                return [answer.result() for answer in answers]
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _post(self, client: OpenAI, path: str, body: Body) -> object:
        attempt = 1
        while True:
            outcome = self._send(client, path, {"model": self.model, **body})
            if not isinstance(outcome, Trouble):
                return outcome
            if not outcome.again or attempt > self.retries:
                with self._counting:
                    self.traffic.failed += 1
                raise type(outcome.error)(f"{self.label}: {outcome.error}{tries(attempt)}")
            time.sleep(self._back_off(outcome, attempt))
            attempt += 1

    def _send(self, client: OpenAI, path: str, body: Body) -> object | Trouble:
        """Send once and read what comes."""
        import openai

        with self._counting:
            self.traffic.sent += 1
        secret = self.key.value
        try:
            return client.post(path, cast_to=object, body=body)
        except openai.APITimeoutError:
            return Trouble(ModelTimeoutError(f"no complete reply within {self.timeout:g} s"), again=True)
        except openai.APIConnectionError as error:
            return Trouble(ServerError(f"connection failed: {clean(root_cause(error), secret)}"), again=True)
        except openai.APIStatusError as error:
            return read_status(error.status_code, error.response.headers, error.body, secret)
        except (ValueError, RecursionError):
            return Trouble(ServerError("the reply is not JSON, or was cut off"), again=True)

    def _back_off(self, trouble: Trouble, attempt: int) -> float:
        """Seconds to wait before the next attempt, told to whoever wants to know."""
        asked = trouble.wait if trouble.wait is not None else self.backoff * 2 ** (attempt - 1)
        wait = min(_LONGEST_BACKOFF, asked)
        error = trouble.error
        with self._counting:
            self.traffic.back_off(BackoffEvent(self.label, error.kind, str(error), attempt, wait, self.concurrency))
        return wait

    @contextmanager
    def _client(self) -> Iterator[OpenAI]:
        """A client that neither retries nor follows redirects, closed at the end."""
        from openai import DefaultHttpxClient, OpenAI

        # A request to this machine must not go by way of a proxy from the environment.
        http = DefaultHttpxClient(
            timeout=self.timeout, follow_redirects=False, trust_env=not is_loopback(self.base_url)
        )
        with OpenAI(
            api_key=self.key.value, base_url=self.base_url, http_client=http, max_retries=0, timeout=self.timeout
        ) as client:
            if urlsplit(self.base_url).hostname != urlsplit(OPENAI_URL).hostname:
                client.organization = client.project = None  # from the environment, and nobody else's business
            yield client
