"""Filters and defences that work on the retrieved context: one file each, found by the registry."""

from saferag.filters.base import Filter
from saferag.registry import Registry

filters: Registry[Filter] = Registry("filter", __name__)

__all__ = ["Filter", "filters"]
