"""Prompts as text files, one per task and language, rendered strictly.

A file ``NAME.LANG.txt`` holds one or more messages, each begun by a line ``=== role``. ``{{name}}`` stands for a
value. Values go in as they are and are never read as templates, so a passage that holds ``{{query}}`` stays text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from saferag.errors import OptionError
from saferag.models.base import Message
from saferag.types import Lang

_ROLE = re.compile(r"^=== (system|user|assistant)\n", re.MULTILINE)
_FIELD = re.compile(r"\{\{([a-z_]+)\}\}")


class PromptError(ValueError):
    """A prompt was given other values than it has places for. A mistake in code, not something to score."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt of one language.

    Attributes:
        id: Its name, such as ``answer``.
        lang: Its language.
        parts: Role and template of each message.
        sha256: Hash of the file's text, for fingerprints.
    """

    id: str
    lang: Lang
    parts: tuple[tuple[str, str], ...]
    sha256: str

    @property
    def fields(self) -> frozenset[str]:
        """The names of all places."""
        return frozenset(name for _, template in self.parts for name in _FIELD.findall(template))

    def render(self, **values: str) -> tuple[Message, ...]:
        """Fill in every place.

        Raises:
            PromptError: A value is missing, or there is no place for one.
        """
        if missing := self.fields - values.keys():
            raise PromptError(f"prompt '{self.id}': no value for {', '.join(sorted(missing))}")
        if unknown := values.keys() - self.fields:
            raise PromptError(f"prompt '{self.id}': no place for {', '.join(sorted(unknown))}")
        return tuple(Message(role, _FIELD.sub(lambda m: values[m[1]], template)) for role, template in self.parts)


@cache
def load_prompt(name: str, lang: Lang) -> Prompt:
    """Load a prompt of ours.

    Raises:
        OptionError: There is none of that name in that language.
    """
    file = resources.files(__name__) / f"{name}.{lang}.txt"
    if not re.fullmatch(r"[a-z_]+", name) or not file.is_file():
        raise OptionError(f"no prompt '{name}' in {lang}; known: {', '.join(prompt_names())}")
    return parse_prompt(name, lang, file.read_text("utf-8"))


def parse_prompt(name: str, lang: Lang, text: str) -> Prompt:
    """Read the text of a prompt file.

    Raises:
        PromptError: It does not begin with a line such as ``=== user``.
    """
    head, *rest = _ROLE.split(text.replace("\r\n", "\n"))
    if head.strip() or not rest:
        raise PromptError(f"prompt '{name}' must begin with a line such as '=== user'")
    parts = tuple(zip(rest[::2], (template.strip() for template in rest[1::2]), strict=True))
    return Prompt(name, lang, parts, hashlib.sha256(text.encode()).hexdigest())


def prompt_names() -> list[str]:
    """The names of our prompts, sorted."""
    return sorted({f.name.split(".")[0] for f in resources.files(__name__).iterdir() if f.name.endswith(".txt")})


def prompt_hashes() -> Mapping[str, str]:
    """The hash of every prompt in every language, by ``name.lang``: part of a run's fingerprint."""
    return {
        f"{name}.{lang}": load_prompt(name, lang).sha256
        for name in prompt_names()
        for lang in Lang
        if (resources.files(__name__) / f"{name}.{lang}.txt").is_file()
    }
