"""Any server that speaks OpenAI's Chat Completions: hosted or local, with our own retries and limits.

The client's own retries are off: what is sent again, when, and how often is decided and shown here.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import random
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from saferag.errors import MissingKeyError, ModelTimeoutError, OptionError, ServerError
from saferag.models import models
from saferag.models.base import ChatModel, ChatReply, ChatRequest
from saferag.models.endpoint import Endpoint, Slot
from saferag.models.openai_wire import Dialect, Trouble, clean, read_reply, read_status
from saferag.models.presets import OPENAI_URL, PRESETS, Preset
from saferag.models.traffic import BackoffEvent, Traffic
from saferag.models.waiting import Call, note

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from saferag.resources import Resources

log = logging.getLogger(__name__)

_LONGEST_BACKOFF = 60.0


@dataclass(frozen=True, slots=True)
class Secret:
    """A key. It shows itself to nobody who does not ask for it by name."""

    value: str = field(repr=False)

    def __str__(self) -> str:
        return "***"


@dataclass(slots=True, eq=False)
class OpenAIModel:
    """A chat model behind an OpenAI-compatible server.

    Attributes:
        name: The model's name at the server.
        base_url: Root of the API.
        key: The key, or a dummy for a server that asks for none.
        parameters: ``temperature``, ``max_tokens``, ``top_p``, ``seed``; None leaves one out of the request.
        endpoint: Limits what is in flight, together with everybody else who talks to this endpoint.
        traffic: Where everything is counted.
        timeout: Seconds for one request, from sending it to the last byte of the reply.
        retries: How often a failed request is sent again.
        backoff: Seconds before the first repeat; they double from there.
    """

    name: str
    base_url: str
    key: Secret
    parameters: Mapping[str, Any]
    endpoint: Endpoint
    traffic: Traffic
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 0.5
    _dialect: Dialect = field(default_factory=Dialect, repr=False)
    _client: AsyncOpenAI | None = field(default=None, repr=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, repr=False)

    @property
    def identity(self) -> Mapping[str, str]:
        """Provider, address, name and parameters."""
        parameters = {name: str(value) for name, value in self.parameters.items() if value is not None}
        return {"provider": "openai", "base_url": public_url(self.base_url), "model": self.name, **parameters}

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Send the request until it is answered or there is no hope.

        Raises:
            ModelError: After the last retry, or at once where a retry cannot help.
        """
        tokens = estimate_tokens(request) if self.endpoint.tpm is not None else 0
        attempt = 1
        while True:
            made = time.monotonic()
            async with self.endpoint.slot(tokens, again=attempt > 1) as slot:
                began = time.monotonic()
                body = self._dialect.body(request, self.name, self.parameters)
                outcome = await self._send(body, slot)
            note(Call(made, began, time.monotonic()))
            if isinstance(outcome, ChatReply):
                self._dialect.confirm(request, body)
                return outcome
            if self._dialect.learn(outcome, body):
                log.info("%s: put in other words after: %s", self.endpoint.label, outcome.error)
                continue
            if not outcome.again or attempt > self.retries:
                self.traffic.failed += 1
                raise type(outcome.error)(f"{self.endpoint.label}: {outcome.error}{tries(attempt)}")
            await self._back_off(request, outcome, attempt)
            attempt += 1

    async def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.close()

    async def _send(self, body: dict[str, Any], slot: Slot) -> ChatReply | Trouble:
        """Send once and read what comes."""
        import aiohttp
        import httpx2
        import openai

        client = self._connect()
        self.traffic.sent += 1
        try:
            async with asyncio.timeout(self.timeout):
                # Not `chat.completions.create`: it walks the body by its type hints, a quarter of all CPU per call.
                raw = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except TimeoutError:
            return Trouble(ModelTimeoutError(f"no complete reply within {self.timeout:g} s"), again=True)
        except openai.APIStatusError as error:
            trouble = read_status(error.status_code, error.response.headers, error.body, self.key.value)
            if trouble.busy:
                self.endpoint.refused(slot, trouble.wait)
            return trouble
        except (openai.APIConnectionError, aiohttp.ClientError, OSError) as error:
            return Trouble(ServerError(f"connection failed: {clean(root_cause(error), self.key.value)}"), again=True)
        outcome = read_reply(raw.content)
        if isinstance(outcome, ChatReply):
            self.traffic.pay(outcome.usage)
            self.endpoint.succeeded(slot, outcome.usage.prompt_tokens + outcome.usage.completion_tokens)
        return outcome

    async def _back_off(self, request: ChatRequest, trouble: Trouble, attempt: int) -> None:
        """Wait before the next attempt, visibly; where the provider says how long, its endpoint waits instead."""
        seed = f"{zlib.crc32(repr(request.messages).encode('utf-8', 'replace'))}:{attempt}"
        jitter = 0.5 + random.Random(seed).random() / 2  # noqa: S311 - spreads repeats, and the same way each time
        wait = min(_LONGEST_BACKOFF, self.backoff * 2 ** (attempt - 1)) * jitter
        if trouble.wait is not None:
            wait = trouble.wait
        label, error = self.endpoint.label, trouble.error
        self.traffic.back_off(BackoffEvent(label, error.kind, str(error), attempt, wait, self.endpoint.concurrency))
        if not (trouble.busy and trouble.wait is not None):
            await asyncio.sleep(wait)

    def _connect(self) -> AsyncOpenAI:
        """The client of this event loop."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = make_client(self.base_url, self.key), loop
        return self._client


def make_client(base_url: str, key: Secret) -> AsyncOpenAI:
    """A client over aiohttp that neither retries nor follows redirects; the time limit is ours."""
    from openai import AsyncOpenAI, DefaultAioHttpClient

    # A request to this machine must not go by way of a proxy from the environment.
    http = DefaultAioHttpClient(timeout=None, follow_redirects=False, trust_env=not is_loopback(base_url))
    client = AsyncOpenAI(api_key=key.value, base_url=base_url, http_client=http, max_retries=0, timeout=None)
    if urlsplit(base_url).hostname != urlsplit(OPENAI_URL).hostname:
        client.organization = client.project = None  # read from the environment, and nobody else's business
    return client


@models.register("openai", summary="any OpenAI-compatible server: openai:NAME, NAME a preset or the server's own name")
def openai(
    resources: Resources,
    *,
    variant: str | None = None,
    base_url: str | None = None,
    key_env: str | None = None,
    temperature: float | None = 0.0,
    max_tokens: int | None = 1024,
    top_p: float | None = None,
    seed: int | None = None,
    rpm: int | None = None,
    tpm: int | None = None,
) -> ChatModel:
    """Build a model from a preset, or from a name and the environment.

    Raises:
        OptionError: There is no name, or the address is not one.
        MissingKeyError: The key's variable is empty and the server is not on this machine.
    """
    if not variant:
        raise OptionError(f"model 'openai' needs a name: openai:NAME, such as openai:{next(iter(PRESETS))}")
    preset = find_preset(variant, base_url, key_env)
    key = find_key(preset, optional=resources.dry_run)
    label = f"{preset.model} at {urlsplit(preset.base_url).netloc}"
    endpoint = resources.share(
        f"endpoint {preset.base_url} {preset.key_env} {preset.model}", lambda: Endpoint(label, resources.concurrency)
    )
    endpoint.tighten(rpm, tpm)
    parameters = {"temperature": temperature, "max_tokens": max_tokens, "top_p": top_p, "seed": seed}
    return OpenAIModel(
        preset.model,
        preset.base_url,
        key,
        parameters,
        endpoint,
        resources.traffic,
        resources.timeout,
        resources.retries,
        resources.backoff,
    )


def find_preset(name: str, base_url: str | None, key_env: str | None) -> Preset:
    """The preset of a name, or one made from the environment, with what was given put over it.

    Raises:
        OptionError: The address is not an http(s) one.
    """
    preset = PRESETS.get(name) or Preset(name, OPENAI_URL, "OPENAI_API_KEY", name)
    url = base_url or preset.base_url
    if base_url is None and preset.base_url == OPENAI_URL:
        url = os.environ.get("OPENAI_BASE_URL", "").strip() or OPENAI_URL
    if not is_address(url):
        raise OptionError(f"model 'openai:{name}': base_url is not an http(s) address")
    if urlsplit(url).username or urlsplit(url).password or urlsplit(url).query:
        raise OptionError(
            f"model 'openai:{name}': base_url holds more than an address; keys belong in {preset.key_env}"
        )
    return Preset(preset.model, url, key_env or preset.key_env, preset.summary)


def find_key(preset: Preset, *, optional: bool = False) -> Secret:
    """The key from the environment, or a dummy where none is needed.

    Raises:
        MissingKeyError: There is none.
        OptionError: It holds characters that no key has.
    """
    value = os.environ.get(preset.key_env, "").strip()
    if value and not (value.isascii() and value.isprintable() and " " not in value):
        raise OptionError(f"the value of the environment variable {preset.key_env} is not a key")
    if not value and not optional and not is_loopback(preset.base_url):
        raise MissingKeyError(f"{preset.model} at {urlsplit(preset.base_url).hostname}", preset.key_env)
    return Secret(value or "no-key")


def is_loopback(url: str) -> bool:
    """Whether the address is this machine itself."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_address(url: str) -> bool:
    """Whether this is an http(s) address with a host and, if any, a possible port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def public_url(url: str) -> str:
    """The address in one form: no slash at its end, no query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))


def root_cause(error: BaseException) -> str:
    """The innermost words of a chain of exceptions."""
    while error.__cause__ is not None:
        error = error.__cause__
    return str(error) or type(error).__name__


def estimate_tokens(request: ChatRequest) -> int:
    """A rough count before the provider has counted: three bytes a token, and a short reply."""
    return sum(len(m.content.encode("utf-8", "replace")) for m in request.messages) // 3 + 200


def tries(attempt: int) -> str:
    """How often something was tried, for the end of a message."""
    return "" if attempt == 1 else f" (tried {attempt} times)"
