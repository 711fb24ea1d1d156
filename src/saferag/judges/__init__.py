"""Judges: one file each, found by the registry."""

from saferag.judges.base import Judge
from saferag.registry import Registry

judges: Registry[Judge] = Registry("judge", __name__)

__all__ = ["Judge", "judges"]
