"""Retrievers: one file each, found by the registry."""

from saferag.registry import Registry
from saferag.retrievers.base import Index, Retriever

retrievers: Registry[Retriever] = Registry("retriever", __name__)

__all__ = ["Index", "Retriever", "retrievers"]
