"""Generators: one file each, found by the registry."""

from saferag.generators.base import Generator
from saferag.registry import Registry

generators: Registry[Generator] = Registry("generator", __name__)

__all__ = ["Generator", "generators"]
